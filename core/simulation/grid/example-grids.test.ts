import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { shrink } from "@/core/simulation/experiments/shrink";
import { readGrid } from "./grid-file";
import { bag, simulated } from "./grid-for-tests";

const folder = new URL("../../../examples/grids/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));

describe("the papers' testbeds", () => {
  it.each(files)("%s can be read and gets work done", (file) => {
    const { grid, problems } = readGrid(readFileSync(new URL(file, folder), "utf8"));
    expect(problems).toEqual([]);
    expect(grid?.description).toMatch(/Table|Figure|section/);
    const result = simulated(bag(50), shrink(grid!, 0.1), { retries: 20 });
    expect(result.runs[0]).toMatchObject({ state: "succeeded", incomplete: 0 });
  });
});
