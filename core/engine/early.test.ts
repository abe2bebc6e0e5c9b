import { describe, expect, it } from "vitest";
import { agentUuid, run1, run2, Stage, succeeded, testId } from "./reactor-for-tests";

const early = [{ binding: "early" as const, cores: 2, wallSeconds: 600, processes: 4 }];

function stageWith(...clusters: string[]): Stage {
  const stage = new Stage();
  for (const cluster of clusters) {
    stage.reactor.onClusterPolicy({ cluster, enabled: true, access: "everyone", startsAgents: true });
  }
  return stage;
}

function wanted(stage: Stage) {
  return stage.ports.records.flatMap((record) => (record.is === "agent-wanted" ? [record] : []));
}

describe("early binding", () => {
  it("wants an agent for each ready task, with its resources, and gives the task to no other", () => {
    const stage = stageWith("hpc");
    stage.join("a1", 8);
    stage.submit({ tasks: 2, edges: [[0, 1]], profiles: early });
    stage.pass(5, ["a1"]);
    expect(stage.heard()).toEqual([]);
    expect(wanted(stage)).toMatchObject([
      {
        attempt: { run: run1, task: 0, ordinal: 1 },
        cluster: "hpc",
        owner: "someone",
        asks: { cores: 2, wallSeconds: 600, processes: 4 },
      },
    ]);
    expect(stage.reactor.whyWaiting(run1, 0)).toEqual({ is: "queued-at", cluster: "hpc" });
  });

  it("gives the agent that was started for an attempt exactly that one, and a second such agent nothing", () => {
    const stage = stageWith("hpc");
    stage.submit({ tasks: 3, profiles: early });
    const bound = { run: run1, task: 1, ordinal: 1 };
    stage.join("a2", 2, [], "hpc", { bound, owner: "someone" });
    stage.join("a3", 2, [], "hpc", { bound, owner: "someone" });
    stage.pass(3, ["a2", "a3"]);
    expect(stage.heard()).toEqual(["assign a2 1.1"]);
    stage.end("a2", "1.1", succeeded);
    stage.pass(3, ["a2", "a3"]);
    expect(stage.heard()).toEqual(["acknowledge a2 1.1"]);
    expect(stage.states(3)).toBe("ready finished ready");
  });

  it("wants another agent when the first is lost with the task", () => {
    const stage = stageWith("hpc");
    stage.submit({ tasks: 1, profiles: early });
    stage.join("a2", 2, [], "hpc", { bound: { run: run1, task: 0, ordinal: 1 } });
    stage.reactor.onAgentEnded(agentUuid("a2"), "node-lost");
    expect(wanted(stage).map(({ attempt }) => attempt.ordinal)).toEqual([1, 2]);
    expect(stage.ports.records).toContainEqual(
      expect.objectContaining({ is: "outcome", outcome: { is: "lost", reason: "node-lost" } }),
    );
  });

  it("tries another cluster when one starts no agent, and says why", () => {
    const stage = stageWith("hpc", "other");
    stage.submit({ tasks: 1, profiles: early });
    const [first] = wanted(stage);
    stage.reactor.onAgentNotStarted(first!.attempt, first!.at, "The queue is closed.");
    stage.pass(1);
    const clusters = wanted(stage).map(({ cluster }) => cluster);
    expect(new Set(clusters)).toEqual(new Set(["hpc", "other"]));
    // An answer to the first asking, come late, changes nothing.
    stage.reactor.onAgentNotStarted(first!.attempt, first!.at, "The queue is closed.");
    stage.pass(3);
    expect(wanted(stage)).toHaveLength(2);
    expect(stage.ports.events()).toContain("agent-not-started");
  });

  it("spreads what is wanted over the clusters, and waits while there is none", () => {
    const stage = stageWith();
    stage.submit({ tasks: 4, profiles: early });
    expect(wanted(stage)).toEqual([]);
    for (const cluster of ["hpc", "other"]) {
      stage.reactor.onClusterPolicy({ cluster, enabled: true, access: "everyone", startsAgents: true });
    }
    stage.pass(2);
    const clusters = wanted(stage).map(({ cluster }) => cluster);
    expect(clusters.sort()).toEqual(["hpc", "hpc", "other", "other"]);
  });

  it("wants the same again after a restart", () => {
    const stage = stageWith("hpc");
    stage.recover({ tasks: 2, profiles: early }, { names: ["finished", "ready"] });
    expect(wanted(stage).map(({ attempt }) => attempt.task)).toEqual([1]);
  });
});

describe("an agent of one person", () => {
  it("gets that person's tasks only", () => {
    const stage = new Stage();
    stage.join("a1", 8, [], "local", { owner: "someone" });
    stage.submit({ id: run2, tasks: 2, ownerId: "another" });
    stage.pass(2, ["a1"]);
    expect(stage.heard()).toEqual([]);
    expect(stage.reactor.whyWaiting(run2, 0)).toEqual({ is: "no-agent" });
    stage.submit({ tasks: 1, ownerId: "someone" });
    expect(stage.heard()).toEqual(["assign a1 0.1"]);
  });

  it("whose cluster cannot be used for lack of a key waits with that sentence", () => {
    const stage = new Stage();
    const problems = [{ owner: "another", sentence: "You have no key for this cluster." }];
    stage.reactor.onClusterPolicy({ cluster: "hpc", enabled: true, access: "everyone", problems });
    stage.submit({ tasks: 1, ownerId: "another" });
    stage.submit({ id: testId("r", 3), tasks: 1, ownerId: "someone" });
    expect(stage.reactor.whyWaiting(run1, 0)).toEqual({
      is: "clusters-paused",
      problems: ["hpc: You have no key for this cluster."],
    });
    expect(stage.reactor.whyWaiting(testId("r", 3), 0)).toEqual({ is: "no-agent" });
  });
});
