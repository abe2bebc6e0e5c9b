import fc from "fast-check";
import { expect, it } from "vitest";
import { TaskHeap } from "./task-heap";

it("gives tasks back by priority, then by successors, then by number, whatever came and went in between", () => {
  const steps = fc.array(fc.tuple(fc.constantFrom("add", "raise", "remove", "pop"), fc.nat(9), fc.nat(3)), {
    maxLength: 60,
  });
  const successorCounts = fc.array(fc.nat(2), { minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(steps, successorCounts, (todo, counts) => {
      const offsets = new Uint32Array(11);
      counts.forEach((count, task) => {
        offsets[task + 1] = offsets[task]! + count;
      });
      const priority = new Float64Array(10);
      const heap = new TaskHeap(priority, offsets);
      const inside = new Set<number>();
      const best = () =>
        [...inside].sort((a, b) => priority[b]! - priority[a]! || counts[b]! - counts[a]! || a - b)[0] ?? -1;
      for (const [what, task, by] of todo) {
        const target = what === "pop" ? heap.first : task;
        if (what === "add" && !inside.has(task)) {
          priority[task] = by;
          heap.add(task);
          inside.add(task);
        } else if (what === "raise" && inside.has(task)) {
          priority[task]! += by;
          heap.raised(task);
        } else if ((what === "remove" || what === "pop") && inside.has(target)) {
          heap.remove(target);
          inside.delete(target);
        }
        expect(heap.first).toBe(best());
        expect(heap.has(task)).toBe(inside.has(task));
      }
    }),
  );
});
