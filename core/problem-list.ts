/**
 * Problems as a parser or a check finds them. Nonsense of some megabytes could give a million; nobody reads
 * them, so each kind of severity stops at a limit and a last problem says how many were left out.
 */
import type { Problem } from "@/core/problem";

export class ProblemList {
  readonly #limit: number;
  readonly #kept: Problem[] = [];
  readonly #counts = { error: 0, warning: 0 };
  readonly #omitted: Partial<Record<Problem["severity"], { count: number; first: Problem }>> = {};

  constructor(limit = 100) {
    this.#limit = limit;
  }

  add(problem: Problem): void {
    const { severity } = problem;
    if (this.#counts[severity] < this.#limit) {
      this.#counts[severity] += 1;
      this.#kept.push(problem);
      return;
    }
    const omitted = this.#omitted[severity];
    if (omitted) omitted.count += 1;
    else this.#omitted[severity] = { count: 1, first: problem };
  }

  get hasErrors(): boolean {
    return this.#counts.error > 0;
  }

  /** In the order of the text; those without a place come last. */
  toArray(): Problem[] {
    const sorted = this.#kept
      .map((problem, order) => ({ problem, order }))
      .sort((a, b) => compareByPlace(a.problem, b.problem) || a.order - b.order)
      .map(({ problem }) => problem);
    for (const severity of ["error", "warning"] as const) {
      const omitted = this.#omitted[severity];
      if (!omitted) continue;
      const what = omitted.count === 1 ? `1 further ${severity} is` : `${omitted.count} further ${severity}s are`;
      sorted.push({
        severity,
        code: "problems-omitted",
        message: `${what} not shown; the first of them is here.`,
        at: omitted.first.at,
      });
    }
    return sorted;
  }
}

function compareByPlace(a: Problem, b: Problem): number {
  if (!a.at || !b.at) return (a.at ? 0 : 1) - (b.at ? 0 : 1);
  return a.at.line - b.at.line || a.at.column - b.at.column;
}
