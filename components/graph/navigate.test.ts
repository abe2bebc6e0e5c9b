import { describe, expect, it } from "vitest";
import { navigate } from "./navigate";
import { nodeHeight, nodeWidth, place } from "./place";

/** The diamond: A → B, A → C, B → D, C → D. */
const diamond = {
  taskCount: 4,
  successors: { offsets: Uint32Array.of(0, 2, 3, 4, 4), targets: Uint32Array.of(1, 2, 3, 3) },
  predecessors: { offsets: Uint32Array.of(0, 0, 1, 2, 4), targets: Uint32Array.of(0, 0, 1, 2) },
};
const diamondPlacement = place({ x: [0.5, 0, 1, 0.5], y: [0, 1, 1, 2] }, 4);
const press = (from: number | undefined, key: string) => navigate(diamond, diamondPlacement, from, key);

describe("arrow keys on a graph", () => {
  it("begin at the first task", () => {
    expect(press(undefined, "ArrowDown")).toBe(0);
    expect(press(undefined, "x")).toBeUndefined();
  });

  it("follow edges down and up", () => {
    expect(press(0, "ArrowDown")).toBe(1);
    expect(press(2, "ArrowDown")).toBe(3);
    expect(press(2, "ArrowUp")).toBe(0);
    expect(press(3, "ArrowDown")).toBeUndefined();
  });

  it("walk rows and pass on to the next row at the end", () => {
    expect(press(1, "ArrowRight")).toBe(2);
    expect(press(2, "ArrowLeft")).toBe(1);
    expect(press(2, "ArrowRight")).toBe(3);
    expect(press(1, "ArrowLeft")).toBe(0);
    expect(press(3, "ArrowRight")).toBeUndefined();
  });

  it("jump to both ends", () => {
    expect(press(2, "Home")).toBe(0);
    expect(press(0, "End")).toBe(3);
  });
});

describe("placing", () => {
  it("keeps neighbours apart whatever the unit of the layout", () => {
    for (const unit of [0.001, 1, 500]) {
      const { x } = place({ x: [0.5 * unit, 0, unit, 0.5 * unit], y: [0, unit, unit, 2 * unit] }, 4);
      expect(x[2]! - x[1]!).toBeGreaterThanOrEqual(nodeWidth);
      expect(x[0]).toBeCloseTo((x[1]! + x[2]!) / 2, 1);
    }
  });

  it("folds a bag of 200 tasks into a block, in order and without overlap", () => {
    const layout = { x: Array.from({ length: 201 }, (_, i) => (i < 200 ? i : 100)), y: Array.from({ length: 201 }, (_, i) => (i < 200 ? 0 : 1)) };
    const placement = place(layout, 201);
    const aspect = placement.width / placement.height;
    expect(aspect).toBeGreaterThan(1);
    expect(aspect).toBeLessThan(3);
    expect(placement.rows.flatMap((row) => [...row])).toEqual(layout.x.map((_, i) => i));
    for (const row of placement.rows) {
      row.forEach((task, i) => {
        if (i > 0) expect(placement.x[task]! - placement.x[row[i - 1]!]!).toBeGreaterThan(nodeWidth);
      });
    }
    const lastOfBag = placement.y[199]!;
    expect(placement.y[200]! - lastOfBag).toBeGreaterThan(nodeHeight);
  });
});
