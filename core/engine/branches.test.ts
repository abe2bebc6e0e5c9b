import { describe, expect, it } from "vitest";
import type { Outcome } from "./outcome";
import { type PlanOptions, run1, Stage } from "./reactor-for-tests";

const answered = (exitCode: number): Outcome => ({ is: "succeeded", outputs: [], exitCode });

/** Task 0 decides: 1 runs after 0, 2 after 3; 3 joins them, 4 follows 2. */
const diamond: PlanOptions = {
  tasks: 5,
  edges: [
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 3],
    [2, 4],
  ],
  conditionsOf: (task) => {
    if (task === 1) return [{ before: 0, exits: [[0, 0]] }];
    return task === 2 ? [{ before: 0, exits: [[3, 4]] }] : [];
  },
  isJoin: (task) => task === 3,
};

function begun(options = diamond): Stage {
  const stage = new Stage();
  stage.join("a1", 4);
  stage.submit(options);
  return stage;
}

describe("branching on exit codes", () => {
  it("skips the branch that was not taken and what follows it, and a join goes on with the other", () => {
    const stage = begun();
    stage.end("a1", "0.1");
    expect(stage.states(5)).toBe("finished running skipped waiting skipped");
    stage.end("a1", "1.1");
    stage.end("a1", "3.1");
    expect(stage.states(5)).toBe("finished finished skipped finished skipped");
    expect(stage.runState()).toBe("succeeded");
  });

  it("takes the other branch after an exit code that somebody waits for", () => {
    const stage = begun();
    stage.end("a1", "0.1", answered(4));
    expect(stage.states(5)).toBe("finished skipped running waiting waiting");
    expect(stage.reactor.whyWaiting(run1, 1)).toEqual({ is: "skipped", because: [{ task: 0, answer: 4 }] });
  });

  it("remembers the answer over a crash", () => {
    const stage = new Stage();
    stage.recover(diamond, {
      names: ["finished", "waiting", "waiting", "waiting", "waiting"],
      attempts: [{ task: 0, ordinal: 1, failures: 0, answer: 3 }],
    });
    expect(stage.states(5)).toBe("waiting skipped ready waiting waiting");
  });

  it("skips a chain of any length at once, and the run succeeds", () => {
    const tasks = 50_000;
    const stage = begun({
      tasks,
      edges: Array.from({ length: tasks - 1 }, (_, task) => [task, task + 1] as const),
      conditionsOf: (task) => (task === 1 ? [{ before: 0, exits: [[7, 7]] }] : []),
    });
    stage.end("a1", "0.1");
    expect(stage.runState()).toBe("succeeded");
  });

  it("decides anew, on retry, about a task that a kill had cancelled", () => {
    const stage = begun();
    stage.command("kill");
    stage.end("a1", "0.1", answered(3));
    expect(stage.states(5)).toBe("finished cancelled cancelled cancelled cancelled");
    stage.command("retry-failed");
    expect(stage.states(5)).toBe("finished skipped running waiting waiting");
  });

  it("lets what has begun go on when a predecessor runs again and answers otherwise", () => {
    const stage = begun();
    stage.end("a1", "0.1", answered(3));
    stage.end("a1", "2.1", { is: "inputs-missing", files: ["f0"] });
    stage.end("a1", "0.2");
    // Task 2 had not brought anything and follows the new answer; task 1 was skipped for good.
    expect(stage.states(5)).toBe("finished skipped skipped skipped skipped");
    expect(stage.runState()).toBe("succeeded");
  });
});
