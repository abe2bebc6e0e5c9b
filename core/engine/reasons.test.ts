import { describe, expect, it } from "vitest";
import { describeEvent, describeOutcome, describeWaiting } from "./reasons";

const name = (task: number) => `t${task}`;

describe("reasons in words", () => {
  it("say how an attempt ended", () => {
    expect(describeOutcome({ is: "failed", reason: "exit-code", exitCode: 3 })).toBe(
      "The program ended with exit code 3.",
    );
    expect(describeOutcome({ is: "failed", reason: "output-missing", detail: "no.txt" })).toBe(
      "The program ended well but did not write all of its output files: no.txt.",
    );
    expect(describeOutcome({ is: "lost", reason: "agent-silent" })).toBe(
      "The agent that ran the task was not heard of any more.",
    );
    expect(describeOutcome({ is: "inputs-missing", files: ["a b.txt"] })).toMatch(/^The input file a b.txt is gone;/);
  });

  it("say what happened to a run", () => {
    expect(describeEvent("run-started", { tasks: 2000, done: 0 })).toBe("The run started with 2,000 tasks.");
    expect(describeEvent("run-ended", { state: "failed", finished: 1, failed: 2, waiting: 3, cancelled: 0 })).toBe(
      "The run failed: 1 task finished, 2 failed, 3 never became ready.",
    );
    expect(describeEvent("attempt-failed", { ordinal: 2, host: "n1", reason: "signal", signal: "SIGSEGV" })).toBe(
      "Attempt 2 on n1: The program was ended by signal SIGSEGV.",
    );
    expect(describeEvent("attempt-retried", { failures: 1, retries: 1 })).toBe(
      "The task will be tried again: 1 of 1 retry used.",
    );
    expect(
      describeEvent("waiting-for-cluster", {
        ready: 1,
        reason: "no-cluster-allowed",
        disabled: "",
        adminsOnly: "local",
      }),
    ).toBe("1 task could run: no cluster may be used (for admins only: local).");
  });

  it("stay sentences when arguments are missing or strange", () => {
    expect(describeEvent("attempt-failed", {})).toBe("Attempt 0: The attempt failed.");
    expect(describeEvent("attempt-lost", { ordinal: 1, reason: "cancelled" })).toMatch(/\.$/);
  });

  it("say why a task waits", () => {
    const unfinished = [1, 2];
    expect(describeWaiting({ is: "predecessors", unfinished, count: 4, failed: [] }, name)).toBe(
      "It waits for t1, t2 and 2 more.",
    );
    expect(describeWaiting({ is: "predecessors", unfinished, count: 2, failed: [2] }, name)).toBe(
      "It cannot run, because a task it needs has failed: t2.",
    );
    expect(describeWaiting({ is: "busy", slots: 4, ahead: 1, others: 0 }, name)).toBe(
      "It could run: all 4 slots are busy, 1 other task of this run waits too.",
    );
  });
});
