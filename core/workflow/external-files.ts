/** The files no task writes: under which name each is staged, what it was called, and who needs it first. */
import type { ExternalInput } from "./workflow";

export class ExternalFiles {
  readonly #neededBy = new Map<string, number>();
  /** Only where the name as written is not the name it is staged under. */
  readonly #sources = new Map<string, string>();

  get size(): number {
    return this.#neededBy.size;
  }

  /** Returns the file that already has this name, if it is another one. */
  add(name: string, source: string, task: number): ExternalInput | undefined {
    const neededBy = this.#neededBy.get(name);
    if (neededBy === undefined) {
      this.#neededBy.set(name, task);
      if (source !== name) this.#sources.set(name, source);
      return undefined;
    }
    const known = this.#sources.get(name) ?? name;
    return known === source ? undefined : { source: known, name, neededBy };
  }

  /** Sorted by name. */
  list(): ExternalInput[] {
    const names = [...this.#neededBy.keys()].sort();
    return names.map((name) => ({
      source: this.#sources.get(name) ?? name,
      name,
      neededBy: this.#neededBy.get(name)!,
    }));
  }
}
