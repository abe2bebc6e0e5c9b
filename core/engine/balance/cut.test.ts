import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cut, heterogeneity, makespan, rankOf, secondsFor, speedOf, type Worker } from ".";

const worker = (id: string, power: number, bandwidth = Number.POSITIVE_INFINITY, overhead = 0): Worker => ({
  id,
  power,
  bandwidth,
  overhead,
});
const amounts = (total: number, workers: Worker[], f = 0, more = {}) =>
  Object.fromEntries(cut(total, workers, { fc: f, ...more }).map((share) => [share.worker, share.amount]));

describe("shares", () => {
  it("follow power where nothing travels", () => {
    expect(amounts(1000, [worker("a", 30), worker("b", 10)])).toEqual({ a: 750, b: 250 });
  });

  it("are p / (1 + f_c · p / n): a slow link makes a share smaller, not larger", () => {
    // A unit takes 1 s everywhere to compute, and 1 s or 3 s to travel.
    expect(amounts(300, [worker("near", 1, 10), worker("far", 1, 10 / 3)], 10)).toEqual({ near: 200, far: 100 });
  });

  it("come in whole units, the rest to whom it costs least", () => {
    // By the nearest unit the slow one would get 1, and all would wait 10 s for it.
    expect(amounts(16, [worker("quick", 10), worker("slow", 0.4)])).toEqual({ quick: 16 });
    expect(amounts(10, [worker("a", 1), worker("b", 1), worker("c", 1)])).toEqual({ a: 4, b: 3, c: 3 });
    expect(amounts(1, [worker("a", 3), worker("b", 1)], 0, { unit: 0.125 })).toEqual({ a: 0.75, b: 0.25 });
  });

  it("go to as many workers as keep overheads under a tenth of a task, the best ones", () => {
    const many = Array.from({ length: 8 }, (_, i) => worker(`w${i}`, i + 1, Number.POSITIVE_INFINITY, 2));
    // All eight would be done in about 10 s, with 2 s of overhead; these take 20.75 s, and nobody else has room beside them.
    expect(amounts(300, many)).toEqual({ w0: 18, w6: 132, w7: 150 });
    expect(Object.keys(amounts(30_000, many))).toHaveLength(8);
  });

  it("go to one worker where that is done sooner than by any that could share it", () => {
    const both = [worker("quick", 10, Number.POSITIVE_INFINITY, 5), worker("ready", 1, Number.POSITIVE_INFINITY, 1)];
    expect(amounts(2, both)).toEqual({ ready: 2 });
    expect(amounts(20, both)).toEqual({ quick: 20 });
  });

  it("are none without work or workers that can do anything", () => {
    expect(cut(100, [], { fc: 0 })).toEqual([]);
    expect(cut(100, [worker("dead", 0), worker("cut off", 5, 0)], { fc: 1 })).toEqual([]);
    expect(cut(0, [worker("a", 1)], { fc: 0 })).toEqual([]);
  });
});

describe("laws", () => {
  const positive = fc.integer({ min: 1, max: 100_000 }).map((value) => value / 100);
  const someWorkers = fc.array(fc.record({ power: positive, bandwidth: positive }), { minLength: 1, maxLength: 12 });
  const named = (drawn: { power: number; bandwidth: number }[], overhead = 0) =>
    drawn.map(({ power, bandwidth }, i) => worker(`w${i}`, power, bandwidth, overhead));

  it("all work is given out, once, and every worker ends at the same time, but for one unit", () => {
    fc.assert(
      fc.property(someWorkers, fc.integer({ min: 1, max: 1_000_000 }), positive, (drawn, total, f) => {
        const workers = named(drawn);
        const shares = cut(total, workers, { fc: f });
        expect(shares.reduce((sum, { amount }) => sum + amount, 0)).toBe(total);
        expect(new Set(shares.map((share) => share.worker)).size).toBe(shares.length);
        const longest = makespan(shares, workers, f);
        for (const one of workers) {
          const amount = shares.find((share) => share.worker === one.id)?.amount ?? 0;
          expect(secondsFor(one, amount + 1, f)).toBeGreaterThanOrEqual(longest * (1 - 1e-9));
        }
      }),
    );
  });

  it("overheads stay under a tenth wherever several take part", () => {
    fc.assert(
      fc.property(someWorkers, fc.integer({ min: 1000, max: 1_000_000 }), positive, (drawn, total, overhead) => {
        const workers = named(drawn, overhead);
        const shares = cut(total, workers, { fc: 1 });
        const longest = makespan(shares, workers, 1);
        if (shares.length > 1) expect(overhead).toBeLessThanOrEqual(0.1 * longest * (1 + 1e-9));
      }),
    );
  });

  it("the same workers get the same shares, in whatever order they come", () => {
    fc.assert(
      fc.property(someWorkers, (drawn) => {
        const workers = named(drawn).map((one, i) => ({ ...one, power: one.power + i / 1000 }));
        const forth = cut(1_000_000, workers, { fc: 1, overheadShare: 0.1 });
        const back = cut(1_000_000, workers.toReversed(), { fc: 1, overheadShare: 0.1 });
        const team = (shares: typeof forth) => new Set(shares.map((share) => share.worker));
        expect(makespan(back, workers, 1)).toBeCloseTo(makespan(forth, workers, 1), 6);
        expect(team(back)).toEqual(team(forth));
      }),
    );
  });
});

describe("ranks and heterogeneity", () => {
  it("a worker's rank is its speed by the best one's", () => {
    expect(rankOf([worker("a", 4, 4), worker("b", 1)], 1)).toEqual([1, 0.5]);
    expect(rankOf([worker("dead", 0)], 1)).toEqual([0]);
    expect(speedOf(worker("a", 4, 4), 1)).toBe(2);
  });

  it("Φ is 0 for workers that are all alike and grows as they differ", () => {
    expect(heterogeneity([5, 5, 5])).toBe(0);
    expect(heterogeneity([1, 3])).toBeCloseTo(Math.SQRT1_2);
    expect(heterogeneity([1, 9])).toBeGreaterThan(heterogeneity([1, 3]));
  });
});
