import { describe, expect, it } from "vitest";
import { SeededRandom } from "@/core/simulation/random";
import { simulateDivisible } from "./divisible";
import { gridOf } from "./grid-for-tests";
import type { gridSchema } from "./grid-schema";

type Hosts = (typeof gridSchema._input)["clusters"][number]["hosts"];

/** Sixteen hosts with speeds spread around 1 by a factor either way, evenly in the logarithm. */
function hostsOf(spread: number, seed: number): Hosts {
  const random = new SeededRandom(seed);
  return Array.from({ length: 16 }, (_, i) => ({ name: `h${i}`, speed: spread ** (2 * random.next() - 1) }));
}

/** A second there and a second back for each piece; an iteration takes a minute on hosts that are alike. */
const link = { latencySeconds: 1 };
const work = { units: 16 * 60 * 10, secondsPerUnit: 1, bytesPerUnit: 0, iterations: 10 };

function divided(hosts: Hosts, more: Partial<typeof work> = {}, seed = 1) {
  const grid = gridOf([{ name: "c", link, hosts }]);
  return simulateDivisible({ grid, seed, ...work, ...more });
}

describe("divisible work", { timeout: 60_000 }, () => {
  it("on hosts that are alike is cut evenly, and balancing costs no more than learning that", () => {
    const { balanced, selfScheduled, speedup, heterogeneity } = divided(hostsOf(1, 1));
    expect(heterogeneity).toBe(0);
    // Four pieces each at first, which cost two seconds each.
    expect(balanced.iterations[0]).toBeCloseTo(68, 1);
    for (const seconds of balanced.iterations.slice(1)) expect(seconds).toBeCloseTo(62, 1);
    expect(selfScheduled.piecesPerWorker).toBe(1);
    expect(speedup).toBeGreaterThan(0.98);
  });

  it("on hosts of 1 and 3 is cut one to three once that was seen", () => {
    const { iterations } = divided([{ name: "slow" }, { name: "fast", speed: 3 }], { units: 240 * 10 }).balanced;
    // Eight pieces of 30 units at first, 32 s each for the slow one, 12 s for the fast; then 60 units and 180.
    expect(iterations[0]).toBeCloseTo(72, 1);
    for (const seconds of iterations.slice(1)) expect(seconds).toBeCloseTo(62, 0);
  });

  it("gains the more the more the hosts differ, up to about twice", () => {
    const gains = [1, 2, 4, 8].map((spread) => {
      const seeds = [1, 2];
      return seeds.reduce((sum, seed) => sum + divided(hostsOf(spread, seed), {}, seed).speedup, 0) / seeds.length;
    });
    for (let i = 1; i < gains.length; i += 1) expect(gains[i]).toBeGreaterThan(gains[i - 1]!);
    expect(gains[3]).toBeGreaterThan(1.5);
    expect(gains[3]).toBeLessThan(2.5);
  });

  it("is cut anew while it runs: a host that becomes loaded gets less", () => {
    const points = [
      { at: 0, load: 0 },
      { at: 200, load: 0.75 },
    ];
    const hosts = [{ name: "a" }, { name: "b", load: { points } }];
    const { iterations } = divided(hosts, { units: 120 * 12, iterations: 12 }).balanced;
    expect(iterations[1]).toBeCloseTo(62, 1);
    expect(Math.max(...iterations)).toBeGreaterThan(100);
    // Four fifths for the one, a fifth for the other: 96 s.
    expect(iterations.at(-1)).toBeLessThan(102);
  });

  it("counts the way the data takes", () => {
    const near = { name: "near", link: { latencySeconds: 0, bytesPerSecond: 1e6 }, hosts: [{ name: "n" }] };
    const far = { name: "far", link: { latencySeconds: 0, bytesPerSecond: 1e4 }, hosts: [{ name: "f" }] };
    const { balanced } = simulateDivisible({
      grid: gridOf([near, far]),
      seed: 1,
      ...work,
      units: 1000,
      bytesPerUnit: 1e4,
    });
    // A unit takes 1.01 s near and 2 s far: 100 units are done in 67 s.
    expect(balanced.iterations.at(-1)).toBeCloseTo(100 / (1 / 1.01 + 1 / 2), 0);
  });

  it("goes on elsewhere when a worker is gone, and is the same each time from the same seed", () => {
    const flaky = { hostEvery: { is: "exponential", mean: 100 } as const, repair: 60 };
    const hosts = [...hostsOf(4, 1).slice(0, 6), { name: "flaky", speed: 2, failures: flaky }];
    const grid = gridOf([{ name: "c", link, hosts }], { engine: { silentSeconds: 10 } });
    const run = (seed: number) => simulateDivisible({ grid, seed, ...work, units: 3000 });
    expect(run(5)).toEqual(run(5));
    expect(run(5).balanced.seconds).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(run(6).balanced.hash).not.toBe(run(5).balanced.hash);
  });
});
