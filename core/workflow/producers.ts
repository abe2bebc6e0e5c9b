/** Who writes which file: a table of names, and the patterns of loops that stay folded. */
import type { FoldedFile } from "./folded-files";
import { NameTable } from "./name-table";

export class Producers {
  readonly #names = new NameTable();
  /** Of each name by its number. */
  readonly #tasks: number[] = [];
  readonly #folded: readonly FoldedFile[];

  constructor(folded: readonly FoldedFile[]) {
    this.#folded = folded;
  }

  get fileCount(): number {
    let count = this.#names.size;
    for (const { pattern, repeated } of this.#folded) if (!repeated) count += pattern.size;
    return count;
  }

  /** The first who writes it. */
  add(name: string, task: number): number {
    const number = this.#names.add(name);
    if (number === this.#tasks.length) this.#tasks.push(task);
    return this.#tasks[number]!;
  }

  /** Of a name that no folded file has, as inference makes sure. */
  ofName(name: string): number | undefined {
    const number = this.#names.numberOf(name);
    return number === -1 ? undefined : this.#tasks[number];
  }

  /** Of any name; -1 if nobody writes it. */
  of(name: string): number {
    const task = this.ofName(name);
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
