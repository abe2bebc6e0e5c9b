import { describe, expect, it } from "vitest";
import { cancelled, failed, run1, Stage } from "./reactor-for-tests";

const commandsDone = (stage: Stage) =>
  stage.ports.records.flatMap((record) => (record.is === "command-done" ? [record.command] : []));

describe("kill", () => {
  function going(): Stage {
    const stage = new Stage();
    stage.join("a1", 2);
    stage.submit({ tasks: 4, edges: [[0, 3]] });
    stage.heard();
    return stage;
  }

  it("cancels what has not started and is done when nothing is in flight", () => {
    const stage = going();
    stage.command("kill");
    expect(stage.heard()).toEqual(["cancel a1 0.1", "cancel a1 1.1"]);
    expect(stage.states(4)).toBe("running running cancelled cancelled");
    stage.end("a1", "0.1", cancelled);
    expect([stage.runState(), commandsDone(stage)]).toEqual(["running", []]);
    stage.end("a1", "1.1");
    expect(stage.states(4)).toBe("cancelled finished cancelled cancelled");
    expect([stage.runState(), commandsDone(stage)]).toEqual(["killed", ["kill-1"]]);
    expect(stage.heard()).toEqual(["acknowledge a1 0.1", "acknowledge a1 1.1"]);
  });

  it("does not wait for an agent that is gone", () => {
    const stage = going();
    stage.command("kill");
    stage.pass(31);
    expect(stage.runState()).toBe("killed");
  });

  it("is told again to an agent that still has the attempt; one that never got it has nothing to stop", () => {
    const stage = going();
    stage.command("kill");
    stage.heard();
    stage.inventory("a1", ["0.1"]);
    expect(stage.heard()).toEqual(["cancel a1 0.1"]);
    expect(stage.states(4)).toBe("running cancelled cancelled cancelled");
  });

  it("changes nothing when it is repeated, or when the run is over", () => {
    const stage = going();
    stage.command("kill");
    stage.command("kill");
    stage.end("a1", "0.1", cancelled);
    stage.end("a1", "1.1", cancelled);
    stage.command("kill");
    stage.command("kill", "kill-2");
    expect(commandsDone(stage)).toEqual(["kill-1", "kill-2"]);
    expect(stage.ports.events().filter((code) => code === "run-killed")).toHaveLength(1);
  });

  it("of a run in which everything succeeds meanwhile leaves it succeeded", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({ tasks: 1 });
    stage.command("kill");
    stage.end("a1", "0.1");
    expect(stage.runState()).toBe("succeeded");
  });
});

describe("retry-failed", () => {
  it("reopens a failed run and gives its tasks all their retries again", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({ tasks: 2, edges: [[0, 1]], retries: 1 });
    stage.end("a1", "0.1", failed);
    stage.end("a1", "0.2", failed);
    expect(stage.runState()).toBe("failed");
    stage.command("retry-failed");
    expect([stage.runState(), stage.states(2)]).toEqual(["running", "running waiting"]);
    stage.end("a1", "0.3", failed);
    stage.end("a1", "0.4");
    stage.end("a1", "1.1");
    expect(stage.runState()).toBe("succeeded");
  });

  it("takes up a killed run where it was", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({
      tasks: 3,
      edges: [
        [0, 1],
        [1, 2],
      ],
    });
    stage.end("a1", "0.1");
    stage.command("kill");
    stage.end("a1", "1.1", cancelled);
    expect(stage.states(3)).toBe("finished cancelled cancelled");
    stage.command("retry-failed");
    expect(stage.states(3)).toBe("finished running waiting");
    expect(stage.runState()).toBe("running");
  });

  it("works while the run goes on, once for each command", () => {
    const stage = new Stage();
    stage.join("a1", 2);
    stage.submit({ tasks: 2, retries: 0 });
    stage.end("a1", "0.1", failed);
    stage.command("retry-failed");
    stage.end("a1", "0.2", failed);
    stage.command("retry-failed");
    expect(stage.states(2)).toBe("failed running");
    stage.command("retry-failed", "another");
    expect(stage.states(2)).toBe("running running");
  });

  it("asked while the run is being killed comes after the kill", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({ tasks: 2 });
    stage.command("kill");
    stage.command("retry-failed");
    expect(stage.states(2)).toBe("running cancelled");
    stage.heard();
    stage.end("a1", "0.1", cancelled);
    expect(commandsDone(stage)).toEqual(["kill-1", "retry-failed-1"]);
    expect([stage.runState(), stage.states(2)]).toEqual(["running", "running ready"]);
    expect(stage.heard()).toEqual(["acknowledge a1 0.1", "assign a1 0.2"]);
  });

  it("does nothing to a run that succeeded", () => {
    const stage = new Stage();
    stage.submit({ tasks: 0 });
    stage.command("retry-failed");
    expect([stage.runState(), commandsDone(stage)]).toEqual(["succeeded", ["retry-failed-1"]]);
  });

  it("of a run that is not at hand asks for it first", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    expect(stage.command("retry-failed")).toBe(false);
    stage.recover({ tasks: 2 }, { state: "failed", names: ["finished", "failed"], attempts: [] });
    expect(stage.heard()).toEqual([]);
    expect(stage.command("retry-failed")).toBe(true);
    expect(stage.heard()).toEqual(["assign a1 1.1"]);
    expect(stage.reactor.holds(run1)).toBe(true);
  });
});
