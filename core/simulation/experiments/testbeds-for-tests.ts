/** The papers' testbeds, from the files in examples/grids. */
import { readFileSync } from "node:fs";
import { readGrid } from "@/core/simulation/grid/grid-file";
import type { Grid } from "@/core/simulation/grid/grid-schema";

export function testbed(name: string): Grid {
  const file = new URL(`../../../examples/grids/${name}.json`, import.meta.url);
  const { grid, problems } = readGrid(readFileSync(file, "utf8"));
  if (!grid) throw new Error(problems.map(({ message }) => message).join("\n"));
  return grid;
}
