import { expect, test } from "vitest";
import { runUnderFire } from "./under-fire-for-tests";

test("parts killed at any time: the run finishes by itself, each task starts once and is recorded once", async () => {
  const tasks = 100;
  const victims = ["agent", "engine", "gateway", "web", "agent", "agent", "engine", "engine", "gateway"];
  const survived = await runUnderFire({
    tasks,
    kills: victims.map((part) => ({ part, afterMs: 600 })),
    patienceMs: 90_000,
  });
  expect(survived.kills).toBe(victims.length);
  expect(survived.state).toBe("succeeded");
  expect(survived.starts).toEqual(new Array(tasks).fill(1));
  expect(survived.succeeded).toEqual({ outcomes: tasks, tasks });
});
