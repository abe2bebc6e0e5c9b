import { describe, expect, it } from "vitest";
import type { Extension } from "./ports";
import { failed, plan, run1, Stage } from "./reactor-for-tests";

const addition = { groups: [], transient: [] };

/** Task 0 hands in two: one after it, and one after that. */
const grown = (): Extension => ({
  is: "extended",
  addition,
  plan: plan({
    tasks: 4,
    edges: [
      [0, 1],
      [0, 2],
      [2, 3],
    ],
    spawns: (task) => task === 0,
  }),
});

function begun(extend: () => Extension): Stage {
  const stage = new Stage();
  stage.ports.spawner = { extend };
  stage.join("a1", 4);
  stage.submit({ tasks: 2, edges: [[0, 1]], retries: 1, spawns: (task) => task === 0 });
  return stage;
}

describe("tasks that hand in tasks", () => {
  it("adds them in the same event as the success, and runs them after it", () => {
    const stage = begun(grown);
    stage.end("a1", "0.1");
    const kinds = stage.ports.records.map(({ is }) => is);
    expect(kinds.indexOf("spawned")).toBeGreaterThan(kinds.indexOf("outcome"));
    expect(stage.states(4)).toBe("finished running running waiting");
    for (const attempt of ["1.1", "2.1", "3.1"]) stage.end("a1", attempt);
    expect(stage.runState()).toBe("succeeded");
  });

  it("takes what cannot be added for a failure of the task", () => {
    const stage = begun(() => ({ is: "refused", problem: "line 3: no" }));
    stage.end("a1", "0.1");
    expect(stage.states(2)).toBe("running waiting");
    stage.end("a1", "0.2");
    expect(stage.states(2)).toBe("failed waiting");
    const outcome = stage.ports.records.findLast((record) => record.is === "outcome");
    expect(outcome).toMatchObject({ outcome: { is: "failed", reason: "spawn-refused", detail: "line 3: no" } });
  });

  it("adds once, however often the task has to run again", () => {
    let asked = 0;
    const stage = begun(() => {
      asked += 1;
      return grown();
    });
    stage.end("a1", "0.1");
    stage.end("a1", "2.1", { is: "inputs-missing", files: ["f0"] });
    stage.end("a1", "0.2");
    expect(asked).toBe(1);
    expect(stage.ports.records.filter(({ is }) => is === "spawned")).toHaveLength(1);
  });

  it("does not ask after a failure", () => {
    const stage = begun(() => {
      throw new Error("nobody succeeded");
    });
    stage.end("a1", "0.1", failed);
    expect(stage.states(2)).toBe("running waiting");
  });

  it("cancels what is added to a run that is being killed, and runs it on retry", () => {
    const stage = begun(grown);
    stage.command("kill");
    stage.end("a1", "0.1");
    expect(stage.states(4)).toBe("finished cancelled cancelled cancelled");
    stage.command("retry-failed");
    expect(stage.states(4)).toBe("finished running running waiting");
    expect(stage.reactor.stateOf(run1, 3)).toBe(0);
  });
});
