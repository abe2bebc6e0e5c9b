/** How the reader of a text reports: under its format's name, with places as offsets. */
import type { Span } from "@/core/problem";
import { ProblemList } from "@/core/problem-list";
import type { Application } from "@/core/workflow/application";
import type { ParsedText } from "./format";
import { tellNul } from "./nul";
import { SourceText } from "./source-text";

export interface Stretch {
  start: number;
  end: number;
}

export class TextReports {
  readonly #source: SourceText;
  readonly #problems = new ProblemList();

  constructor(
    text: string,
    private readonly format: string,
  ) {
    this.#source = new SourceText(text);
    tellNul(text, (message, place) => this.error("nul", message, place));
  }

  get isFull(): boolean {
    return this.#problems.isFull;
  }

  span({ start, end }: Stretch): Span {
    return this.#source.span(start, end);
  }

  error(code: string, message: string, at: Stretch): undefined {
    this.#problems.add({ severity: "error", code: `${this.format}/${code}`, message, at: this.span(at) });
  }

  warning(code: string, message: string, at: Stretch): undefined {
    this.#problems.add({ severity: "warning", code: `${this.format}/${code}`, message, at: this.span(at) });
  }

  result(application: Application): ParsedText {
    return { application, problems: this.#problems.toArray() };
  }
}
