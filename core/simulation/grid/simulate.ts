/** Workflows on a simulated grid with the real engine: what would happen, in figures (PO-14). */
import type { Grid } from "./grid-schema";
import { GridWorld, type Submission } from "./grid-world";
import { report, type SimulationReport } from "./report";

export interface SimulateOptions {
  grid: Grid;
  submissions: readonly Submission[];
  seed: number;
}

export function simulate({ grid, submissions, seed }: SimulateOptions): SimulationReport {
  const world = new GridWorld(grid, submissions, seed);
  world.run();
  return report(world, grid.name, seed);
}
