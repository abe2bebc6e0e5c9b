import { describe, expect, it } from "vitest";
import { Load } from "./load-curve";

/** Free for 10 s, half taken for 10 s, wholly taken for 10 s. */
const points = [
  { at: 0, load: 0 },
  { at: 10, load: 0.5 },
  { at: 20, load: 1 },
];

describe("a load curve", () => {
  it("slows work down by what others take", () => {
    const load = new Load({ points: [...points, { at: 30, load: 0.75 }] });
    expect(load.endOf(10, 0)).toBe(10);
    expect(load.endOf(12, 0)).toBe(14);
    expect(load.endOf(15, 0)).toBe(20);
    // 10 + 5 by second 20, nothing until 30, then a quarter of the machine.
    expect(load.endOf(16, 0)).toBe(34);
    expect(load.endOf(2, 5)).toBe(7);
    expect(load.endOf(1, 25)).toBe(34);
    expect(load.endOf(0, 25)).toBe(25);
  });

  it("starts again after its period", () => {
    const load = new Load({ points, repeatSeconds: 30 });
    expect(load.upTo(30)).toBe(15);
    expect(load.upTo(75)).toBe(42.5);
    expect(load.endOf(15, 0)).toBe(20);
    expect(load.endOf(16, 0)).toBe(31);
    expect(load.endOf(150, 0)).toBe(290);
  });

  it("does as much work as it says it has done", () => {
    const load = new Load({ points, repeatSeconds: 30 });
    for (let start = 0; start < 70; start += 3.7) {
      for (const work of [0.3, 4, 15, 29, 100]) {
        expect(load.upTo(load.endOf(work, start)) - load.upTo(start)).toBeCloseTo(work, 9);
      }
    }
  });
});
