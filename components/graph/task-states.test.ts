import { describe, expect, it } from "vitest";
import { TaskState } from "@/core/engine/task-state";
import { TaskStates } from "./task-states";

describe("states of a watched run", () => {
  it("lays ranges down before single changes", () => {
    const states = new TaskStates(5);
    states.apply({ ranges: [{ from: 1, states: btoa("\x03\x03\x03") }], changes: [[2, TaskState.failed]] });
    expect([...states.bytes]).toEqual([0, 3, 4, 3, 0]);
  });

  it("ignores what lies beyond the last task", () => {
    const states = new TaskStates(2);
    states.apply({ ranges: [{ from: 1, states: btoa("\x01\x01\x01") }], changes: [[9, TaskState.failed]] });
    expect([...states.bytes]).toEqual([0, 1]);
  });

  it("tells listeners once per update, and not when nothing changed", () => {
    const states = new TaskStates(3);
    let told = 0;
    const stop = states.subscribe(() => {
      told += 1;
    });
    states.apply({
      ranges: [],
      changes: [
        [0, TaskState.running],
        [1, TaskState.running],
      ],
    });
    states.apply({ ranges: [], changes: [] });
    expect(told).toBe(1);
    expect(states.version).toBe(1);
    stop();
    states.apply({ ranges: [], changes: [[0, TaskState.finished]] });
    expect(told).toBe(1);
  });
});
