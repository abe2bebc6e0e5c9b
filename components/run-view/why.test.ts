import { describe, expect, it } from "vitest";
import { TaskState } from "@/core/engine/task-state";
import { why } from "./why";

/** Tasks 0…5; task 6 reads from all of them. */
const graph = {
  predecessors: { offsets: Uint32Array.of(0, 0, 0, 0, 0, 0, 0, 6), targets: Uint32Array.of(0, 1, 2, 3, 4, 5) },
  name: (task: number) => `t${task}`,
  conditionsOf: (task: number) => (task === 6 ? [{ before: 0, exits: [[3, 4]] as const }] : []),
};
const given = (states: number[]) => why(graph, (task) => states[task] ?? 0, 6);
const { finished, running, failed, waiting, ready } = TaskState;

describe("why a task waits", () => {
  it("names what it still waits for", () => {
    expect(given([finished, finished, finished, finished, running, ready, waiting])).toBe(
      "Waits for the output of t4 and t5.",
    );
    expect(given([running, running, running, running, running, running, waiting])).toBe(
      "Waits for the output of t0, t1, t2, t3 and 2 more.",
    );
  });

  it("says that a failed task holds it back", () => {
    expect(given([failed, running, finished, finished, finished, finished, waiting])).toBe(
      "Held back: t0 failed, so its input cannot be made.",
    );
  });

  it("tells a wait for data from a wait for a slot", () => {
    expect(given([finished, finished, finished, finished, finished, finished, ready])).toContain("free slot");
  });

  it("says which branch a skipped task was on", () => {
    const { skipped } = TaskState;
    expect(given([finished, finished, finished, finished, finished, finished, skipped])).toBe(
      "Skipped: it runs only if t0 ends with exit code 3-4, and another branch was taken.",
    );
    expect(given([finished, skipped, finished, finished, finished, finished, skipped])).toContain("Skipped with t1");
  });

  it("passes on what the engine says of a ready task, and of no other", () => {
    const engine = "1 task could run: none of 2 hosts matches: Memory >= 9000.";
    const ready6 = [finished, finished, finished, finished, finished, finished, ready];
    expect(why(graph, (task) => ready6[task] ?? 0, 6, engine)).toBe(`All its inputs are there. ${engine}`);
    expect(why(graph, (task) => ready6[task] ?? 0, 5, engine)).not.toContain("Memory");
  });
});
