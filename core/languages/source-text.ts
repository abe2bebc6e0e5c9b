/**
 * A text and its lines. Parsers keep plain offsets, which cost nothing, and ask here for the line and column
 * only where a problem or a task needs them.
 */
import type { Span } from "@/core/problem";

export class SourceText {
  readonly text: string;
  #lineStarts: Uint32Array | undefined;
  #lastLine = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The stretch between two offsets; `end` is exclusive. */
  span(start: number, end: number): Span {
    const first = this.#lineOf(start);
    // Most spans end on the line they start on: look there before searching.
    const last = end < this.#startOfLine(first + 1) ? first : this.#lineOf(end);
    return {
      line: first + 1,
      column: start - this.#startOfLine(first) + 1,
      endLine: last + 1,
      endColumn: end - this.#startOfLine(last) + 1,
    };
  }

  /**
   * A place told by somebody who saw only the part of the text between `outer`. If what he saw is not what stands
   * there letter by letter, the part as a whole is the best answer.
   */
  within(outer: { start: number; end: number }, seen: string, inner: Span | undefined): Span {
    const whole = this.span(outer.start, outer.end);
    if (!inner || this.text.slice(outer.start, outer.end) !== seen) return whole;
    const line = (of: number): number => whole.line + of - 1;
    const column = (of: number, inLine: number): number => (inLine === 1 ? whole.column + of - 1 : of);
    return {
      line: line(inner.line),
      column: column(inner.column, inner.line),
      endLine: line(inner.endLine),
      endColumn: column(inner.endColumn, inner.endLine),
    };
  }

  #startOfLine(line: number): number {
    const starts = this.#starts();
    return line < starts.length ? starts[line]! : Number.POSITIVE_INFINITY;
  }

  #lineOf(offset: number): number {
    const starts = this.#starts();
    // A text is mostly asked from its start to its end, line by line.
    for (let line = this.#lastLine; line < this.#lastLine + 4; line++) {
      if (starts[line]! <= offset && offset < this.#startOfLine(line + 1)) {
        this.#lastLine = line;
        return line;
      }
    }
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    this.#lastLine = low;
    return low;
  }

  #starts(): Uint32Array {
    if (this.#lineStarts) return this.#lineStarts;
    let lines = 1;
    for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1)) lines += 1;
    const starts = new Uint32Array(lines);
    for (let line = 1; line < lines; line++) starts[line] = this.text.indexOf("\n", starts[line - 1]) + 1;
    this.#lineStarts = starts;
    return starts;
  }
}
