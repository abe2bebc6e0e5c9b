import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReadyQueue } from "./ready-queue";

describe("the ready queue", () => {
  it("always names the lowest task, like a sorted set would", () => {
    const step = fc.record({ add: fc.boolean(), task: fc.nat(3000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const queue = new ReadyQueue(3001);
        const model = new Set<number>();
        for (const { add, task } of steps) {
          if (add) {
            queue.add(task);
            model.add(task);
          } else {
            queue.delete(task);
            model.delete(task);
          }
          expect(queue.first()).toBe(model.size === 0 ? -1 : Math.min(...model));
          expect(queue.size).toBe(model.size);
          expect(queue.has(task)).toBe(model.has(task));
        }
      }),
      { numRuns: 50 },
    );
  });

  it("holds the last task of a million, and none of none", () => {
    const queue = new ReadyQueue(1_000_000);
    queue.add(999_999);
    expect(queue.first()).toBe(999_999);
    expect(new ReadyQueue(0).first()).toBe(-1);
  });
});
