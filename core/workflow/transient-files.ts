/** The names of all transient files, as the tasks that write them know them. */
import type { Span } from "@/core/problem";
import type { Application, TransientFiles as TransientStatement } from "./application";
import { expandList } from "./expand";
import { outputDestination } from "./file-names";
import { denseStrides, forEachElement } from "./loops";
import { hasPlaceholder, NamePattern, placeholderBindings } from "./name-pattern";
import type { Producers } from "./producers";

export class TransientFiles {
  readonly #names = new Set<string>();
  /** Exactly the files that a folded loop writes: no need to have them one by one. */
  readonly #patterns: NamePattern[] = [];

  /** `missing` is told each file that nobody writes. */
  constructor(application: Application, producers: Producers, missing: (file: string, at?: Span) => void) {
    for (const statement of application.transient) {
      const patterns = foldedPatterns(statement, producers);
      if (patterns) this.#patterns.push(...patterns);
      else this.#addNames(statement, producers, missing);
    }
  }

  has(file: string): boolean {
    return this.#names.has(file) || this.#patterns.some((pattern) => pattern.positions(file) !== undefined);
  }

  #addNames(
    { loops, files, at }: TransientStatement,
    producers: Producers,
    missing: (file: string, at?: Span) => void,
  ): void {
    forEachElement(loops, denseStrides(loops), 0, (_, bindings) => {
      for (const template of files) {
        for (const written of expandList(template, bindings)) {
          const destination = outputDestination(written);
          const name = destination.is === "inside" ? destination.name : written;
          this.#names.add(name);
          if (producers.of(name) === -1) missing(name, at);
        }
      }
    });
  }
}

/** The patterns of the statement, if each is exactly what a folded loop writes. */
function foldedPatterns({ loops, files }: TransientStatement, producers: Producers): NamePattern[] | undefined {
  const bindings = loops.length > 0 && producers.folded.length > 0 ? placeholderBindings({ loops }) : undefined;
  if (!bindings) return undefined;
  const patterns: NamePattern[] = [];
  for (const template of files) {
    if (template.some((piece) => "text" in piece && hasPlaceholder(piece.text))) return undefined;
    for (const written of expandList(template, bindings)) {
      const destination = outputDestination(written);
      const pattern = destination.is === "inside" ? NamePattern.of(destination.name, loops) : undefined;
      if (!pattern || !producers.folded.some((file) => file.pattern.isSameAs(pattern))) return undefined;
      patterns.push(pattern);
    }
  }
  return patterns;
}
