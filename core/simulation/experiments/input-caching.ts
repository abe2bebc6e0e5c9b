/**
 * GRAND's data management experiment (thesis, Table G.2): tasks of about three seconds that all read the same input, which is
 * fetched for every task or once for the cluster.
 */
import type { Grid } from "@/core/simulation/grid/grid-schema";
import { simulate } from "@/core/simulation/grid/simulate";
import { bagOf } from "@/core/simulation/grid/workload";

export interface CachingRow {
  tasks: number;
  inputBytes: number;
  fetchedSeconds: number;
  cachedSeconds: number;
  /** Cached of fetched: 0.31 to 0.57 in the table. */
  ratio: number;
}

export const tableG2 = {
  tasks: [50, 100, 200],
  inputBytes: [10_000, 500_000, 1_000_000],
} as const;

export function inputCaching(grid: Grid, seed: number): CachingRow[] {
  const makespan = (tasks: number, sharedInputBytes: number, cache: boolean): number => {
    const runtimes = grid.runtimes ?? { is: "constant", value: 3 };
    const workload = bagOf({ name: "readers", seed, tasks, runtimes, sharedInputBytes });
    const clusters = grid.clusters.map((cluster) => ({ ...cluster, cache }));
    return simulate({ grid: { ...grid, clusters }, seed, submissions: [{ workload }] }).makespanSeconds;
  };
  return tableG2.tasks.flatMap((tasks) =>
    tableG2.inputBytes.map((inputBytes) => {
      const fetchedSeconds = makespan(tasks, inputBytes, false);
      const cachedSeconds = makespan(tasks, inputBytes, true);
      return { tasks, inputBytes, fetchedSeconds, cachedSeconds, ratio: cachedSeconds / fetchedSeconds };
    }),
  );
}
