/**
 * A text and the files it names, and what is wrong in them. A problem's place is always in the text the user gave: what
 * is wrong in a submit file or a splice is told where it is named, with its own file, line and column beside it.
 */
import type { Surroundings } from "@/core/languages/format";
import { SourceText } from "@/core/languages/source-text";
import type { Problem, Span } from "@/core/problem";
import type { ProblemList } from "@/core/problem-list";

export class Source {
  readonly text: string;
  /** Absent for the text the user gave. */
  readonly named?: { file: string; at: Span };
  readonly #lines: SourceText;

  constructor(text: string, named?: { file: string; at: Span }) {
    this.text = text;
    if (named) this.named = named;
    this.#lines = new SourceText(text);
  }

  /** Where the stretch is in the text the user gave. */
  span(start: number, end: number): Span {
    return this.named ? this.named.at : this.#lines.span(start, end);
  }

  /** The place in a file that is not the text the user gave. */
  inFile(start: number, end: number): Problem["inFile"] {
    return this.named && { name: this.named.file, at: this.#lines.span(start, end) };
  }

  /** Tells places in different files apart: `FILE:LINE:COLUMN: `, nothing for the text the user gave. */
  prefix(start: number): string {
    if (!this.named) return "";
    const { line, column } = this.#lines.span(start, start);
    return `${this.named.file}:${line}:${column}: `;
  }
}

/** NUL stands for $(Process) while a description is read, so none may come from outside. */
export function filesWithoutNul(readFile: Surroundings["readFile"]): (name: string) => string | undefined {
  return (name) => {
    const text = readFile?.(name);
    return text?.includes("\0") ? text.replaceAll("\0", " ") : text;
  };
}

export interface Place {
  source: Source;
  start: number;
  end: number;
}

export class Reports {
  readonly #problems: ProblemList;
  readonly #told = new Set<string>();

  constructor(problems: ProblemList) {
    this.#problems = problems;
  }

  get isFull(): boolean {
    return this.#problems.isFull;
  }

  error(code: string, message: string, place: Place): void {
    this.#add("error", code, message, place);
  }

  warning(code: string, message: string, place: Place): void {
    this.#add("warning", code, message, place);
  }

  /** Told where it is met first: a thousand nodes may share one submit file. */
  warnOnce(key: string, code: string, message: string, place: Place): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.warning(code, message, place);
  }

  errorOnce(key: string, code: string, message: string, place: Place): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.error(code, message, place);
  }

  #add(severity: Problem["severity"], code: string, message: string, { source, start, end }: Place): void {
    const problem: Problem = { severity, code: `dagman/${code}`, message, at: source.span(start, end) };
    const inFile = source.inFile(start, end);
    this.#problems.add(inFile ? { ...problem, inFile } : problem);
  }
}
