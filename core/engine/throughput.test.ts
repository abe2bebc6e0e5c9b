import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Throughput } from "./throughput";

describe("effective throughput", () => {
  it("is the size of the dedicated cluster that would do the same", () => {
    const throughput = new Throughput();
    throughput.sample(0, 600);
    // Ten CPUs that never rest do 20 jobs of 30 s a minute.
    for (let i = 0; i < 20; i++) throughput.finished(i < 15 ? "osg" : "egee", 30_000);
    throughput.sample(60_000, 580);
    expect(throughput.effective(0)).toEqual([{ at: 60_000, value: 10 }]);
    expect(throughput.effective(0, "osg")[0]?.value).toBeCloseTo(7.5);
    expect(throughput.effective(0, "egee")[0]?.value).toBeCloseTo(2.5);
    expect(throughput.effective(0, "nobody")).toEqual([]);
  });

  it("uses the run times of the last jobs only", () => {
    const throughput = new Throughput({ recent: 3 });
    for (const runMs of [900, 900, 900, 10, 20, 30]) throughput.finished("c", runMs);
    expect(throughput.meanRunMs).toBe(20);
    throughput.finished("c", 70);
    expect(throughput.meanRunMs).toBe(40);
  });

  it("is 0 while nothing finishes, and has no jump when the clock is set back", () => {
    const throughput = new Throughput();
    throughput.sample(100_000, 5);
    throughput.finished("c", 1000);
    throughput.sample(110_000, 4);
    throughput.sample(120_000, 4);
    throughput.sample(50_000, 4);
    throughput.finished("c", 1000);
    throughput.sample(130_000, 3);
    expect(throughput.effective(0).map(({ value }) => value)).toEqual([0.1, 0, 1000 / 80_000]);
  });

  it("of the clusters adds up to that of all, however the jobs fall", () => {
    const job = fc.record({ cluster: fc.constantFrom("a", "b", "c"), runMs: fc.integer({ min: 1, max: 100_000 }) });
    fc.assert(
      fc.property(fc.array(fc.array(job), { minLength: 1, maxLength: 20 }), (minutes) => {
        const throughput = new Throughput({ recent: 5, tiers: [{ stepMs: 60_000, points: 100 }] });
        throughput.sample(0, 0);
        minutes.forEach((jobs, i) => {
          for (const { cluster, runMs } of jobs) throughput.finished(cluster, runMs);
          throughput.sample((i + 1) * 60_000, 0);
        });
        const parts = ["a", "b", "c"].flatMap((cluster) => throughput.effective(0, cluster));
        for (const { at, value } of throughput.effective(0)) {
          const sum = parts.filter((point) => point.at === at).reduce((total, point) => total + point.value, 0);
          expect(sum).toBeCloseTo(value, 6);
        }
      }),
    );
  });
});

describe("totals and incomplete jobs", () => {
  it("are kept for each cluster, useful and wasted apart", () => {
    const throughput = new Throughput();
    throughput.finished("a", 10);
    throughput.finished("a", 20);
    throughput.wasted("a", 5);
    throughput.finished("b", 1);
    expect([...throughput.totals()]).toEqual([
      ["a", { finished: 2, runMs: 30, wasted: 1, wastedMs: 5 }],
      ["b", { finished: 1, runMs: 1, wasted: 0, wastedMs: 0 }],
    ]);
    throughput.forget("b");
    expect([...throughput.totals().keys()]).toEqual(["a"]);
  });

  it("fall over time: each step shows the last count in it", () => {
    const throughput = new Throughput({ tiers: [{ stepMs: 100, points: 10 }] });
    [900, 800, 650, 640].forEach((incomplete, i) => {
      throughput.sample(i * 60, incomplete);
    });
    expect(throughput.incomplete(0)).toEqual([
      { at: 0, value: 800 },
      { at: 100, value: 640 },
    ]);
  });
});
