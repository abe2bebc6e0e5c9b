import { describe, expect, it } from "vitest";
import { type Distribution, draw } from "./distribution";
import { stream } from "./streams";

function draws(from: Distribution, number = 20_000): number[] {
  const random = stream(1, "draws");
  return Array.from({ length: number }, () => draw(from, random));
}

function moments(values: readonly number[]) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(variance) };
}

describe("draws", () => {
  // Mean and deviation by the textbook; Γ(1.5) = 0.886 for the Weibull, exp(σ²/2) for the lognormal.
  it.each<[Distribution, number, number]>([
    [{ is: "constant", value: 7 }, 7, 0],
    [{ is: "uniform", low: 10, high: 30 }, 20, 20 / Math.sqrt(12)],
    [{ is: "exponential", mean: 50 }, 50, 50],
    [{ is: "normal", mean: 100, deviation: 15 }, 100, 15],
    [
      { is: "lognormal", median: 60, sigma: 0.5 },
      60 * Math.exp(0.125),
      60 * Math.exp(0.125) * Math.sqrt(Math.E ** 0.25 - 1),
    ],
    [{ is: "weibull", scale: 10, shape: 2 }, 8.862, 4.633],
  ])("have the moments of %j", (from, mean, deviation) => {
    const found = moments(draws(from));
    expect(Math.abs(found.mean - mean)).toBeLessThanOrEqual(mean * 0.03);
    expect(Math.abs(found.deviation - deviation)).toBeLessThanOrEqual(deviation * 0.05);
  });

  it("stay between the bounds, and never go below 0", () => {
    const bounded = draws({ is: "lognormal", median: 60, sigma: 2, atLeast: 10, atMost: 200 });
    expect([Math.min(...bounded), Math.max(...bounded)]).toEqual([10, 200]);
    expect(Math.min(...draws({ is: "normal", mean: 1, deviation: 5 }))).toBe(0);
  });

  it("differ between streams and repeat within one", () => {
    const first = (...parts: (string | number)[]) => stream(1, ...parts).next();
    expect(first("host", 1)).toBe(first("host", 1));
    expect(new Set([first("host", 1), first("host", 2), first("task", 1), stream(2, "host", 1).next()]).size).toBe(4);
  });
});
