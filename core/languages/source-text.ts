/**
 * A text and its lines. Parsers keep plain offsets, which cost nothing, and ask here for the line and column
 * only where a problem or a task needs them.
 */
import type { Span } from "@/core/problem";

export class SourceText {
  readonly text: string;
  #lineStarts: Uint32Array | undefined;

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

  #startOfLine(line: number): number {
    const starts = this.#starts();
    return line < starts.length ? starts[line]! : Number.POSITIVE_INFINITY;
  }

  #lineOf(offset: number): number {
    const starts = this.#starts();
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #starts(): Uint32Array {
    if (this.#lineStarts) return this.#lineStarts;
    const starts = [0];
    for (let at = this.text.indexOf("\n"); at !== -1; at = this.text.indexOf("\n", at + 1)) starts.push(at + 1);
    this.#lineStarts = Uint32Array.from(starts);
    return this.#lineStarts;
  }
}
