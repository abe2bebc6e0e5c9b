/** What a driver says of jobs that vanish from the queue. */
import { expect, test } from "vitest";
import type { ClusterJob, JobState } from "../driver";
import { smallJob } from "../jobs-for-tests";
import { JobMemory } from "./job-memory";

function job(state: JobState, id = "7"): ClusterJob {
  const { agent } = smallJob("");
  return { job: id, name: `gridloom-${agent}`, agent, state };
}

const nothing: ReadonlySet<string> = new Set();

test("a job that vanishes is told as it was until accounting had time, then judged by whether it had run", () => {
  for (const [last, judged] of [
    ["queued", "cancelled-by-owner"],
    ["held", "cancelled-by-owner"],
    ["running", "gone"],
    ["requeued", "gone"],
  ] as const) {
    const memory = new JobMemory();
    memory.take([job(last)]);
    const [missing] = memory.missing(nothing, 1_000);
    if (!missing) throw new Error("it is missing");
    expect(memory.judge(missing, 5_000).state).toBe(last);
    expect(memory.judge(missing, 30_000).state).toBe(judged);
    expect(memory.missing(nothing, 31_000)).toEqual([]);
  }
});

test("what we cancelled is cancelled, whoever the scheduler says did it", () => {
  const memory = new JobMemory();
  memory.take([job("running")]);
  memory.noteCancelled(["7"]);
  expect(memory.complete(job("cancelled-by-owner"), 0).state).toBe("cancelled");
  expect(memory.complete(job("failed"), 0).state).toBe("cancelled");
  // It was faster than we.
  expect(memory.complete(job("completed"), 0).state).toBe("completed");
  const [missing] = memory.missing(nothing, 1_000);
  expect(missing && memory.judge(missing, 1_000).state).toBe("cancelled");
});

test("elements of arrays get their agents by index", () => {
  const memory = new JobMemory();
  const [first, second] = [smallJob("").agent, smallJob("").agent];
  const told = { job: "5.2", name: "gridloom-array", state: "running", array: { id: "5", index: 2 } } as const;
  expect(memory.unknownArrays([told])).toEqual(["5"]);
  memory.noteArray("5", [first, second]);
  expect(memory.unknownArrays([told])).toEqual([]);
  expect(memory.complete(told, 1)).toEqual({ job: "5.2", name: `gridloom-${second}`, agent: second, state: "running" });
});

test("an end is told again for a while, until the scheduler shows the job itself", () => {
  const memory = new JobMemory();
  const ended = job("completed");
  expect(memory.endedLately([ended], nothing, 0)).toEqual([ended]);
  expect(memory.endedLately([], nothing, 60_000)).toEqual([ended]);
  expect(memory.endedLately([], new Set(["7"]), 61_000)).toEqual([]);
  memory.endedLately([ended], nothing, 0);
  expect(memory.endedLately([], nothing, 3_600_000)).toEqual([]);
});
