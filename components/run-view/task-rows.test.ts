import { describe, expect, it } from "vitest";
import { TaskState } from "@/core/engine/task-state";
import { taskRows, visibleRows } from "./task-rows";

const names = ["sum10", "sum9", "Merge", "sum1"];
const states = Uint8Array.of(TaskState.finished, TaskState.failed, TaskState.waiting, TaskState.finished);
const all = { text: "", state: "all", sort: "index", descending: false } as const;

describe("rows of the task table", () => {
  it("sort numbers in names as numbers", () => {
    expect([...taskRows(names, states, { ...all, sort: "name" })]).toEqual([2, 3, 1, 0]);
  });

  it("filter by state and by part of the name in any case", () => {
    expect([...taskRows(names, states, { ...all, state: "finished" })]).toEqual([0, 3]);
    expect([...taskRows(names, states, { ...all, text: "merge " })]).toEqual([2]);
  });

  it("sort by state, and the other way round", () => {
    expect([...taskRows(names, states, { ...all, sort: "state" })]).toEqual([2, 0, 3, 1]);
    expect([...taskRows(names, states, { ...all, sort: "state", descending: true })]).toEqual([1, 3, 0, 2]);
  });

  it("keep only what can be seen in the page", () => {
    const { from, to } = visibleRows(100_000, 30, 30_000, 600);
    expect(from).toBe(988);
    expect(to).toBe(1032);
    expect(visibleRows(3, 30, 9_000, 600)).toEqual({ from: 3, to: 3 });
  });
});
