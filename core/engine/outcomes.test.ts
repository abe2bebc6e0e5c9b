import { describe, expect, it } from "vitest";
import { agentUuid, cancelled, failed, run1, Stage, succeeded } from "./reactor-for-tests";

function oneTask(retries: number, lossLimit = 5): Stage {
  const stage = new Stage({ lossLimit });
  stage.join("a1", 1);
  stage.submit({ tasks: 1, retries });
  stage.heard();
  return stage;
}

describe("the end of an attempt", () => {
  it("is recorded before it is acknowledged", () => {
    const stage = oneTask(0);
    let outcomes = 0;
    stage.ports.agents.send = (_agent, message) => {
      if (message.is === "acknowledge") outcomes = stage.ports.records.filter(({ is }) => is === "outcome").length;
    };
    stage.end("a1", "0.1");
    expect(outcomes).toBe(1);
  });

  it("is recorded once, and acknowledged as often as it is reported", () => {
    const stage = oneTask(0);
    stage.end("a1", "0.1");
    stage.end("a1", "0.1");
    stage.end("a1", "0.1", failed);
    expect(stage.heard()).toEqual(["acknowledge a1 0.1", "acknowledge a1 0.1", "acknowledge a1 0.1"]);
    expect(stage.ports.records.filter(({ is }) => is === "outcome")).toHaveLength(1);
    expect(stage.runState()).toBe("succeeded");
  });

  it("is discarded when epoch, agent or ordinal are not those of the attempt in flight", () => {
    const stage = oneTask(0);
    stage.join("a2", 1);
    stage.end("a1", "0.1", succeeded, stage.epoch - 1);
    stage.end("a2", "0.1");
    stage.end("a1", "0.2");
    stage.end("a1", "0.1", succeeded, stage.epoch, "00000000-0000-0000-0000-00000000dead");
    expect(stage.heard()).toEqual(["discard a1 0.1", "discard a2 0.1", "discard a1 0.2", "discard a1 0.1"]);
    expect(stage.states(1)).toBe("running");
  });

  it("that failed is tried again as often as the run allows, then the task fails", () => {
    const stage = oneTask(2);
    stage.end("a1", "0.1", failed);
    stage.end("a1", "0.2", failed);
    expect(stage.heard().filter((line) => line.startsWith("assign"))).toEqual(["assign a1 0.2", "assign a1 0.3"]);
    stage.end("a1", "0.3", failed);
    expect(stage.states(1)).toBe("failed");
    expect(stage.runState()).toBe("failed");
  });

  it("is not tried again when the program does not exist", () => {
    const stage = oneTask(2);
    stage.end("a1", "0.1", { is: "failed", reason: "executable-missing" });
    expect(stage.states(1)).toBe("failed");
  });

  it("that was lost, or cancelled by nobody here, takes no retry away", () => {
    const stage = oneTask(0);
    stage.end("a1", "0.1", { is: "lost", reason: "shim-vanished" });
    stage.end("a1", "0.2", cancelled);
    expect(stage.states(1)).toBe("running");
    stage.end("a1", "0.3");
    expect(stage.runState()).toBe("succeeded");
  });

  it("that is lost without end fails the task", () => {
    const stage = oneTask(0, 3);
    for (const ordinal of [1, 2, 3]) stage.end("a1", `0.${ordinal}`, { is: "lost", reason: "shim-vanished" });
    expect(stage.states(1)).toBe("failed");
  });

  it("is told from its start, which is recorded once", () => {
    const stage = oneTask(0);
    const attempt = `${run1}.0.1` as const;
    stage.reactor.onAttemptStarted(agentUuid("a1"), attempt, stage.epoch, 5);
    stage.reactor.onAttemptStarted(agentUuid("a1"), attempt, stage.epoch, 5);
    expect(stage.ports.records.filter(({ is }) => is === "attempt-started")).toHaveLength(1);
  });
});

describe("missing inputs", () => {
  const chain = {
    tasks: 4,
    edges: [
      [0, 1],
      [1, 2],
      [1, 3],
    ],
  } as const;

  it("send their producer to work again, and everyone who waits for it waits again", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit(chain);
    stage.end("a1", "0.1");
    stage.end("a1", "1.1");
    expect(stage.states(4)).toBe("finished finished running ready");
    stage.end("a1", "2.1", { is: "inputs-missing", files: ["f1"] });
    expect(stage.states(4)).toBe("finished running waiting waiting");
    stage.end("a1", "1.2");
    stage.end("a1", "2.2");
    stage.end("a1", "3.1");
    expect(stage.runState()).toBe("succeeded");
  });

  it("of the producer go back one step further", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit(chain);
    stage.end("a1", "0.1");
    stage.end("a1", "1.1");
    stage.end("a1", "2.1", { is: "inputs-missing", files: ["f1"] });
    stage.end("a1", "1.2", { is: "inputs-missing", files: ["f0"] });
    expect(stage.states(4)).toBe("running waiting waiting waiting");
    stage.end("a1", "0.2");
    stage.end("a1", "1.3");
    stage.end("a1", "2.2");
    stage.end("a1", "3.1");
    expect(stage.runState()).toBe("succeeded");
  });

  it("do not stop others that run already, and their retry waits for the producer", () => {
    const stage = new Stage();
    stage.join("a1", 2);
    stage.submit(chain);
    stage.end("a1", "0.1");
    stage.end("a1", "1.1");
    stage.end("a1", "2.1", { is: "inputs-missing", files: ["f1"] });
    stage.end("a1", "3.1", failed);
    expect(stage.states(4)).toBe("finished running waiting waiting");
    stage.end("a1", "1.2");
    expect(stage.states(4)).toBe("finished finished running running");
  });

  it("that no task makes fail the task at once", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({ tasks: 1, retries: 1 });
    stage.end("a1", "0.1", { is: "inputs-missing", files: ["given.txt"] });
    expect(stage.states(1)).toBe("failed");
  });

  it("again and again end the task, so that two hosts cannot play ping-pong for ever", () => {
    const stage = new Stage({ lossLimit: 3 });
    stage.join("a1", 1);
    stage.submit({ tasks: 2, edges: [[0, 1]] });
    for (const ordinal of [1, 2, 3]) {
      stage.end("a1", `0.${ordinal}`);
      stage.end("a1", `1.${ordinal}`, { is: "inputs-missing", files: ["f0"] });
    }
    expect(stage.states(2)).toBe("finished failed");
    expect(stage.runState()).toBe("failed");
  });
});
