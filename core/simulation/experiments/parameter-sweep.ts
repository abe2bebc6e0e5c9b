/**
 * GridWay's parameter sweep (A framework for adaptive execution in grids, "Adaptive scheduling of a parameter sweep
 * application"): 200 independent jobs on the UCM-CAB testbed, against the optimum static schedule of Equation 2, which knows
 * every host's turnaround time beforehand and has no failures.
 */
import type { Grid } from "@/core/simulation/grid/grid-schema";
import { simulate } from "@/core/simulation/grid/simulate";
import { bagOf } from "@/core/simulation/grid/workload";

export interface Sweep {
  makespanSeconds: number;
  optimumSeconds: number;
  /** Jobs that failed, of those each cluster was given. */
  failedShare: Record<string, number>;
}

export function parameterSweep(grid: Grid, seed: number, jobs = 200, jobSeconds = 62): Sweep {
  const workload = bagOf({ name: "sweep", seed, tasks: jobs, runtimes: { is: "constant", value: jobSeconds } });
  const { makespanSeconds, clusters } = simulate({ grid, seed, submissions: [{ workload, rules: { retries: jobs } }] });
  const failedShare = Object.fromEntries(clusters.map(({ name, attempts, failed }) => [name, failed / attempts]));
  return { makespanSeconds, optimumSeconds: optimumStaticSchedule(grid, jobs, jobSeconds), failedShare };
}

/** min max Nᵢ·Tᵢ. With equal jobs, giving each to the slot that would be done with it first is the optimum. */
export function optimumStaticSchedule(grid: Grid, jobs: number, jobSeconds: number): number {
  const turnarounds = grid.clusters.flatMap(({ hosts }) =>
    hosts.flatMap(({ speed, count, cores, name }) => {
      if (speed.is !== "constant") throw new Error(`the speed of ${name} is not known beforehand`);
      return Array.from({ length: count * cores }, () => jobSeconds / speed.value);
    }),
  );
  const ends = turnarounds.map(() => 0);
  for (let job = 0; job < jobs; job += 1) {
    let best = 0;
    for (let slot = 1; slot < ends.length; slot += 1) {
      if (ends[slot]! + turnarounds[slot]! < ends[best]! + turnarounds[best]!) best = slot;
    }
    ends[best]! += turnarounds[best]!;
  }
  return Math.max(...ends);
}
