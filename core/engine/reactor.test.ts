import { describe, expect, it } from "vitest";
import { failed, plan, run1, run2, Stage } from "./reactor-for-tests";

const diamond = {
  tasks: 4,
  edges: [
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 3],
  ],
} as const;

describe("a run", () => {
  it("runs a diamond in the order of its files and succeeds", () => {
    const stage = new Stage();
    stage.join("a1", 4);
    stage.submit(diamond);
    expect(stage.heard()).toEqual(["assign a1 0.1"]);
    stage.end("a1", "0.1");
    expect(stage.heard()).toEqual(["acknowledge a1 0.1", "assign a1 1.1", "assign a1 2.1"]);
    stage.end("a1", "2.1");
    expect(stage.heard()).toEqual(["acknowledge a1 2.1"]);
    stage.end("a1", "1.1");
    expect(stage.heard()).toEqual(["acknowledge a1 1.1", "assign a1 3.1"]);
    expect(stage.runState()).toBe("running");
    stage.end("a1", "3.1");
    expect(stage.states(4)).toBe("finished finished finished finished");
    expect(stage.runState()).toBe("succeeded");
  });

  it("counts tasks marked done as finished from the start", () => {
    const stage = new Stage();
    stage.join("a1", 4);
    stage.submit({ ...diamond, doneTasks: [0, 1] });
    expect(stage.heard()).toEqual(["assign a1 2.1"]);
    expect(stage.states(4)).toBe("finished finished running waiting");
  });

  it("succeeds at once when it has nothing to do", () => {
    const stage = new Stage();
    stage.submit({ tasks: 0 });
    stage.submit({ tasks: 2, doneTasks: [0, 1], id: run2 });
    expect([stage.runState(), stage.runState(run2)]).toEqual(["succeeded", "succeeded"]);
  });

  it("goes on with independent parts after a permanent failure, then ends as failed", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    stage.submit({
      tasks: 4,
      edges: [
        [0, 2],
        [1, 3],
      ],
      retries: 0,
    });
    stage.end("a1", "0.1", failed);
    expect(stage.runState()).toBe("running");
    stage.end("a1", "1.1");
    stage.end("a1", "3.1");
    expect(stage.states(4)).toBe("failed finished waiting finished");
    expect(stage.runState()).toBe("failed");
  });

  it("is taken once, however often it is submitted", () => {
    const stage = new Stage();
    stage.join("a1", 4);
    stage.submit({ tasks: 2 });
    stage.submit({ tasks: 2 });
    expect(stage.heard()).toEqual(["assign a1 0.1", "assign a1 1.1"]);
    expect(stage.ports.events()).toEqual(["run-started"]);
  });

  it("is let go some time after its end", () => {
    const stage = new Stage({ keepEndedMs: 10_000 });
    stage.join("a1", 1);
    stage.submit({ tasks: 1 });
    stage.end("a1", "0.1");
    stage.pass(9, ["a1"]);
    expect(stage.reactor.holds(run1)).toBe(true);
    stage.pass(1, ["a1"]);
    expect(stage.reactor.holds(run1)).toBe(false);
  });
});

describe("a run that ended", () => {
  it("is held as long as the journal does not know of its end", () => {
    const stage = new Stage({ keepEndedMs: 10_000 });
    let commit = () => {};
    stage.ports.journal.afterCommit = (action) => {
      commit = action;
    };
    stage.submit({ tasks: 0 });
    stage.pass(60);
    expect(stage.reactor.holds(run1)).toBe(true);
    commit();
    stage.pass(1);
    expect(stage.reactor.holds(run1)).toBe(false);
  });
});

describe("handing out", () => {
  it("appends the intent and the new state before the message", () => {
    const stage = new Stage();
    stage.join("a1", 1);
    let recorded: string[] = [];
    const append = stage.ports.journal.append;
    const order: string[] = [];
    stage.ports.journal.append = (record) => {
      order.push(record.is);
      append(record);
    };
    stage.ports.agents.send = (_agent, message) => {
      if (message.is === "assign") recorded = [...order];
    };
    stage.submit({ tasks: 1 });
    expect(recorded.slice(-2)).toEqual(["attempt", "task-state"]);
  });

  it("never promises more than an agent's slots", () => {
    const stage = new Stage();
    stage.submit({ tasks: 10 });
    stage.join("a1", 3);
    expect(stage.heard()).toHaveLength(3);
    stage.end("a1", "1.1");
    expect(stage.heard()).toEqual(["acknowledge a1 1.1", "assign a1 3.1"]);
  });

  it("spreads tasks over agents", () => {
    const stage = new Stage();
    stage.join("a1", 2);
    stage.join("a2", 2);
    stage.submit({ tasks: 3 });
    expect(stage.heard()).toEqual(["assign a1 0.1", "assign a2 1.1", "assign a1 2.1"]);
  });

  it("lets runs take turns, so that a large one does not starve a small one", () => {
    const stage = new Stage();
    stage.submit({ tasks: 100 });
    stage.submit({ tasks: 100, id: run2, ownerAdmin: true });
    stage.join("a1", 6);
    const runs = stage.ports.sent.map(({ message }) => ("attempt" in message ? message.attempt.run : ""));
    expect(runs).toEqual([run1, run2, run1, run2, run1, run2]);
  });

  it("uses a cluster for admins only when told so, and not at all when it is switched off", () => {
    const stage = new Stage();
    stage.reactor.onClusterPolicy({ cluster: "local", enabled: true, access: "admins" });
    stage.join("a1", 4);
    stage.submit({ tasks: 1 });
    expect(stage.heard()).toEqual([]);
    stage.submit({ tasks: 1, id: run2, ownerAdmin: true });
    expect(stage.heard()).toEqual(["assign a1 0.1"]);
    stage.reactor.onClusterPolicy({ cluster: "local", enabled: false, access: "everyone" });
    expect(stage.heard()).toEqual([]);
    stage.reactor.onClusterPolicy({ cluster: "local", enabled: true, access: "everyone" });
    expect(stage.heard()).toEqual(["assign a1 0.1"]);
  });

  it("uses no cluster whose policy it does not know", () => {
    const stage = new Stage();
    stage.join("a1", 1, [], "elsewhere");
    stage.submit({ tasks: 1 });
    expect(stage.heard()).toEqual([]);
  });
});

describe("why a task waits", () => {
  it("names unfinished predecessors, and says when one has failed", () => {
    const stage = new Stage();
    stage.submit({ ...diamond, retries: 0 });
    expect(stage.reactor.whyWaiting(run1, 3)).toEqual({ is: "predecessors", unfinished: [1, 2], count: 2, failed: [] });
    stage.join("a1", 1);
    stage.end("a1", "0.1");
    stage.end("a1", "1.1", failed);
    expect(stage.reactor.whyWaiting(run1, 3)).toMatchObject({ unfinished: [1, 2], failed: [1] });
  });

  it("tells a lack of agents from a lack of permission from a queue", () => {
    const stage = new Stage();
    stage.submit({ tasks: 3 });
    expect(stage.reactor.whyWaiting(run1, 1)).toEqual({ is: "no-agent" });
    stage.join("a1", 1);
    expect(stage.reactor.whyWaiting(run1, 1)).toEqual({ is: "busy", slots: 1, ahead: 1, others: 0 });
    expect(stage.reactor.whyWaiting(run1, 0)).toEqual({ is: "not-waiting" });
    stage.reactor.onClusterPolicy({ cluster: "local", enabled: true, access: "admins" });
    const reason = { is: "no-cluster-allowed", disabled: [], adminsOnly: ["local"] };
    expect(stage.reactor.whyWaiting(run1, 1)).toEqual(reason);
  });

  it("is told to the run once for each reason", () => {
    const stage = new Stage();
    stage.submit({ tasks: 1 });
    stage.pass(5);
    expect(stage.ports.events()).toEqual(["run-started", "waiting-for-cluster"]);
    stage.reactor.onClusterPolicy({ cluster: "local", enabled: false, access: "everyone" });
    stage.pass(5);
    expect(stage.ports.events().filter((code) => code === "waiting-for-cluster")).toHaveLength(2);
  });

  it("does not fail for a run it does not hold", () => {
    const stage = new Stage();
    expect(stage.reactor.whyWaiting(plan({ tasks: 1 }).id, 0)).toEqual({ is: "not-waiting" });
  });
});
