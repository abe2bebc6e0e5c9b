import { expect, it } from "vitest";
import { figure6c, highThroughput } from "./high-throughput";
import { testbed } from "./testbeds-for-tests";

it("GridBot's five grids, whole, contribute as Figure 6(c) says and are worth about 2,300 CPUs", () => {
  const { shares, dedicatedCpus } = highThroughput(testbed("gridbot-figure-6c"), 1, 100_000);
  for (const [grid, share] of Object.entries(figure6c)) expect(Math.abs(shares[grid]! - share)).toBeLessThan(0.05);
  expect(dedicatedCpus).toBeGreaterThan(1900);
  expect(dedicatedCpus).toBeLessThan(2700);
});
