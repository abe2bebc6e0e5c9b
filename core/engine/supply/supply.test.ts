import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededRandom } from "@/core/simulation/random";
import type { Demand } from "../demand";
import { agentAsked, agentEnded, agentStarted, defaultFactory, type History } from "../factory";
import { defaultIdleRules } from "../overlay";
import { planSupply, type SupplyQuestion } from "./supply";
import { type SupplyCluster, targetKey } from "./targets";

function cluster(id: string, more: Partial<SupplyCluster> = {}): SupplyCluster {
  return { id, mode: "enabled", slotsPerAgent: 1, maxAgents: 100, maxQueued: 100, perMinute: 100, ...more };
}

interface Wanted extends Partial<Demand> {
  cores?: number;
  memoryBytes?: number;
  named?: Record<string, number>;
}

function wants(ready: number, clusters: string[], more: Wanted = {}): Demand {
  const { cores = 1, memoryBytes = 0, named = {}, ...rest } = more;
  const asks = { cores, memoryBytes, diskBytes: 0, named };
  return { run: "r", owner: "ada", ownerAdmin: false, ready, asks, clusters, ...rest };
}

const factory = { ...defaultFactory, maxPending: 1000 };

function plan(question: Partial<SupplyQuestion> & Pick<SupplyQuestion, "clusters">, seed = 1) {
  const full = { now: 0, demand: [], history: new Map(), factory, idle: defaultIdleRules, ...question };
  return planSupply(full, new SeededRandom(seed));
}

const asked = ({ requests }: ReturnType<typeof plan>) =>
  Object.fromEntries(requests.map(({ cluster: id, owner, agents }) => [owner ? `${id}/${owner}` : id, agents]));

describe("what is asked for", () => {
  it("is what the waiting tasks can use, in agents of the cluster's size", () => {
    const clusters = [cluster("a", { slotsPerAgent: 4 })];
    expect(asked(plan({ clusters, demand: [wants(10, ["a"])] }))).toEqual({ a: 3 });
    expect(asked(plan({ clusters, demand: [wants(3, ["a"], { cores: 2 })] }))).toEqual({ a: 2 });
    expect(plan({ clusters, demand: [] }).requests).toEqual([]);
  });

  it("is nothing where the task may not go, or would not fit", () => {
    const clusters = [
      cluster("wrong"),
      cluster("small"),
      cluster("little", { slotsPerAgent: 2, memoryBytesPerAgent: 100 }),
      cluster("short", { slotsPerAgent: 2, wallSeconds: 50 }),
      cluster("blind", { slotsPerAgent: 2 }),
      cluster("good", { slotsPerAgent: 2, namedPerAgent: { Gpus: 1 }, wallSeconds: 100 }),
    ];
    const allowed = ["small", "little", "short", "blind", "good"];
    const row = wants(1, allowed, { cores: 2, memoryBytes: 200, named: { Gpus: 1 }, wallSeconds: 60 });
    for (let seed = 1; seed < 30; seed += 1)
      expect(asked(plan({ clusters, demand: [row] }, seed))).toEqual({ good: 1 });
  });

  it("takes off agents that are coming, and those that began after the demand was told", () => {
    const history: History = new Map();
    for (let i = 0; i < 4; i += 1) agentAsked(history, "a", `p${i}`, 0);
    agentStarted(history, "a", "old", 0);
    agentStarted(history, "a", "new", 900);
    const demand = [wants(10, ["a"])];
    expect(asked(plan({ clusters: [cluster("a")], demand, history, now: 1000, toldAt: 500 }))).toEqual({ a: 5 });
  });

  it("is not stopped by what waits on a cluster that this work may not use", () => {
    const history: History = new Map();
    for (let i = 0; i < 10; i += 1) agentAsked(history, "a", `p${i}`, 0);
    const clusters = [cluster("a"), cluster("b")];
    expect(asked(plan({ clusters, demand: [wants(10, ["b"])], history }))).toEqual({ b: 10 });
  });

  it("keeps agents without work where a cluster is to", () => {
    const history: History = new Map();
    agentStarted(history, "a", "x", 0);
    expect(asked(plan({ clusters: [cluster("a", { keep: 3 })], history, now: 60_000 }))).toEqual({ a: 2 });
  });

  it("says which limit holds a full cluster back", () => {
    const history: History = new Map();
    for (let i = 0; i < 2; i += 1) agentAsked(history, "queue", `q${i}`, 0);
    const clusters = [cluster("queue", { maxQueued: 2 }), cluster("rate", { perMinute: 0 })];
    expect(plan({ clusters, demand: [wants(9, ["queue", "rate"])], history }).heldBack).toEqual([
      { cluster: "queue", code: "max-queued", limit: 2 },
      { cluster: "rate", code: "per-minute", limit: 0 },
    ]);
  });

  it("MAX_PENDING holds for all clusters together", () => {
    const clusters = [cluster("a"), cluster("b")];
    const answer = plan({ clusters, demand: [wants(90, ["a", "b"])], factory: { ...factory, maxPending: 7 } });
    expect(answer.requests.reduce((sum, { agents }) => sum + agents, 0)).toBe(7);
    expect(answer.enough).toBe("max-pending");
  });

  it("the simple kind keeps its number, whatever the demand", () => {
    const clusters = [cluster("a"), cluster("b")];
    expect(asked(plan({ clusters, factory: { ...factory, kind: "simple", agents: 6 } }))).toEqual({ a: 3, b: 3 });
  });
});

describe("accounts", () => {
  const own = cluster("a", { owners: ["ada", "bob"], shared: false });

  it("work goes under its owner's account, or the shared one, or nowhere", () => {
    const demand = [wants(2, ["a"]), wants(3, ["a"], { owner: "eve" })];
    expect(asked(plan({ clusters: [own], demand }))).toEqual({ "a/ada": 2 });
    expect(asked(plan({ clusters: [{ ...own, shared: true }], demand }))).toEqual({ "a/ada": 2, a: 3 });
  });

  it("share the cluster's limits evenly", () => {
    const history: History = new Map();
    for (let i = 0; i < 4; i += 1) agentStarted(history, targetKey("a", "ada"), `x${i}`, 0);
    const demand = [wants(50, ["a"]), wants(50, ["a"], { owner: "bob" })];
    const answer = plan({ clusters: [{ ...own, maxAgents: 10 }], demand, history, now: 60_000 });
    expect(asked(answer)).toEqual({ "a/ada": 3, "a/bob": 3 });
  });

  it("have a history of their own: one that fails does not hold the others back", () => {
    const history: History = new Map();
    agentAsked(history, targetKey("a", "ada"), "x", 0);
    agentEnded(history, targetKey("a", "ada"), "x", false, 10, factory);
    const demand = [wants(5, ["a"]), wants(5, ["a"], { owner: "bob" })];
    const answer = plan({ clusters: [own], demand, history, now: 20 });
    expect(asked(answer)).toEqual({ "a/bob": 5 });
    expect(answer.heldBack).toEqual([{ cluster: "a", owner: "ada", code: "backing-off", until: 10_010 }]);
  });
});

describe("agents nobody needs", () => {
  const idle = { ...defaultIdleRules, idleMs: 1000 };
  const pending = (...at: number[]) => {
    const history: History = new Map();
    for (const [i, when] of at.entries()) agentAsked(history, "a", `p${i}`, when);
    return history;
  };

  it("are cancelled in the queue after a while, the last ones first", () => {
    const question = { clusters: [cluster("a")], demand: [wants(1, ["a"])], history: pending(0, 100, 200), idle };
    expect(plan({ ...question, now: 1150 }).ending.map(({ agent }) => agent)).toEqual(["p1"]);
    expect(plan({ ...question, now: 1200 }).ending.map(({ agent }) => agent)).toEqual(["p2", "p1"]);
    expect(plan({ ...question, now: 1200 }).ending[0]).toEqual({
      agent: "p2",
      cluster: "a",
      pending: true,
      code: "no-demand",
      sinceMs: 1000,
    });
  });

  it("are ended when they have had nothing to do for a while, but for those that are kept", () => {
    const history: History = new Map();
    for (const agent of ["x", "y", "z"]) agentStarted(history, "a", agent, 0);
    const idleSince = new Map([
      ["x", 0],
      ["y", 500],
      ["z", 0],
    ]);
    const question = { history, idle, idleSince, now: 1200 };
    const ended = (keep: number) =>
      plan({ ...question, clusters: [cluster("a", { keep })] }).ending.map(({ agent, code }) => `${agent} ${code}`);
    expect(ended(0)).toEqual(["x no-work", "z no-work"]);
    expect(ended(2)).toEqual(["x no-work"]);
    const simple = plan({ ...question, clusters: [cluster("a")], factory: { ...factory, kind: "simple", agents: 3 } });
    expect(simple.ending).toEqual([]);
  });

  it("go at once where the cluster is drained", () => {
    const history = pending(0);
    agentStarted(history, "a", "x", 0);
    agentStarted(history, "a", "busy", 0);
    const clusters = [cluster("a", { mode: "draining" })];
    const { ending } = plan({
      clusters,
      demand: [wants(9, ["a"])],
      history,
      idle,
      idleSince: new Map([["x", 10]]),
      now: 10,
    });
    expect(ending.map(({ agent, pending: queued, code }) => [agent, queued, code])).toEqual([
      ["p0", true, "draining"],
      ["x", false, "draining"],
    ]);
  });
});

describe("laws", () => {
  const small = fc.integer({ min: 0, max: 8 });
  const world = fc.record({
    clusters: fc.array(
      fc.record({
        slotsPerAgent: fc.integer({ min: 1, max: 3 }),
        maxAgents: small,
        maxQueued: small,
        perMinute: small,
        own: fc.boolean(),
        pending: fc.integer({ min: 0, max: 2 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    demand: fc.array(fc.record({ ready: small, owner: fc.constantFrom("ada", "bob"), on: fc.nat(15) }), {
      maxLength: 5,
    }),
    maxPending: small,
    kind: fc.constantFrom("heuristic", "hybrid"),
    seed: fc.integer(),
  });

  it("no gateway is flooded: limits hold for all accounts together, and nothing is asked for that no task could use", () => {
    fc.assert(
      fc.property(world, ({ clusters: drawn, demand: rows, maxPending, kind, seed }) => {
        const history: History = new Map();
        const clusters = drawn.map(({ own, pending, ...limits }, i) => {
          const owners = own ? { owners: ["ada", "bob"], shared: false } : {};
          for (let p = 0; p < pending; p += 1)
            agentAsked(history, targetKey(`c${i}`, own ? "ada" : undefined), `c${i}-${p}`, 0);
          return cluster(`c${i}`, { ...limits, ...owners });
        });
        const demand = rows.map(({ ready, owner, on }) =>
          wants(
            ready,
            clusters.flatMap(({ id }, i) => (on & (1 << i) ? [id] : [])),
            { owner },
          ),
        );
        const answer = plan({ clusters, demand, history, factory: { ...factory, kind, maxPending } }, seed);
        const newOn = (id: string) =>
          answer.requests.reduce((sum, { cluster: of, agents }) => sum + (of === id ? agents : 0), 0);
        let total = 0;
        drawn.forEach(({ maxAgents, maxQueued, perMinute, pending, slotsPerAgent }, i) => {
          const count = newOn(`c${i}`);
          total += count;
          if (count > 0) expect(pending + count).toBeLessThanOrEqual(Math.min(maxAgents, maxQueued, perMinute));
          const usable = demand.reduce((sum, { ready, clusters: of }) => sum + (of.includes(`c${i}`) ? ready : 0), 0);
          expect((count - 2) * slotsPerAgent).toBeLessThan(Math.max(1, usable));
        });
        const waiting = drawn.reduce((sum, { pending }) => sum + pending, 0);
        if (total > 0) expect(waiting + total).toBeLessThanOrEqual(maxPending);
      }),
      { numRuns: 500 },
    );
  });
});
