/** Who writes which file: a table of names, and the patterns of loops that stay folded. */
import type { FoldedFile } from "./folded-files";

export class Producers {
  readonly #table = new Map<string, number>();
  readonly #folded: readonly FoldedFile[];

  constructor(folded: readonly FoldedFile[]) {
    this.#folded = folded;
  }

  get fileCount(): number {
    let count = this.#table.size;
    for (const { pattern, repeated } of this.#folded) if (!repeated) count += pattern.size;
    return count;
  }

  /** The first who writes it. */
  add(name: string, task: number): number {
    const other = this.#table.get(name);
    if (other !== undefined) return other;
    this.#table.set(name, task);
    return task;
  }

  /** Of a name that no folded file has, as inference makes sure. */
  ofName(name: string): number | undefined {
    return this.#table.get(name);
  }

  /** Of any name; -1 if nobody writes it. */
  of(name: string): number {
    const task = this.#table.get(name);
    if (task !== undefined) return task;
    for (const { pattern, numbered } of this.#folded) {
      const positions = pattern.positions(name);
      if (!positions) continue;
      return positions.reduce((number, position, l) => number + position * numbered.strides[l]!, numbered.first);
    }
    return -1;
  }

  /** The folded outputs, for whoever can do without the single names. */
  get folded(): readonly FoldedFile[] {
    return this.#folded;
  }
}
