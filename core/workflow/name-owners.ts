/** Which task a name belongs to: the first that claims it. */
import { NameTable } from "./name-table";

export class NameOwners {
  readonly #names: NameTable;
  /** By the number of the name. */
  #tasks: Uint32Array;

  constructor(expected: number) {
    this.#names = new NameTable(expected);
    this.#tasks = new Uint32Array(Math.max(expected, 512));
  }

  get size(): number {
    return this.#names.size;
  }

  /** The owner: the task itself, unless another one came before. */
  claim(name: string, task: number): number {
    const known = this.#names.size;
    const number = this.#names.add(name);
    if (number < known) return this.#tasks[number]!;
    if (number === this.#tasks.length) {
      const longer = new Uint32Array(number * 2);
      longer.set(this.#tasks);
      this.#tasks = longer;
    }
    this.#tasks[number] = task;
    return task;
  }

  ownerOf(name: string): number | undefined {
    const number = this.#names.numberOf(name);
    return number === -1 ? undefined : this.#tasks[number];
  }

  forEach(visit: (name: string, task: number) => void): void {
    for (let number = 0; number < this.#names.size; number++) visit(this.#names.name(number), this.#tasks[number]!);
  }
}
