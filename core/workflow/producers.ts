/** Who writes which file: a table of names, and the patterns of loops that stay folded. */
import type { FoldedFile } from "./folded-files";
import { NameOwners } from "./name-owners";

export class Producers {
  readonly #owners: NameOwners;
  readonly #folded: readonly FoldedFile[];

  constructor(folded: readonly FoldedFile[], expected: number) {
    this.#owners = new NameOwners(expected);
    this.#folded = folded;
  }

  get fileCount(): number {
    let count = this.#owners.size;
    for (const { pattern, repeated } of this.#folded) if (!repeated) count += pattern.size;
    return count;
  }

  /** The first who writes it. */
  add(name: string, task: number): number {
    return this.#owners.claim(name, task);
  }

  /** Of a name that no folded file has, as inference makes sure. */
  ofName(name: string): number | undefined {
    return this.#owners.ownerOf(name);
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
