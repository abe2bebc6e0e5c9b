/** The files no task of the run writes: under which name each is staged, what it was called, and who needs it first. */

import { inputDestination } from "./file-names";
import { expandReference } from "./file-references";
import type { FoldedFile } from "./folded-files";
import { forEachElement } from "./loops";
import type { ExternalInput } from "./workflow";

export class ExternalFiles {
  readonly #neededBy = new Map<string, number>();
  /** Only where the name as written is not the name it is staged under. */
  readonly #sources = new Map<string, string>();
  readonly #folded: readonly FoldedFile[];

  constructor(folded: readonly FoldedFile[]) {
    this.#folded = folded.filter(({ repeated }) => !repeated);
  }

  get size(): number {
    let size = this.#neededBy.size;
    for (const { pattern } of this.#folded) size += pattern.size;
    return size;
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
    const files: ExternalInput[] = [];
    for (const [name, neededBy] of this.#neededBy) {
      files.push({ source: this.#sources.get(name) ?? name, name, neededBy });
    }
    for (const file of this.#folded) unfold(file, files);
    return files.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }
}

/** Loops that leave the name alone are not walked: the first task stands for all who read the file. */
function unfold({ reference, pattern, numbered, absolute }: FoldedFile, into: ExternalInput[]): void {
  const named = new Set(pattern.holes);
  const loops = numbered.group.loops.filter((_, l) => named.has(l));
  const strides = numbered.strides.filter((_, l) => named.has(l));
  forEachElement(loops, strides, numbered.first, (neededBy, bindings) => {
    for (const written of expandReference(reference, bindings)) {
      const destination = inputDestination(written);
      if (destination.is === "refused") continue;
      const { name } = destination;
      into.push({ source: absolute ? written : name, name, neededBy });
    }
  });
}
