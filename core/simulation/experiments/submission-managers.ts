/**
 * GRAND's experiment with several submission managers (thesis, section E.2, Figures E.10 and E.11): equal tasks on a cluster,
 * handed out by more and more submit machines.
 */
import type { Grid } from "@/core/simulation/grid/grid-schema";
import { simulate } from "@/core/simulation/grid/simulate";
import { bagOf } from "@/core/simulation/grid/workload";

export interface SubmissionRow {
  submitters: number;
  makespanSeconds: number;
  utilisation: number;
}

export function submissionManagers(
  grid: Grid,
  { tasks, taskSeconds, submitters }: { tasks: number; taskSeconds: number; submitters: readonly number[] },
): SubmissionRow[] {
  const seed = 1;
  return submitters.map((number) => {
    const runtimes = { is: "constant", value: taskSeconds } as const;
    const workload = bagOf({ name: "tasks", seed, tasks, runtimes });
    const engine = { ...grid.engine, submitters: number };
    const { makespanSeconds, utilisation } = simulate({ grid: { ...grid, engine }, seed, submissions: [{ workload }] });
    return { submitters: number, makespanSeconds, utilisation };
  });
}
