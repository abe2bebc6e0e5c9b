import { describe, expect, it } from "vitest";
import { SeededRandom } from "@/core/simulation/random";
import { chunkFor, cut, Estimator, heterogeneity, makespan, nextChunk, speedOf, type Worker } from ".";
import { drawWorkers, observed, selfScheduled } from "./workers-for-tests";

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const infinite = Number.POSITIVE_INFINITY;

/** As much work as all workers do in 30 times the overhead of a task: an iteration of a minute with 2 s of overhead. */
function workFor(workers: readonly Worker[], f: number): number {
  return Math.round(30 * workers.reduce((sum, worker) => sum + speedOf(worker, f), 0));
}

/** With the piece size that is best in hindsight. */
function bestSelfScheduled(total: number, workers: readonly Worker[], f: number): number {
  let best = infinite;
  for (let pieces = 1; pieces <= 200; pieces *= 1.3) {
    const policy = { is: "fixed", size: Math.ceil(total / workers.length / pieces) } as const;
    best = Math.min(best, selfScheduled(total, workers, f, policy));
  }
  return best;
}

describe("against self-scheduling (DIANE, Figures 4.17 and 4.18)", () => {
  const seeds = Array.from({ length: 10 }, (_, i) => i + 1);

  function speedup(spread: number, f: number): { theta: number; phi: number } {
    const runs = seeds.map((seed) => {
      const workers = drawWorkers(16, spread, seed, 1);
      const total = workFor(workers, f);
      const balanced = makespan(cut(total, workers, { fc: f }), workers, f);
      const phi = heterogeneity(workers.map((worker) => speedOf(worker, f)));
      return { theta: bestSelfScheduled(total, workers, f) / balanced, phi };
    });
    return { theta: mean(runs.map(({ theta }) => theta)), phi: mean(runs.map(({ phi }) => phi)) };
  }

  it("the gain grows with heterogeneity, to about twice, and is never a loss on workers that are alike", () => {
    const found = [1, 1.5, 2, 3, 4, 6, 8].map((spread) => speedup(spread, 0));
    expect(found[0]!.theta).toBeGreaterThan(0.99);
    for (let i = 1; i < found.length; i++) {
      expect(found[i]!.phi).toBeGreaterThan(found[i - 1]!.phi);
      expect(found[i]!.theta).toBeGreaterThan(found[i - 1]!.theta);
    }
    expect(found.at(-1)!.theta).toBeGreaterThan(1.75);
  });

  it("there is a gain at every ratio of communication to computation", () => {
    for (const f of [0, 1e3, 3e3, 1e4, 3e4, 1e5]) expect(speedup(4, f).theta).toBeGreaterThan(1.3);
  });

  it("learning from wrong benchmarks, ten iterations take less time than the best self-scheduling", () => {
    const f = 1e4;
    for (const seed of seeds) {
      const workers = drawWorkers(16, 4, seed, 1);
      const total = workFor(workers, f);
      // Nothing is known but that there are sixteen of them.
      const estimator = new Estimator(workers.map(({ id }) => ({ id, power: 1, bandwidth: 1e6, overhead: 1 })));
      const times: number[] = [];
      for (let iteration = 0; iteration < 10; iteration++) {
        const shares = estimator.cut(total);
        times.push(makespan(shares, workers, f));
        for (const observation of observed(shares, workers, f)) estimator.observe(observation);
      }
      const ideal = makespan(cut(total, workers, { fc: f }), workers, f);
      expect(times[1]).toBeLessThan(1.05 * ideal);
      expect(mean(times)).toBeLessThan(bestSelfScheduled(total, workers, f));
    }
  });
});

describe("estimates", () => {
  const twins: Worker[] = [
    { id: "a", power: 10, bandwidth: infinite },
    { id: "b", power: 10, bandwidth: infinite },
  ];

  it("follow a host that becomes loaded, and forget it again", () => {
    const estimator = new Estimator(twins);
    const iterate = (powerOfB: number) => {
      const shares = estimator.cut(1000);
      const real = [twins[0]!, { ...twins[1]!, power: powerOfB }];
      for (const observation of observed(shares, real, 0)) estimator.observe(observation);
      return makespan(shares, real, 0);
    };
    expect(iterate(10)).toBe(50);
    const loaded = Array.from({ length: 8 }, () => iterate(2.5));
    expect(loaded[0]).toBe(200);
    expect(loaded.at(-1)).toBeLessThan(1.02 * (1000 / 12.5));
    const free = Array.from({ length: 12 }, () => iterate(10));
    expect(free.at(-1)).toBeLessThan(1.02 * 50);
  });

  it("are not thrown off course by noise of a fifth", () => {
    const random = new SeededRandom(5);
    const workers = drawWorkers(16, 4, 9, 1);
    const estimator = new Estimator(workers);
    const total = workFor(workers, 1e4);
    const noisy = (ms: number) => ms * (0.8 + 0.4 * random.next());
    const times: number[] = [];
    for (let iteration = 0; iteration < 20; iteration++) {
      const shares = estimator.cut(total);
      times.push(makespan(shares, workers, 1e4));
      for (const seen of observed(shares, workers, 1e4)) {
        estimator.observe({ ...seen, computeMs: noisy(seen.computeMs), transferMs: noisy(seen.transferMs) });
      }
    }
    const ideal = makespan(cut(total, workers, { fc: 1e4 }), workers, 1e4);
    expect(mean(times.slice(2))).toBeLessThan(1.2 * ideal);
  });

  it("find f_c from what was seen, and judge by it a worker of which only the benchmark is known", () => {
    const f = 5000;
    const workers = drawWorkers(8, 3, 2, 0);
    // The benchmark counts in another unit than the work does.
    const estimator = new Estimator(workers.map((worker) => ({ ...worker, power: 7 * worker.power })));
    const seen = workers.slice(0, 6).map(({ id }) => ({ worker: id, amount: 50 }));
    for (const observation of observed(seen, workers, f)) estimator.observe(observation);
    expect(estimator.fc / f).toBeCloseTo(1, 3);
    const believed = estimator.workers();
    workers.forEach((worker, i) => {
      expect(speedOf(believed[i]!, estimator.fc) / speedOf(worker, f)).toBeCloseTo(1, 2);
    });
  });

  it("where benchmarks of links are partly wrong, f_c is the value by which the work is done soonest", () => {
    const workers = drawWorkers(5, 2, 4, 0);
    const told = workers.map((worker, i) => (i === 0 ? { ...worker, bandwidth: worker.bandwidth * 100 } : worker));
    const estimator = new Estimator(told);
    const seen = workers.map(({ id }) => ({ worker: id, amount: 50 }));
    for (const observation of observed(seen, workers, 1e4)) estimator.observe(observation);
    const timeBy = (f: number) => makespan(cut(1e6, told, { fc: f }), workers, 1e4);
    const naive = mean(workers.map((worker, i) => (1e4 / worker.bandwidth) * told[i]!.bandwidth));
    expect(timeBy(estimator.fc)).toBeLessThan(timeBy(naive));
    for (const factor of [0.5, 0.9, 1.1, 2]) {
      expect(timeBy(estimator.fc)).toBeLessThanOrEqual(timeBy(estimator.fc * factor) * 1.001);
    }
  });

  it("ignore what cannot be, and workers that left", () => {
    const estimator = new Estimator(twins);
    estimator.observe({ worker: "a", amount: 0, computeMs: 10, transferMs: 0 });
    estimator.observe({ worker: "a", amount: 5, computeMs: Number.NaN, transferMs: 0 });
    estimator.observe({ worker: "stranger", amount: 5, computeMs: 1, transferMs: 0 });
    expect(estimator.workers()).toEqual(twins);
    estimator.leave("b");
    expect(estimator.cut(10)).toEqual([{ worker: "a", amount: 10 }]);
  });
});

describe("self-scheduling", () => {
  it("hands out pieces that add up, fixed or ever smaller", () => {
    const pieces = (policy: Parameters<typeof nextChunk>[2]) => {
      const sizes: number[] = [];
      for (let left = 100; left > 0; left -= sizes.at(-1)!) sizes.push(nextChunk(left, 4, policy));
      return sizes;
    };
    expect(pieces({ is: "fixed", size: 30 })).toEqual([30, 30, 30, 10]);
    expect(pieces({ is: "guided", smallest: 9 })).toEqual([13, 11, 10, 9, 9, 9, 9, 9, 9, 9, 3]);
  });

  it("sizes pieces so that overheads take a tenth", () => {
    expect(chunkFor(100, 2)).toBe(1800);
    expect(chunkFor(100, 0)).toBe(1);
  });
});
