/**
 * Problems as a parser or a check finds them. Nonsense of some megabytes could give a million; nobody reads
 * them, so errors and warnings each stop at a limit, and a last problem says so and where the next one was.
 */
import type { Problem } from "@/core/problem";

export class ProblemList {
  readonly #limit: number;
  readonly #kept: Problem[] = [];
  readonly #counts = { error: 0, warning: 0 };
  readonly #firstOmitted: Partial<Record<Problem["severity"], Problem>> = {};

  constructor(limit = 100) {
    this.#limit = limit;
  }

  add(problem: Problem): void {
    const { severity } = problem;
    if (this.#counts[severity] < this.#limit) {
      this.#counts[severity] += 1;
      this.#kept.push(problem);
    } else this.#firstOmitted[severity] ??= problem;
  }

  /** No further error will be shown, so there is no use in looking for one. */
  get isFull(): boolean {
    return this.#firstOmitted.error !== undefined;
  }

  /** In the order of the text; those without a place come last. */
  toArray(): Problem[] {
    const sorted = this.#kept.toSorted(compareByPlace);
    for (const severity of ["error", "warning"] as const) {
      const omitted = this.#firstOmitted[severity];
      if (!omitted) continue;
      const message = `There are more ${severity}s than these ${this.#limit}; the next one is here.`;
      sorted.push({ severity, code: "problems-omitted", message, at: omitted.at });
    }
    return sorted;
  }
}

function compareByPlace(a: Problem, b: Problem): number {
  if (!a.at || !b.at) return (a.at ? 0 : 1) - (b.at ? 0 : 1);
  return a.at.line - b.at.line || a.at.column - b.at.column;
}
