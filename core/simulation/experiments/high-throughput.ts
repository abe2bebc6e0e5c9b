/**
 * GridBot's high-throughput run (§7, Figure 6): jobs of 20 to 40 minutes on five grids at once. How much each grid contributes,
 * what the whole is worth in dedicated CPUs, and how long the tail is when nothing is done about
 * it (Figure 5, naive execution).
 */
import type { Policies } from "@/core/engine/policy";
import type { Grid } from "@/core/simulation/grid/grid-schema";
import { simulate } from "@/core/simulation/grid/simulate";
import { bagOf } from "@/core/simulation/grid/workload";

export interface HighThroughput {
  /** Of the first half of the results, while there is work for all, by grid. */
  shares: Record<string, number>;
  /** CPU seconds of results in a second, up to the time half of the jobs are done. */
  dedicatedCpus: number;
  /** When so much of the jobs was done, in seconds. */
  doneAfter: { half: number; most: number; all: number };
}

/** What each grid contributed to the run of 2.2 million jobs. */
export const figure6c: Readonly<Record<string, number>> = {
  "UW Madison": 0.2,
  OSG: 0.1,
  EGEE: 0.16,
  Technion: 0.05,
  "Superlink@Technion": 0.47,
};

export function highThroughput(grid: Grid, seed: number, jobs: number, policies: Policies = {}): HighThroughput {
  const runtimes = { is: "uniform", low: 1200, high: 2400 } as const;
  const workload = bagOf({ name: "bag", seed, tasks: jobs, runtimes });
  const { timeline, makespanSeconds } = simulate({
    grid,
    seed,
    submissions: [{ workload, rules: { retries: 100, policies } }],
  });
  const counted = timeline.filter(({ counts }) => counts);
  const ends = counted.map(({ recorded = 0 }) => recorded).sort((a, b) => a - b);
  const half = ends[Math.floor(jobs / 2)] ?? 0;
  const firstHalf = counted.filter(({ recorded = 0 }) => recorded <= half);
  const ofGrid = (name: string) => firstHalf.filter(({ cluster }) => cluster === name).length;
  return {
    shares: Object.fromEntries(grid.clusters.map(({ name }) => [name, ofGrid(name) / firstHalf.length])),
    dedicatedCpus: firstHalf.reduce((sum, { task }) => sum + workload.seconds(task), 0) / half,
    doneAfter: { half, most: ends[Math.floor(jobs * 0.99)] ?? 0, all: makespanSeconds },
  };
}
