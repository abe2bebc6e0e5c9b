/** When a running task leaves its host, and what becomes of it (GW-7 to GW-11). */
import { describe, expect, it } from "vitest";
import type { Progress } from "@/core/protocol/agent";
import { attemptId } from "./ids";
import type { AdaptiveProfile, JoiningAgent, TaskProfile } from "./plan";
import type { ToAgent } from "./ports";
import { type AgentName, agentUuid, cancelled, failed, run1, Stage } from "./reactor-for-tests";
import { describeEvent, describeOutcome } from "./reasons";
import type { Settings } from "./settings";
import { worthOfMoving } from "./worth";

const movable: AdaptiveProfile = { restart: true, migrate: "forced", trouble: "fail" };
const state = (number: number) => [{ name: "state", sha256: String(number).padStart(64, "0"), size: 1000 * number }];

function stageWith(profile: TaskProfile, settings: Partial<Settings> = {}, tasks = 1): Stage {
  const stage = new Stage(settings);
  stage.submit({ tasks, profiles: [profile] });
  return stage;
}

function join(stage: Stage, name: AgentName, more: Partial<JoiningAgent> = {}, slots = 1): void {
  stage.join(name, slots, [], "local", more);
}

function tell(stage: Stage, name: AgentName, ordinal: number, progress: Omit<Progress, "attempt" | "epoch">): void {
  const attempt = attemptId({ run: run1, task: 0, ordinal });
  stage.reactor.onProgress(agentUuid(name), { attempt, epoch: stage.epoch, ...progress });
}

const move = (stage: Stage, id = "move-1") => stage.reactor.onCommand({ id, run: run1, kind: "migrate", task: 0 });
const isDone = (stage: Stage, id = "move-1") =>
  stage.ports.records.some((record) => record.is === "command-done" && record.command === id);
const lastAssignment = (stage: Stage): Extract<ToAgent, { is: "assign" }> | undefined =>
  stage.ports.sent.map(({ message }) => message).findLast((message) => message.is === "assign");
const eventsOf = (stage: Stage) =>
  stage.ports.records.flatMap((record) => (record.is === "event" ? [describeEvent(record.code, record.args)] : []));

describe("a move that somebody asks for", () => {
  it("ends the attempt with its restart files and goes on with them elsewhere", () => {
    const stage = stageWith({ adaptive: movable });
    join(stage, "a1");
    join(stage, "a2");
    tell(stage, "a1", 1, { checkpoint: { number: 1, files: state(1), at: 0 } });
    stage.heard();
    move(stage);
    expect(stage.ports.sent.map(({ message }) => message)).toEqual([
      { is: "cancel", attempt: { run: run1, task: 0, ordinal: 1 }, checkpoint: true },
    ]);
    expect(stage.states(1)).toBe("migrating");
    expect(isDone(stage)).toBe(true);
    tell(stage, "a1", 1, { checkpoint: { number: 2, files: state(2), at: 0 } });
    stage.end("a1", "0.1", cancelled);
    expect(lastAssignment(stage)).toMatchObject({ attempt: { ordinal: 2 }, restart: state(2) });
    expect(stage.heard()).toEqual(["cancel a1 0.1", "acknowledge a1 0.1", "assign a2 0.2"]);
    expect(stage.states(1)).toBe("running");
    const outcome = stage.ports.records.find((record) => record.is === "outcome");
    expect(outcome?.is === "outcome" && describeOutcome(outcome.outcome)).toBe(
      "The task moved to another host because somebody asked for it.",
    );
  });

  it("waits for a host with room while the task works on, and is done when the task is", () => {
    const stage = stageWith({ adaptive: movable });
    join(stage, "a1");
    move(stage);
    stage.pass(5, ["a1"]);
    expect([stage.states(1), isDone(stage)]).toEqual(["running", false]);
    stage.end("a1", "0.1");
    expect([stage.states(1), isDone(stage)]).toEqual(["finished", true]);
  });

  it("counts as no loss, however often it happens", () => {
    const stage = stageWith({ adaptive: movable }, { avoidLeftMs: 0, lossLimit: 3 });
    join(stage, "a1");
    join(stage, "a2");
    for (let ordinal = 1; ordinal <= 10; ordinal += 1) {
      const at: AgentName = ordinal % 2 === 1 ? "a1" : "a2";
      expect(move(stage, `move-${ordinal}`)).toBe(true);
      stage.end(at, `0.${ordinal}`, cancelled);
    }
    expect(stage.states(1)).toBe("running");
  });

  it("is not needed for a task that has ended before it was stopped", () => {
    const stage = stageWith({ adaptive: movable });
    join(stage, "a1");
    join(stage, "a2");
    move(stage);
    stage.end("a1", "0.1");
    expect([stage.states(1), stage.runState()]).toEqual(["finished", "succeeded"]);
  });

  it("starts anew where there are no restart files", () => {
    const stage = stageWith({});
    join(stage, "a1");
    join(stage, "a2");
    move(stage);
    stage.end("a1", "0.1", cancelled);
    expect(lastAssignment(stage)).toEqual({ is: "assign", attempt: { run: run1, task: 0, ordinal: 2 }, epoch: 7 });
  });
});

describe("a host that dies", () => {
  it("costs what was done since the last complete set", () => {
    const stage = stageWith({ adaptive: movable });
    join(stage, "a1");
    join(stage, "a2");
    tell(stage, "a1", 1, { checkpoint: { number: 1, files: state(1), at: 0 } });
    tell(stage, "a1", 1, { checkpoint: { number: 2, files: state(2), at: 0 } });
    stage.pass(32, ["a2"]);
    expect(lastAssignment(stage)).toMatchObject({ attempt: { ordinal: 2 }, restart: state(2) });
  });

  it("is not waited for when its job is over, and waited for longer when its job runs", () => {
    for (const [job, lostAfter] of [
      ["cancelled-by-owner", 6],
      ["running", 121],
      ["suspended", 601],
    ] as const) {
      const stage = stageWith({ adaptive: movable });
      join(stage, "a1");
      stage.reactor.onAgentJob(agentUuid("a1"), job);
      stage.pass(lostAfter - 1);
      expect(stage.states(1), job).toBe("running");
      stage.pass(1);
      expect(stage.states(1), job).toBe("ready");
    }
  });
});

describe("performance", () => {
  const seconds = (n: number, value: number) => ({ samples: [{ n, seconds: value, at: 0 }] });

  it("that breaks the contract moves the task at once, also to a lower rank", () => {
    const stage = stageWith({ rank: "Speed", adaptive: { ...movable, contract: { seconds: 40 } } });
    join(stage, "a1", { facts: { Speed: 100 } });
    join(stage, "a2", { facts: { Speed: 1 } });
    tell(stage, "a1", 1, seconds(0, 12));
    expect(stage.states(1)).toBe("running");
    tell(stage, "a1", 1, seconds(1, 41));
    expect(stage.states(1)).toBe("migrating");
    expect(eventsOf(stage).at(-1)).toBe(
      "The task leaves host-a1 for host-a2 because it was slower there than agreed (an iteration took 41 s, at most 40 s are agreed).",
    );
    stage.heard();
    stage.end("a1", "0.1", cancelled);
    expect(stage.heard()).toContain("assign a2 0.2");
  });

  it("is measured against the best iteration where that was agreed, on any host", () => {
    const stage = stageWith({ adaptive: { ...movable, contract: { factor: 2 } } });
    join(stage, "a1");
    join(stage, "a2");
    tell(stage, "a1", 1, seconds(0, 10));
    tell(stage, "a1", 1, seconds(1, 19));
    expect(stage.states(1)).toBe("running");
    // The same told again is no news.
    tell(stage, "a1", 1, seconds(1, 25));
    expect(stage.states(1)).toBe("running");
    tell(stage, "a1", 1, seconds(2, 21));
    expect(stage.states(1)).toBe("migrating");
  });

  it("is judged by the user's own evaluator, and by nobody for a task that wants to stay", () => {
    for (const [migrate, after] of [
      ["forced", "migrating"],
      ["never", "running"],
    ] as const) {
      const stage = stageWith({ adaptive: { ...movable, migrate, contract: { seconds: 1 } } });
      join(stage, "a1");
      join(stage, "a2");
      tell(stage, "a1", 1, { degraded: "too slow", ...seconds(0, 100) });
      expect(stage.states(1)).toBe(after);
    }
  });

  it("that got better before there was anywhere to go leaves the task where it is", () => {
    const stage = stageWith({ adaptive: { ...movable, contract: { seconds: 40 } } });
    join(stage, "a1");
    tell(stage, "a1", 1, seconds(0, 50));
    tell(stage, "a1", 1, seconds(1, 30));
    join(stage, "a2");
    stage.pass(3, ["a1", "a2"]);
    expect(stage.states(1)).toBe("running");
  });
});

describe("a requirement that the running task changes", () => {
  it("moves it to a host that meets it", () => {
    const stage = stageWith({ adaptive: movable });
    join(stage, "a1", { facts: { Memory: 256 } });
    join(stage, "a2", { facts: { Memory: 1024 } });
    tell(stage, "a1", 1, { requirement: "Memory >= 512\n" });
    expect(stage.states(1)).toBe("migrating");
    stage.heard();
    stage.end("a1", "0.1", cancelled);
    expect(stage.heard()).toEqual(["acknowledge a1 0.1", "assign a2 0.2"]);
  });

  it("that its host meets changes nothing for now, and counts later", () => {
    const stage = stageWith({ adaptive: movable });
    join(stage, "a1", { facts: { Memory: 1024, FreeMemory: 800 } });
    tell(stage, "a1", 1, { requirement: "(Mds-Memory-Ram-freeMB>=512)" });
    tell(stage, "a1", 1, { requirement: "Memory >= 512" });
    expect(stage.states(1)).toBe("running");
    join(stage, "a2", { facts: { Memory: 100 } });
    stage.end("a1", "0.1", { is: "lost", reason: "shim-vanished" });
    stage.pass(1, ["a1", "a2"]);
    expect(stage.states(1)).toBe("running");
    expect(lastAssignment(stage)?.attempt.ordinal).toBe(2);
    expect(stage.ports.sent.at(-1)?.agent).toBe(agentUuid("a1"));
  });

  it("is mandatory unless it says otherwise: then the task waits for such a host", () => {
    for (const [text, after] of [
      ["Memory >= 512", "ready"],
      ["# optional\nMemory >= 512", "running"],
    ] as const) {
      const stage = stageWith({ adaptive: movable });
      join(stage, "a1", { facts: { Memory: 256 } });
      tell(stage, "a1", 1, { requirement: text });
      stage.end("a1", "0.1", cancelled);
      expect(stage.states(1).replace("migrating", "ready")).toBe(text.startsWith("#") ? "ready" : after);
    }
  });

  it("that cannot be read is told and changes nothing", () => {
    const stage = stageWith({ adaptive: movable });
    join(stage, "a1");
    tell(stage, "a1", 1, { requirement: "Memory >=" });
    expect(stage.states(1)).toBe("running");
    expect(eventsOf(stage).at(-1)).toMatch(/its new requirement cannot be read/);
  });
});

describe("a better host", () => {
  const wants: TaskProfile = { rank: "Speed", adaptive: { ...movable, migrate: "better" } };

  it("is taken when it is enough better and the move pays", () => {
    const stage = stageWith(wants, { discoverMs: 10_000 });
    join(stage, "a1", { facts: { Speed: 10 } });
    stage.reactor.onAttemptStarted(agentUuid("a1"), attemptId({ run: run1, task: 0, ordinal: 1 }), 7, 0);
    stage.pass(60, ["a1"]);
    tell(stage, "a1", 1, { checkpoint: { number: 1, files: state(1), at: stage.ports.time } });
    join(stage, "a2", { facts: { Speed: 11 } });
    stage.pass(15, ["a1", "a2"]);
    expect(stage.states(1)).toBe("running");
    join(stage, "a3", { facts: { Speed: 30 } });
    stage.pass(15, ["a1", "a2", "a3"]);
    expect(stage.states(1)).toBe("migrating");
    expect(eventsOf(stage).at(-1)).toMatch(/for host-a3 because a better host was free \(rank 30 instead of 10/);
  });

  it("is worth what it saves, less files and work done twice", () => {
    const demands = { rankGain: 1.2, moveOverheadMs: 5000 };
    const prospect = {
      ...{ rankHere: 1, rankThere: 2, ranMs: 100_000, sinceCheckpointMs: 10_000, meanRunMs: 200_000 },
      ...{ bytes: 1e6, bytesPerSecond: 1e6 },
    };
    expect(worthOfMoving(prospect, demands)).toEqual({ is: "worth", savesMs: 50_000, costsMs: 11_000 });
    expect(worthOfMoving({ ...prospect, rankThere: 1.1 }, demands).is).toBe("rank-too-low");
    expect(worthOfMoving({ ...prospect, bytes: 1e8 }, demands).is).toBe("too-dear");
    expect(worthOfMoving({ ...prospect, meanRunMs: 110_000 }, demands).is).toBe("too-dear");
    expect(worthOfMoving({ ...prospect, sinceCheckpointMs: 100_000 }, demands).is).toBe("too-dear");
  });
});

describe("a job that is suspended", () => {
  it("longer than its task allows, queueing included, moves the task", () => {
    const stage = stageWith({ adaptive: { ...movable, suspensionSeconds: 20 } });
    join(stage, "a1");
    const job = (name: string) => stage.reactor.onAgentJob(agentUuid("a1"), name);
    job("suspended");
    stage.pass(15, ["a1"]);
    job("running");
    stage.pass(30, ["a1"]);
    job("held");
    stage.pass(4, ["a1"]);
    expect(stage.states(1)).toBe("running");
    stage.pass(3, ["a1"]);
    expect(stage.states(1)).toBe("migrating");
  });
});

describe("restart files", () => {
  it("with which a task fails without getting any further are dropped", () => {
    const stage = stageWith({ adaptive: movable });
    join(stage, "a1");
    tell(stage, "a1", 1, { checkpoint: { number: 1, files: state(1), at: 0 } });
    stage.end("a1", "0.1", failed);
    expect(lastAssignment(stage)?.restart).toEqual(state(1));
    stage.end("a1", "0.2", failed);
    expect(lastAssignment(stage)).toMatchObject({ attempt: { ordinal: 3 } });
    expect(lastAssignment(stage)?.restart).toBeUndefined();
  });

  it("and a move that was under way survive the engine", () => {
    const stage = new Stage({ epoch: 8 });
    const attempt = { run: run1, task: 0, ordinal: 1 };
    stage.recover(
      { tasks: 1, profiles: [{ adaptive: movable }] },
      {
        names: ["migrating"],
        attempts: [{ task: 0, ordinal: 1, failures: 0 }],
        open: [{ attempt, epoch: 7, agent: agentUuid("a1"), cluster: "local", host: "host-a1", moving: "asked" }],
        checkpoints: [{ task: 0, ordinal: 1, files: state(3), at: 0 }],
      },
    );
    stage.join("a1", 1, [{ attempt: attemptId(attempt), epoch: 7 }]);
    expect(stage.ports.sent.at(-1)?.message).toEqual({ is: "cancel", attempt, checkpoint: true });
    join(stage, "a2");
    stage.end("a1", "0.1", cancelled, 7);
    expect(lastAssignment(stage)?.restart).toEqual(state(3));
  });
});

describe("a task whose retries are used up", () => {
  it("waits for a person where that was chosen, and goes on when one lets it", () => {
    const stage = stageWith({ retries: { times: 0 }, adaptive: { ...movable, trouble: "wait" } });
    join(stage, "a1");
    stage.end("a1", "0.1", failed);
    stage.pass(3, ["a1"]);
    expect([stage.states(1), stage.runState()]).toEqual(["ready", "running"]);
    expect(stage.reactor.whyWaiting(run1, 0)).toEqual({ is: "held" });
    stage.reactor.onCommand({ id: "resume-1", run: run1, kind: "resume", task: 0 });
    expect([stage.states(1), isDone(stage, "resume-1")]).toEqual(["running", true]);
    stage.end("a1", "0.2");
    expect(stage.runState()).toBe("succeeded");
  });
});

describe("a resource selector of the user's own", () => {
  it("decides where the task goes", () => {
    const stage = stageWith({ adaptive: movable });
    join(stage, "a1");
    join(stage, "a2");
    expect(stage.reactor.hostList({ run: run1, task: 0, ordinal: 1 })?.split("\n").length).toBe(3);
    const attempt = attemptId({ run: run1, task: 0, ordinal: 1 });
    stage.reactor.onLastWords(agentUuid("a1"), attempt, 7, undefined, [{ host: "host-a2", rank: 5 }]);
    stage.heard();
    stage.end("a1", "0.1", { is: "cancelled", reason: "moved-selected" });
    expect(stage.heard()).toEqual(["acknowledge a1 0.1", "assign a2 0.2"]);
    expect(stage.reactor.hostList({ run: run1, task: 0, ordinal: 2 })).toBeUndefined();
  });
});
