import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededRandom } from "@/core/simulation/random";
import { type FactoryCluster, type FactorySettings, planAgents } from "./factory";
import { agentAsked, agentEnded, agentStarted, forget, type History } from "./history";

const settings: FactorySettings = {
  kind: "heuristic",
  agents: 1000,
  maxPending: 1000,
  patienceMs: 1000,
  windowMs: 10_000,
  backOffMs: 100,
  longestBackOffMs: 1000,
  steadyMs: 500,
};

function cluster(id: string, more: Partial<FactoryCluster> = {}): FactoryCluster {
  return { id, mode: "enabled", slotsPerAgent: 1, maxAgents: 500, maxQueued: 500, perMinute: 500, ...more };
}

/** So many running and pending on each cluster. */
function agents(of: Record<string, { running?: number; pending?: number; askedAt?: number }>): History {
  const history: History = new Map();
  for (const [id, { running = 0, pending = 0, askedAt = 0 }] of Object.entries(of)) {
    for (let i = 0; i < running; i++) agentStarted(history, id, `${id}-r${i}`, 0);
    for (let i = 0; i < pending; i++) agentAsked(history, id, `${id}-p${i}`, askedAt);
  }
  return history;
}

function plan(
  clusters: FactoryCluster[],
  demand: number,
  {
    history = new Map(),
    now = 0,
    seed = 1,
    ...more
  }: Partial<FactorySettings> & {
    history?: History;
    now?: number;
    seed?: number;
  } = {},
) {
  return planAgents({ now, demand, clusters, history, settings: { ...settings, ...more } }, new SeededRandom(seed));
}

const asked = ({ requests }: ReturnType<typeof plan>) =>
  Object.fromEntries(requests.map((request) => [request.cluster, request.agents]));

describe("simple", () => {
  it("keeps the number it is told, evenly, whatever the demand", () => {
    const history = agents({ a: { running: 3 }, b: { pending: 1 } });
    const answer = plan([cluster("a"), cluster("b"), cluster("c")], 0, { kind: "simple", agents: 9, history });
    expect(asked(answer)).toEqual({ b: 2, c: 3 });
    expect(answer.enough).toBe("wanted");
  });

  it("asks for nothing when the number is there, and replaces what is gone", () => {
    const history = agents({ a: { running: 5 } });
    expect(plan([cluster("a")], 100, { kind: "simple", agents: 5, history }).requests).toEqual([]);
    agentEnded(history, "a", "a-r0", true, 0, settings);
    expect(asked(plan([cluster("a")], 0, { kind: "simple", agents: 5, history }))).toEqual({ a: 1 });
  });
});

describe("heuristic", () => {
  it("finds clusters it knows nothing about through the generic slot", () => {
    const { requests } = plan([cluster("a"), cluster("b")], 200);
    expect(requests.map(({ agents: count, byGenericSlot }) => count === byGenericSlot)).toEqual([true, true]);
    for (const { agents: count } of requests) expect(count).toBeGreaterThan(70);
  });

  it("chooses in proportion to fitness, and the generic slot with 1 / (1 + Σ fitness) (equation 4.2)", () => {
    const history = agents({ good: { running: 4 }, poor: { running: 1, pending: 3, askedAt: -5000 } });
    const clusters = ["good", "poor", "new"].map((id) =>
      cluster(id, { maxAgents: 1e6, maxQueued: 1e6, perMinute: 1e6 }),
    );
    const { requests } = plan(clusters, 22_500, { history, agents: 1e6, maxPending: 1e6 });
    const of = Object.fromEntries(requests.map((request) => [request.cluster, request]));
    // Fitness 1 and 0.25, and 1 for the generic slot, a third of it each.
    expect(of.good?.byFitness).toBeGreaterThan(9700);
    expect(of.good?.byFitness).toBeLessThan(10_300);
    expect(of.poor?.byFitness).toBeGreaterThan(2350);
    expect(of.poor?.byFitness).toBeLessThan(2650);
    for (const id of ["good", "poor", "new"]) {
      expect(of[id]?.byGenericSlot).toBeGreaterThan(3150);
      expect(of[id]?.byGenericSlot).toBeLessThan(3520);
    }
  });

  it("takes off what is on its way, but does not wait for it for ever", () => {
    const history = agents({ a: { pending: 6 } });
    expect(asked(plan([cluster("a")], 10, { history, now: 900 }))).toEqual({ a: 4 });
    expect(asked(plan([cluster("a")], 10, { history, now: 1100 }))).toEqual({ a: 10 });
  });

  it("never lets more than MAX_PENDING wait, and a dead cluster that holds them all does not stop the others", () => {
    const history = agents({ dead: { pending: 5 } });
    const clusters = [cluster("dead", { maxQueued: 5 }), cluster("b")];
    const now = plan(clusters, 50, { history, maxPending: 5, now: 10 });
    expect([now.requests, now.enough]).toEqual([[], "max-pending"]);
    expect(asked(plan(clusters, 50, { history, maxPending: 5, now: 2000 }))).toEqual({ b: 5 });
  });

  it("counts the slots an agent brings", () => {
    expect(asked(plan([cluster("a", { slotsPerAgent: 8 })], 17))).toEqual({ a: 3 });
  });

  it("says of every cluster it leaves out why", () => {
    const history = agents({ full: { running: 2 }, queue: { pending: 3 }, brisk: {}, back: {}, probe: {} });
    agentAsked(history, "brisk", "x", 0);
    agentStarted(history, "brisk", "x", 0);
    for (const id of ["back", "probe"]) {
      agentAsked(history, id, `${id}-1`, 0);
      agentEnded(history, id, `${id}-1`, false, id === "back" ? 200 : 50, settings);
    }
    agentAsked(history, "probe", "probe-2", 150);
    const answer = plan(
      [
        cluster("off", { mode: "disabled" }),
        cluster("drain", { mode: "draining" }),
        cluster("full", { maxAgents: 2 }),
        cluster("queue", { maxQueued: 3 }),
        cluster("brisk", { perMinute: 1 }),
        cluster("back"),
        cluster("probe"),
        cluster("useless", { useful: 0 }),
      ],
      10,
      { history, now: 220 },
    );
    expect(answer).toEqual({
      requests: [],
      enough: "no-cluster",
      heldBack: [
        { cluster: "off", code: "disabled" },
        { cluster: "drain", code: "draining" },
        { cluster: "full", code: "max-agents", limit: 2 },
        { cluster: "queue", code: "max-queued", limit: 3 },
        { cluster: "brisk", code: "per-minute", limit: 1 },
        { cluster: "back", code: "backing-off", until: 300 },
        { cluster: "probe", code: "probing" },
        { cluster: "useless", code: "no-use" },
      ],
    });
  });

  it("tries a cluster again after a set-back with one agent first", () => {
    const history: History = new Map();
    agentAsked(history, "a", "1", 0);
    agentEnded(history, "a", "1", false, 0, settings);
    expect(plan([cluster("a")], 50, { history, now: 99 }).requests).toEqual([]);
    expect(asked(plan([cluster("a")], 50, { history, now: 100 }))).toEqual({ a: 1 });
  });

  it("gives the same answer for the same seed", () => {
    const clusters = ["a", "b", "c"].map((id) => cluster(id));
    expect(plan(clusters, 40, { seed: 7 })).toEqual(plan(clusters, 40, { seed: 7 }));
    expect(plan(clusters, 40, { seed: 7 })).not.toEqual(plan(clusters, 40, { seed: 8 }));
  });
});

describe("hybrid", () => {
  it("scales fitness by the rank in workload balancing", () => {
    const history = agents({ fast: { running: 5 }, slow: { running: 5 } });
    const clusters = [cluster("fast", { rank: 1 }), cluster("slow", { rank: 0.1 })];
    const { requests } = plan(clusters, 400, { kind: "hybrid", history });
    const [fast, slow] = requests;
    expect(fast!.byFitness).toBeGreaterThan(6 * slow!.byFitness);
    expect(slow!.byGenericSlot).toBeGreaterThan(50);
  });
});

describe("limits", () => {
  it("hold in every plan, and all that is wanted and possible is asked for", () => {
    const limit = fc.integer({ min: 0, max: 20 });
    const few = fc.integer({ min: 0, max: 3 });
    const someCluster = fc.record({
      mode: fc.constantFrom("enabled", "enabled", "enabled", "draining", "disabled"),
      slotsPerAgent: fc.integer({ min: 1, max: 4 }),
      maxAgents: limit,
      maxQueued: limit,
      perMinute: limit,
      useful: limit,
      running: few,
      pending: few,
    });
    fc.assert(
      fc.property(
        fc.array(someCluster, { maxLength: 6 }),
        fc.record({
          demand: fc.integer({ min: 0, max: 40 }),
          agents: fc.integer({ min: 0, max: 40 }),
          maxPending: limit,
        }),
        fc.constantFrom("simple", "heuristic", "hybrid"),
        fc.integer(),
        (made, { demand, agents: most, maxPending }, kind, seed) => {
          const clusters = made.map((one, i) => cluster(`c${i}`, one));
          const history = agents(Object.fromEntries(made.map((one, i) => [`c${i}`, one])));
          const answer = plan(clusters, demand, { kind, agents: most, maxPending, history, seed });
          let newAgents = 0;
          for (const request of answer.requests) {
            const at = Number(request.cluster.slice(1));
            const { mode, maxAgents, maxQueued, perMinute, useful, running, pending } = made[at]!;
            newAgents += request.agents;
            expect(mode).toBe("enabled");
            expect(running + pending + request.agents).toBeLessThanOrEqual(maxAgents);
            expect(pending + request.agents).toBeLessThanOrEqual(Math.min(maxQueued, perMinute));
            expect(request.agents).toBeLessThanOrEqual(useful);
          }
          const before = made.reduce((sum, { running, pending }) => sum + running + pending, 0);
          const waiting = made.reduce((sum, { pending }) => sum + pending, 0);
          if (newAgents > 0) {
            expect(before + newAgents).toBeLessThanOrEqual(most);
            expect(waiting + newAgents).toBeLessThanOrEqual(maxPending);
          }
          if (answer.enough === "no-cluster") {
            for (const [i, one] of made.entries()) {
              const got = answer.requests.find((request) => request.cluster === `c${i}`)?.agents ?? 0;
              const full =
                one.mode !== "enabled" ||
                one.running + one.pending + got >= one.maxAgents ||
                one.pending + got >= Math.min(one.maxQueued, one.perMinute) ||
                got >= one.useful;
              expect(full).toBe(true);
            }
          }
        },
      ),
    );
  });
});

describe("over time", () => {
  it("agents gather where they work, a black hole gets few, and a cluster that recovers is found again", () => {
    const random = new SeededRandom(3);
    const history: History = new Map();
    const clusters = ["good", "hole", "late"].map((id) =>
      cluster(id, { maxAgents: 60, maxQueued: 10, perMinute: 600 }),
    );
    const given: Record<string, number> = { good: 0, hole: 0, late: 0 };
    const ends: { at: number; id: string; agent: string; well: boolean }[] = [];
    let serial = 0;
    let lateAfterRecovery = 0;
    for (let now = 0; now < 120_000; now += 100) {
      for (const end of ends.filter(({ at }) => at <= now)) {
        agentEnded(history, end.id, end.agent, end.well, now, settings);
        ends.splice(ends.indexOf(end), 1);
      }
      forget(history, now, settings);
      const running = [...history.values()].reduce((sum, of) => sum + of.running.size, 0);
      const question = { now, demand: 80 - running, clusters, history, settings: { ...settings, maxPending: 10 } };
      for (const { cluster: id, agents: count } of planAgents(question, random).requests) {
        for (let i = 0; i < count; i++) {
          const agent = `a${serial++}`;
          given[id]! += 1;
          agentAsked(history, id, agent, now);
          agentStarted(history, id, agent, now);
          const works = id === "good" || (id === "late" && now > 60_000);
          if (id === "late" && works) lateAfterRecovery += 1;
          ends.push({ at: now + (works ? 5000 : 100), id, agent, well: works });
        }
      }
    }
    expect(given.hole).toBeLessThan(0.1 * given.good!);
    expect(lateAfterRecovery).toBeGreaterThan(0.25 * given.good!);
    expect(history.get("late")!.running.size).toBeGreaterThan(15);
  });
});
