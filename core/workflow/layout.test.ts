import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EdgeList } from "./adjacency";
import { type Layout, layoutWorkflow, taskBox } from "./layout";
import { spread } from "./spread";

function layoutOf(taskCount: number, edges: readonly (readonly [number, number])[]): Layout {
  const list = new EdgeList();
  for (const [from, to] of edges) list.add(from, to);
  return layoutWorkflow({ taskCount, ...list.adjacency(taskCount) });
}

function overlaps({ x, y }: Layout): number {
  let count = 0;
  for (let a = 0; a < x.length; a++) {
    for (let b = 0; b < a; b++) {
      if (Math.abs(x[a]! - x[b]!) < taskBox.width && Math.abs(y[a]! - y[b]!) < taskBox.height) count += 1;
    }
  }
  return count;
}

const acyclic = fc.integer({ min: 1, max: 40 }).chain((taskCount) =>
  fc.record({
    taskCount: fc.constant(taskCount),
    edges: fc
      .uniqueArray(fc.tuple(fc.nat({ max: taskCount - 1 }), fc.nat({ max: taskCount - 1 })), {
        maxLength: 80,
        selector: ([a, b]) => Math.min(a, b) * 1000 + Math.max(a, b),
      })
      .map((pairs) => pairs.filter(([a, b]) => a !== b).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)),
  }),
);

describe("layout", () => {
  it("draws every edge downwards, no two tasks over each other, all inside the picture", () => {
    fc.assert(
      fc.property(acyclic, ({ taskCount, edges }) => {
        const layout = layoutOf(taskCount, edges);
        for (const [from, to] of edges) expect(layout.y[to]!).toBeGreaterThan(layout.y[from]!);
        expect(overlaps(layout)).toBe(0);
        for (let task = 0; task < taskCount; task++) {
          expect(layout.x[task]!).toBeGreaterThanOrEqual(0);
          expect(layout.x[task]! + taskBox.width).toBeLessThanOrEqual(layout.width + 0.01);
          expect(layout.y[task]! + taskBox.height).toBeLessThanOrEqual(layout.height + 0.01);
        }
      }),
    );
  });

  it("draws the diamond as a diamond", () => {
    const { x, y } = layoutOf(4, [
      [0, 1],
      [0, 2],
      [1, 3],
      [2, 3],
    ]);
    expect(x[0]).toBe(x[3]);
    expect((x[1]! + x[2]!) / 2).toBe(x[0]);
    expect(y[1]).toBe(y[2]);
  });

  it("keeps parallel pipelines straight", () => {
    const { x } = layoutOf(6, [
      [0, 2],
      [1, 3],
      [2, 4],
      [3, 5],
    ]);
    expect([x[2], x[4]]).toEqual([x[0], x[0]]);
    expect([x[3], x[5]]).toEqual([x[1], x[1]]);
  });

  it("wraps a bag of 200 and its merging task into a picture about as high as wide", () => {
    const layout = layoutOf(
      201,
      Array.from({ length: 200 }, (_, task) => [task, 200] as const),
    );
    expect(layout.width / layout.height).toBeGreaterThan(1);
    expect(layout.width / layout.height).toBeLessThan(2.5);
    expect(layout.y[200]).toBe(Math.max(...layout.y));
    expect(overlaps(layout)).toBe(0);
  });

  it("sets tasks without edges apart, below", () => {
    const { y } = layoutOf(4, [[0, 1]]);
    expect(Math.min(y[2]!, y[3]!)).toBeGreaterThan(y[1]!);
  });

  it("draws a graph with a cycle too, and an empty one", () => {
    const layout = layoutOf(3, [
      [0, 1],
      [1, 2],
      [2, 1],
    ]);
    expect(overlaps(layout)).toBe(0);
    expect(layoutOf(0, [])).toMatchObject({ width: 0, height: 0 });
  });
});

describe("spread", () => {
  it("leaves those alone that do not collide, and shares the room between those that do", () => {
    expect([...spread(Float64Array.of(0, 10, 10, 40), 4)]).toEqual([0, 8, 12, 40]);
    expect([...spread(Float64Array.of(5, 5, 5), 2)]).toEqual([3, 5, 7]);
    expect([...spread(Float64Array.of(9, 1), 2)]).toEqual([4, 6]);
  });
});
