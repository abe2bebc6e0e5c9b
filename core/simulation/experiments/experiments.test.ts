import { describe, expect, it } from "vitest";
import { figure6c, highThroughput } from "./high-throughput";
import { inputCaching } from "./input-caching";
import { optimumStaticSchedule, parameterSweep } from "./parameter-sweep";
import { shrink } from "./shrink";
import { submissionManagers } from "./submission-managers";
import { testbed } from "./testbeds-for-tests";

describe("GridWay's parameter sweep", () => {
  const grid = testbed("gridway-ucm-cab");

  it("has the paper's optimum static schedule of 7285 s", () => {
    expect(Math.abs(optimumStaticSchedule(grid, 200, 62) - 7285)).toBeLessThan(10);
  });

  it("takes longer than the optimum and less than the fastest host alone, with some 14 % of the jobs on babieca failing", () => {
    const sweeps = Array.from({ length: 20 }, (_, seed) => parameterSweep(grid, seed));
    for (const { makespanSeconds, optimumSeconds } of sweeps) {
      expect(makespanSeconds).toBeGreaterThan(optimumSeconds);
      // Within the paper's own distance from the optimum, and the 200 × 62 s of pegasus.
      expect(makespanSeconds).toBeLessThan(optimumSeconds * 1.25);
    }
    const failed = sweeps.reduce((sum, { failedShare }) => sum + failedShare.CAB!, 0) / sweeps.length;
    expect(Math.abs(failed - 0.14)).toBeLessThan(0.03);
  }, 60_000);
});

describe("GRAND's input caching", () => {
  it("cuts the time to the table's 0.31 to 0.57 for every number of tasks and size", () => {
    const rows = inputCaching(testbed("grand-table-g2"), 1);
    expect(rows).toHaveLength(9);
    for (const { ratio } of rows) {
      expect(ratio).toBeGreaterThan(0.31);
      expect(ratio).toBeLessThan(0.57);
    }
  });
});

describe("GRAND's submission managers", () => {
  it.each([
    ["grand-monarc-40", 40],
    ["grand-monarc-80", 80],
  ])(
    "the more of them, the shorter the run and the busier the CPUs: %s",
    (name, cpus) => {
      for (const tasks of [100, 500, 1000]) {
        const submitters = [1, 2, 3, 4, 16, cpus];
        const rows = submissionManagers(testbed(name), { tasks, taskSeconds: 60, submitters });
        for (let i = 1; i < rows.length; i += 1) {
          expect(rows[i]!.makespanSeconds).toBeLessThan(rows[i - 1]!.makespanSeconds);
          expect(rows[i]!.utilisation).toBeGreaterThan(rows[i - 1]!.utilisation);
        }
      }
    },
    60_000,
  );
});

describe("GridBot's grids", () => {
  it("contribute as Figure 6(c) says, and leave a long tail if nothing is done about it", () => {
    const tenth = shrink(testbed("gridbot-figure-6c"), 0.1);
    const { shares, doneAfter } = highThroughput(tenth, 1, 2000);
    for (const [grid, share] of Object.entries(figure6c)) expect(Math.abs(shares[grid]! - share)).toBeLessThan(0.07);
    // The last hundredth of the jobs takes as long as all the others, and those four times as long as the first half.
    expect(doneAfter.all).toBeGreaterThan(1.5 * doneAfter.most);
    expect(doneAfter.most).toBeGreaterThan(4 * doneAfter.half);
  }, 60_000);

  it("have a short tail if jobs that are late are replicated where they are soon done (Figure 5)", () => {
    const tenth = shrink(testbed("gridbot-figure-6c"), 0.1);
    const naive = highThroughput(tenth, 1, 2000);
    const policies = {
      replicationRequirements: "Tail && NumberOfReplicas < 3",
      tailBelow: 300,
      rank: '(Grid == "Technion") * 2 + (Grid != "Superlink@Technion")',
    };
    const replicated = highThroughput(tenth, 1, 2000, policies);
    expect(replicated.doneAfter.all).toBeLessThan(0.3 * naive.doneAfter.all);
  }, 60_000);
});
