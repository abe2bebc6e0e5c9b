import { describe, expect, it } from "vitest";
import { longestProofMs } from "./accounts";

describe("proving by process numbers that nothing is left", () => {
  it("is not tried once a task could have used up all numbers", () => {
    expect(longestProofMs(32_768, 2)).toBeLessThan(70);
    expect(longestProofMs(32_768, 64)).toBeLessThan(3);
    expect(longestProofMs(4_194_304, 8)).toBeLessThanOrEqual(5_000);
  });

  it("is never tried where there are few numbers, or nobody knows how many", () => {
    expect(longestProofMs(1024, 1)).toBe(0);
    expect(longestProofMs(Number.NaN, 1)).toBe(0);
  });
});
