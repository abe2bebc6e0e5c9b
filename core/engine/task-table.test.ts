import { describe, expect, it } from "vitest";
import { adjacency } from "./reactor-for-tests";
import { ReadyQueue } from "./ready-queue";
import { TaskState } from "./task-state";
import { isLegalTransition, TaskTable, toTaskState } from "./task-table";

describe("the task table", () => {
  it("refuses every transition that is not in its table", () => {
    for (const from of Object.values(TaskState)) {
      for (const to of Object.values(TaskState)) {
        const table = new TaskTable(1, adjacency(1, []), () => new ReadyQueue(1));
        table.set(0, from);
        if (isLegalTransition(from, to)) table.move(0, to);
        else expect(() => table.move(0, to)).toThrow(/cannot go from/);
      }
    }
  });

  it("never lets a finished task fail, nor a waiting one run", () => {
    expect(isLegalTransition(TaskState.finished, TaskState.failed)).toBe(false);
    expect(isLegalTransition(TaskState.waiting, TaskState.running)).toBe(false);
  });

  it("counts as it goes", () => {
    const queue = new ReadyQueue(3);
    const table = new TaskTable(3, adjacency(3, []), () => queue);
    table.move(0, TaskState.ready);
    table.move(2, TaskState.ready);
    table.move(2, TaskState.running);
    expect([...table.counts]).toEqual([1, 1, 1, 0, 0, 0, 0, 0]);
    expect(queue.first()).toBe(0);
  });

  it("knows a byte that is no state", () => {
    expect(() => toTaskState(9)).toThrow("9 is not a task state");
  });
});
