/**
 * A job template's lines → `KEY = value` with their places. Comments are lines that start with `#`, and what follows a
 * ` #` after a value; arguments are taken as they are.
 */
import { SourceText } from "@/core/languages/source-text";
import type { Problem, Span } from "@/core/problem";
import type { ProblemList } from "@/core/problem-list";

export interface Place {
  start: number;
  end: number;
}

export interface Entry {
  /** In capitals. */
  key: string;
  value: string;
  /** The value stood between double quotes, which are not part of it. */
  quoted: boolean;
  keyPlace: Place;
  valuePlace: Place;
}

export class Reports {
  readonly #source: SourceText;
  readonly #problems: ProblemList;

  constructor(text: string, problems: ProblemList) {
    this.#source = new SourceText(text);
    this.#problems = problems;
  }

  get isFull(): boolean {
    return this.#problems.isFull;
  }

  span({ start, end }: Place): Span {
    return this.#source.span(start, end);
  }

  error(code: string, message: string, place: Place): void {
    this.#add("error", code, message, place);
  }

  warning(code: string, message: string, place: Place): void {
    this.#add("warning", code, message, place);
  }

  #add(severity: Problem["severity"], code: string, message: string, place: Place): void {
    this.#problems.add({ severity, code: `gridway/${code}`, message, at: this.span(place) });
  }
}

export function readEntries(text: string, reports: Reports): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (let start = 0; start <= text.length && !reports.isFull; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const entry = readLine(text.slice(start, end), start, reports);
    if (entry) {
      if (entries.has(entry.key)) {
        reports.warning("repeated", `${entry.key} is there twice; the last one counts.`, entry.keyPlace);
      }
      entries.set(entry.key, entry);
    }
    start = end + 1;
  }
  return entries;
}

function readLine(line: string, start: number, reports: Reports): Entry | undefined {
  const trimmed = line.trim();
  // Figure 5 draws a line of dashes above its comments.
  if (trimmed === "" || trimmed.startsWith("#") || /^[-=*_]+$/.test(trimmed)) return undefined;
  const from = start + (line.length - line.trimStart().length);
  const equals = line.indexOf("=");
  const key = line.slice(0, Math.max(0, equals)).trim();
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(key)) {
    const message = "A line of a job template is `KEY = value` or a comment that starts with `#`.";
    reports.error("bad-line", message, { start: from, end: from + trimmed.length });
    return undefined;
  }
  const upper = key.toUpperCase();
  const raw = line.slice(equals + 1);
  const lead = raw.length - raw.trimStart().length;
  const read = withoutComment(raw.trim(), /ARGUMENTS$/.test(upper));
  const valueStart = start + equals + 1 + lead + (read.quoted ? 1 : 0);
  return {
    key: upper,
    ...read,
    keyPlace: { start: from, end: from + key.length },
    valuePlace: { start: valueStart, end: valueStart + read.value.length },
  };
}

function withoutComment(raw: string, verbatim: boolean): { value: string; quoted: boolean } {
  const quoted = /^"([^"]*)"\s*(?:#.*)?$/.exec(raw);
  if (quoted) return { value: quoted[1]!, quoted: true };
  const comment = verbatim ? -1 : raw.search(/(?:^|\s)#/);
  return { value: comment === -1 ? raw : raw.slice(0, comment).trimEnd(), quoted: false };
}
