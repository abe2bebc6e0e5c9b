import { describe, expect, it } from "vitest";
import type { RecoveredAttempt } from "./plan";
import { agentUuid, failed, held, plan, run1, run2, Stage, succeeded } from "./reactor-for-tests";
import { UnreadableRun } from "./recover";
import { TaskState } from "./task-state";

function open(task: number, ordinal: number, epoch = 3): RecoveredAttempt {
  const attempt = { run: run1, task, ordinal };
  return { attempt, epoch, agent: agentUuid("a1"), cluster: "local", host: "host-a1" };
}

describe("after a restart", () => {
  function restarted(): Stage {
    const stage = new Stage({ epoch: 4 });
    stage.recover(
      {
        tasks: 4,
        edges: [
          [0, 2],
          [1, 3],
        ],
        retries: 1,
      },
      {
        names: ["finished", "running", "ready", "waiting"],
        attempts: [
          { task: 0, ordinal: 1, failures: 0 },
          { task: 1, ordinal: 2, failures: 1 },
        ],
        open: [open(1, 2)],
      },
    );
    return stage;
  }

  it("an attempt handed out before keeps its epoch, is not handed out again, and its result counts", () => {
    const stage = restarted();
    stage.join("a1", 1, held(["1.2"], 3));
    expect(stage.heard()).toEqual([]);
    stage.end("a1", "1.2", succeeded, 3);
    expect(stage.heard()).toEqual(["acknowledge a1 1.2", "assign a1 2.1"]);
  });

  it("a result counts even before its agent has joined", () => {
    const stage = restarted();
    stage.end("a1", "1.2", succeeded, 3);
    expect(stage.heard()).toEqual(["who-is a1", "acknowledge a1 1.2"]);
    expect(stage.states(4)).toBe("waiting finished waiting ready");
  });

  it("an assignment that was never delivered is sent with the epoch it was given out in", () => {
    const stage = restarted();
    stage.join("a1", 1);
    expect(stage.ports.sent.map(({ message }) => message)).toEqual([
      { is: "assign", attempt: { run: run1, task: 1, ordinal: 2 }, epoch: 3 },
    ]);
  });

  it("failures from before count", () => {
    const stage = restarted();
    stage.end("a1", "1.2", failed, 3);
    expect(stage.states(4)).toBe("waiting failed waiting waiting");
  });

  it("agents have a time of grace to come back before their attempts are lost", () => {
    const stage = restarted();
    stage.join("a2", 2);
    stage.heard();
    stage.pass(60, ["a2"]);
    expect(stage.heard()).toEqual([]);
    stage.pass(1, ["a2"]);
    expect(stage.heard()).toEqual(["refuse a1", "assign a2 1.3"]);
  });

  it("a run that was still queued starts", () => {
    const stage = new Stage();
    stage.recover({ tasks: 1 }, { state: "queued", names: ["waiting"] });
    expect([stage.runState(), stage.states(1)]).toEqual(["running", "ready"]);
  });

  it("a run that was being killed is still being killed", () => {
    const stage = new Stage();
    stage.recover({ tasks: 2 }, { names: ["running", "cancelled"], open: [open(0, 1)] });
    stage.join("a1", 2, held(["0.1"], 3));
    expect(stage.heard()).toEqual(["cancel a1 0.1"]);
    stage.command("kill");
    stage.end("a1", "0.1", { is: "cancelled" }, 3);
    expect(stage.runState()).toBe("killed");
    expect(stage.ports.records.filter(({ is }) => is === "command-done")).toHaveLength(1);
  });

  it("an attempt of an agent that was given up meanwhile is lost at once", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.pass(31);
    stage.recover({ tasks: 1 }, { names: ["running"], open: [open(0, 1)] });
    expect(stage.states(1)).toBe("ready");
  });

  it("states that do not fit each other are mended instead of hanging the run", () => {
    const stage = new Stage();
    stage.recover({ tasks: 3, edges: [[0, 2]] }, { names: ["running", "waiting", "ready"] });
    expect(stage.states(3)).toBe("ready ready waiting");
  });
});

describe("a run whose stored states make no sense", () => {
  it("is not taken, and keeps nothing and nobody", () => {
    const stage = new Stage({ epoch: 4 });
    const states = Uint8Array.from([TaskState.running, 77]);
    const recovered = { state: "running" as const, states, attempts: [], open: [open(0, 1)] };
    expect(() => stage.reactor.onRunRecovered(plan({ tasks: 2 }), recovered)).toThrow(UnreadableRun);
    expect(stage.reactor.holds(run1)).toBe(false);
    stage.recover({ id: run2, tasks: 1 }, { names: ["ready"] });
    stage.join("a1", 1);
    expect(stage.heard()).toEqual(["assign a1 0.1"]);
  });

  it("leaves the line and gives its agent's slot back when it fails half way", () => {
    const stage = new Stage({ epoch: 4 });
    stage.join("a1", 1);
    const states = Uint8Array.from([TaskState.running, TaskState.ready]);
    const broken = {
      ...plan({ tasks: 2 }),
      get ownerAdmin(): boolean {
        throw new Error("half way");
      },
    };
    const recovered = { state: "running" as const, states, attempts: [], open: [open(0, 1)] };
    expect(() => stage.reactor.onRunRecovered(broken, recovered)).toThrow("half way");
    stage.recover({ id: run2, tasks: 1 }, { names: ["ready"] });
    expect(stage.heard()).toEqual(["assign a1 0.1"]);
  });
});
