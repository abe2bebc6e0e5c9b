import { describe, expect, it } from "vitest";
import { bag, gridOf, schedule, simulated } from "./grid-for-tests";
import type { gridSchema } from "./grid-schema";
import type { SimulationReport } from "./report";
import { simulate } from "./simulate";
import { bagOf } from "./workload";

type Written = typeof gridSchema._input;
type Factory = NonNullable<Written["factory"]>;

function grid(clusters: Written["clusters"], factory: Factory = {}) {
  return gridOf(clusters, { factory });
}

const hosts = (count: number, more: object = {}) => [{ name: "h", count, ...more }];
const of = ({ clusters }: SimulationReport, name: string) => clusters.find((cluster) => cluster.name === name)!;

describe("agents are asked for as the work needs them", () => {
  it("as many as there are tasks, not as many as there are hosts", () => {
    const result = simulated(bag(3), grid([{ name: "c", hosts: hosts(100) }]));
    expect(of(result, "c")).toMatchObject({ agents: 3, agentsAsked: 3 });
    expect(result.makespanSeconds).toBe(10);
  });

  it("a chain of tasks uses one agent, which waits for the next; one that waits too long ends itself", () => {
    const chain = "task A -e p -o a\ntask B -e p -i a -o b\ntask C -e p -i b\n";
    expect(of(simulated(chain, grid([{ name: "c", hosts: hosts(9) }])), "c").agents).toBe(1);
    const fan = `${bag(3, "-o o${n}")}task mid -e p -i o1 -i o2 -i o3 -o m\n${bag(3, "-i m").replaceAll("task t", "task u")}`;
    // While `mid` runs for 10 s two agents have nothing to do.
    const patient = simulated(fan, grid([{ name: "c", hosts: hosts(9) }], { idleSeconds: 30 }));
    expect(of(patient, "c")).toMatchObject({ agents: 3, agentsIdle: 0 });
    const hasty = simulated(fan, grid([{ name: "c", hosts: hosts(9) }], { idleSeconds: 4 }));
    expect(of(hasty, "c")).toMatchObject({ agents: 5, agentsIdle: 2 });
    expect(hasty.utilisation).toBeGreaterThan(patient.utilisation);
  });

  it("no gateway is flooded: at most so many in its queue, and so many in a minute", () => {
    const limits = { queued: 4, perMinute: 12 };
    const result = simulated(bag(200), grid([{ name: "c", queue: 20, limits, hosts: hosts(100) }]), {
      secondsPerWeight: 600,
    });
    const { mostQueued, agentsAsked } = of(result, "c");
    expect(mostQueued).toBe(4);
    expect(agentsAsked).toBe(100);
    // 100 agents at 4 in 20 s are there after 500 s, and 12 in a minute is the same.
    expect(Math.max(...result.timeline.slice(0, 100).map(({ prolog = 0 }) => prolog))).toBeGreaterThanOrEqual(480);
  });

  it("MAX_PENDING holds for all clusters together, and a dead one does not stop the others for ever", () => {
    const clusters = [
      { name: "dead", queue: 1e9, hosts: hosts(50) },
      { name: "good", queue: 1, hosts: hosts(50) },
    ];
    const factory = { maxPending: 8, patienceSeconds: 60 };
    const result = simulated(bag(100), grid(clusters, factory));
    expect(result.runs[0]?.state).toBe("succeeded");
    const queued = of(result, "dead").mostQueued + of(result, "good").mostQueued;
    expect(of(result, "good").mostQueued).toBeLessThanOrEqual(8);
    expect(queued).toBeGreaterThan(8);
    expect(of(result, "good").counted).toBe(100);
  });

  it("agents in the queue for whom nothing is left to do are taken back", () => {
    const clusters = [
      { name: "quick", hosts: hosts(5) },
      { name: "slow", queue: 1000, hosts: hosts(50) },
    ];
    const work = `${bag(50)}task last -e p -i x\n`;
    const result = simulated(work, grid(clusters, { idleSeconds: 20, patienceSeconds: 5 }), { secondsPerWeight: 40 });
    expect(of(result, "slow").agentsAsked).toBeGreaterThan(0);
    expect(of(result, "slow").agentsCancelled).toBeGreaterThan(0);
    expect(of(result, "slow").counted).toBe(0);
  });

  it("clusters whose hosts no task may use are not asked", () => {
    const clusters = [
      { name: "old", hosts: hosts(20, { os: "SOLARIS" }) },
      { name: "new", hosts: hosts(5, { os: "LINUX" }) },
    ];
    const policies = { jobRequirements: 'OpSys == "LINUX"' };
    const result = simulated(bag(20), grid(clusters), { policies });
    expect([of(result, "old").agentsAsked, of(result, "new").agentsAsked]).toEqual([0, 5]);
    expect(result.runs[0]?.state).toBe("succeeded");
    const byGrid = simulated(bag(20), grid(clusters), { policies: { gridPolicy: 'Grid == "old"' } });
    expect([of(byGrid, "old").counted, of(byGrid, "new").agentsAsked]).toEqual([20, 0]);
  });
});

describe("the kinds of factory", { timeout: 60_000 }, () => {
  const outage = { from: 0, to: 3000 };
  const three = [
    { name: "good", agents: { lifetime: 300 }, hosts: hosts(20) },
    { name: "flaky", agents: { vanish: 20 }, hosts: hosts(20) },
    { name: "late", agents: { lifetime: 300 }, outages: [outage], hosts: hosts(20) },
  ];
  const work = bag(2000);

  it("simple keeps its number on all of them, with or without work", () => {
    const result = simulated(
      "task A -e p\n",
      grid(
        [
          { name: "a", hosts: hosts(9) },
          { name: "b", hosts: hosts(9) },
        ],
        { kind: "simple", agents: 6 },
      ),
    );
    expect([of(result, "a").agents, of(result, "b").agents]).toEqual([3, 3]);
  });

  it("heuristic leaves a cluster that fails its agents, and finds one that recovers through the generic slot", () => {
    const result = simulated(work, grid(three), { secondsPerWeight: 60, retries: 100 });
    expect(result.runs[0]?.state).toBe("succeeded");
    const [good, flaky, late] = three.map(({ name }) => of(result, name));
    expect(flaky!.agentsAsked).toBeLessThan(good!.agentsAsked);
    // Refused for 50 minutes: tried every ten minutes at the latest, with one agent.
    expect(late!.agentsRefused).toBeGreaterThan(4);
    expect(late!.agentsRefused).toBeLessThan(40);
    expect(late!.counted).toBeGreaterThan(100);
    const first = result.timeline.find(({ cluster }) => cluster === "late");
    expect(first?.queued).toBeGreaterThanOrEqual(3000);
    expect(first?.queued).toBeLessThan(3000 + 2 * 600);
  });

  it("hybrid sends more agents to the cluster whose workers are faster", () => {
    const two = [
      { name: "slow", agents: { lifetime: 200 }, hosts: hosts(40) },
      { name: "fast", agents: { lifetime: 200 }, hosts: hosts(40, { speed: 8 }) },
    ];
    // Fewer agents than hosts: there is a choice.
    const asked = (kind: "heuristic" | "hybrid") => {
      const result = simulated(bag(3000), grid(two, { kind, agents: 20 }), { secondsPerWeight: 40, retries: 100 });
      expect(result.runs[0]?.state).toBe("succeeded");
      return { share: of(result, "fast").agentsAsked / of(result, "slow").agentsAsked, took: result.makespanSeconds };
    };
    const [heuristic, hybrid] = [asked("heuristic"), asked("hybrid")];
    expect(hybrid.share).toBeGreaterThan(1.5 * heuristic.share);
    expect(hybrid.took).toBeLessThan(heuristic.took);
  });

  it.each(["simple", "heuristic", "hybrid"] as const)("%s does the same again from the same seed", (kind) => {
    const queue = { is: "exponential", mean: 20 } as const;
    const clusters = three.map((cluster) => ({ ...cluster, queue }));
    const run = (seed: number) =>
      simulated(bag(100), grid(clusters, { kind, agents: 30 }), { seed, retries: 100 }).hash;
    expect(run(3)).toBe(run(3));
    expect(run(3)).not.toBe(run(4));
  });
});

describe("what tasks ask for", { timeout: 60_000 }, () => {
  it("a task of several cores takes as many slots", () => {
    const plain = bagOf({ name: "b", seed: 1, tasks: 3, runtimes: { is: "constant", value: 10 } });
    const profileOf = (task: number) => (task < 2 ? 0 : 1);
    const workload = { ...plain, scheduling: { profiles: [{ cores: 2 }, {}], profileOf } };
    const three = [{ name: "c", hosts: [{ name: "h", cores: 3 }] }];
    for (const kind of ["standing", "heuristic"] as const) {
      const result = simulate({ grid: grid(three, { kind }), submissions: [{ workload }], seed: 1 });
      expect(schedule(result)).toEqual(["1 h 0-10", "3 h 0-10", "2 h 10-20"]);
    }
    const lonely = gridOf([{ name: "c", hosts: [{ name: "h" }] }], { factory: {}, engine: { silentSeconds: 86_400 } });
    const tooSmall = simulate({ grid: lonely, submissions: [{ workload }], seed: 1 });
    expect(tooSmall.runs[0]).toMatchObject({ state: "stalled", incomplete: 2 });
  });

  it("replicas in the tail, deadlines and fail-over follow the run's policies", () => {
    const clusters = [
      {
        name: "mixed",
        hosts: [
          { name: "f", count: 10 },
          { name: "crawl", speed: 0.01 },
        ],
      },
      { name: "rescue", failover: true, hosts: hosts(1) },
    ];
    const plain = simulated(bag(30), gridOf(clusters));
    expect(plain.makespanSeconds).toBeGreaterThanOrEqual(1000);
    const replicated = simulated(bag(30), gridOf(clusters), {
      policies: { replicationRequirements: "Tail && NumberOfReplicas < 3", tailBelow: 5 },
    });
    expect(replicated.attempts.replicas).toBeGreaterThan(0);
    expect(replicated.attempts.superseded).toBeGreaterThan(0);
    expect(replicated.wastedSlotSeconds).toBeGreaterThan(0);
    expect(replicated.makespanSeconds).toBeLessThan(200);
    const bounded = simulated(bag(30), gridOf(clusters), { policies: { deadline: "50" } });
    expect(bounded.makespanSeconds).toBeLessThan(300);
    const failing = [{ name: "bad", hosts: [{ name: "f", count: 5, failures: { task: 1 } }] }, clusters[1]!];
    const rescued = simulated(bag(5), gridOf(failing), { retries: 5 });
    expect(rescued.runs[0]?.state).toBe("succeeded");
    expect(of(rescued, "rescue").counted).toBe(5);
  });
});
