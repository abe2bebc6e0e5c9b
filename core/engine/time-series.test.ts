import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TimeSeries } from "./time-series";

const tiers = [
  { stepMs: 10, points: 6 },
  { stepMs: 60, points: 10 },
];

describe("a series in rings", () => {
  it("shows the near past finely and the far past coarsely", () => {
    const series = new TimeSeries("mean", tiers);
    for (let at = 0; at < 300; at += 10) series.add(at, at, 10);
    expect(series.since(250).map(({ at }) => at)).toEqual([250, 260, 270, 280, 290]);
    expect(series.since(0)).toEqual([
      { at: 0, value: 25 },
      { at: 60, value: 85 },
      { at: 120, value: 145 },
      { at: 180, value: 205 },
      { at: 240, value: 265 },
    ]);
  });

  it("uses the fine ring for everything as long as it holds everything", () => {
    const series = new TimeSeries("mean", tiers);
    for (let at = 1000; at < 1050; at += 10) series.add(at, 1, 10);
    expect(series.since(0)).toHaveLength(5);
  });

  it("weighs samples by the time each stands for", () => {
    const series = new TimeSeries("mean", [{ stepMs: 100, points: 4 }]);
    series.add(30, 1, 30);
    series.add(40, 11, 10);
    expect(series.since(0)).toEqual([{ at: 0, value: 3.5 }]);
  });

  it("leaves out steps in which nothing was sampled, also after a long pause", () => {
    const series = new TimeSeries("last", [{ stepMs: 10, points: 4 }]);
    series.add(0, 1, 10);
    series.add(1000, 2, 10);
    series.add(1030, 3, 10);
    expect(series.since(0)).toEqual([
      { at: 1000, value: 2 },
      { at: 1030, value: 3 },
    ]);
  });

  it("goes on at once when a clock that ran ahead is set right", () => {
    const series = new TimeSeries("last", tiers);
    series.add(1000, 1, 10);
    series.add(900_000, 2, 10);
    series.add(1010, 3, 10);
    expect(series.since(1000).at(-1)).toEqual({ at: 1010, value: 3 });
  });

  it("never has more points than its longest ring, and every mean lies between the samples", () => {
    const sample = fc.record({ after: fc.integer({ min: 1, max: 50 }), value: fc.integer({ min: -100, max: 100 }) });
    fc.assert(
      fc.property(fc.array(sample), fc.integer({ min: 0, max: 5000 }), (samples, from) => {
        const series = new TimeSeries("mean", tiers);
        let at = 0;
        for (const { after, value } of samples) {
          at += after;
          series.add(at, value, after);
        }
        const points = series.since(from);
        expect(points.length).toBeLessThanOrEqual(10);
        const values = samples.map(({ value }) => value);
        for (const point of points) {
          expect(point.value).toBeGreaterThanOrEqual(Math.min(...values) - 1e-9);
          expect(point.value).toBeLessThanOrEqual(Math.max(...values) + 1e-9);
        }
        expect(points.map((point) => point.at)).toEqual(points.map((point) => point.at).toSorted((a, b) => a - b));
      }),
    );
  });
});
