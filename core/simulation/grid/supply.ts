/**
 * How agents come to the simulated clusters: by the real decision (core/engine/supply), made whenever something changed and
 * at most every `everySeconds`; or, `standing`, by keeping every cluster as full as its limits allow, as on machines that
 * have an agent of their own.
 */
import { Estimator, rankOf } from "@/core/engine/balance";
import type { Demand } from "@/core/engine/demand";
import { agentAsked, agentEnded, agentStarted, defaultFactory, type History } from "@/core/engine/factory";
import { defaultIdleRules, type IdleRules } from "@/core/engine/overlay";
import type { Random } from "@/core/engine/ports";
import { planSupply, type SupplyCluster } from "@/core/engine/supply";
import type { Timeline } from "@/core/simulation/timeline";
import type { AgentEnd, SimulatedCluster } from "./cluster";
import type { FactoryModel } from "./grid-schema";

export interface Supply {
  /** When an agent without work ends itself; undefined: never. */
  readonly idle: IdleRules | undefined;
  /** There may be another demand, or other agents. */
  changed(cluster?: SimulatedCluster): void;
  started(cluster: SimulatedCluster, agent: string): void;
  ended(cluster: SimulatedCluster, agent: string, why: AgentEnd): void;
  /** A task was done there in this time: what the hybrid kind ranks clusters by. */
  observed(cluster: string, computeMs: number, transferMs: number): void;
}

export interface SupplyWorld {
  readonly timeline: Timeline;
  readonly clusters: readonly SimulatedCluster[];
  readonly random: Random;
  newAgent(): string;
  demand(): Demand[];
}

export function supplyOf(model: FactoryModel, world: SupplyWorld): Supply {
  return model.kind === "standing" ? new StandingSupply(world) : new FactorySupply(model.kind, model, world);
}

class StandingSupply implements Supply {
  readonly idle = undefined;

  constructor(private readonly world: SupplyWorld) {}

  changed(which?: SimulatedCluster): void {
    for (const cluster of which ? [which] : this.world.clusters) {
      while (cluster.running + cluster.pending < cluster.mostAgents && cluster.inQueue < cluster.mostQueued) {
        if (!cluster.ask(this.world.newAgent())) {
          this.world.timeline.after(defaultFactory.backOffMs, () => this.changed(cluster));
          break;
        }
      }
    }
  }

  started(): void {}

  ended(cluster: SimulatedCluster): void {
    this.changed(cluster);
  }

  observed(): void {}
}

/** So many doublings of the time between two decisions at most. */
const mostQuiet = 6;

class FactorySupply implements Supply {
  readonly idle: IdleRules | undefined;
  private readonly rules: IdleRules;
  private readonly history: History = new Map();
  private readonly estimator: Estimator;
  private readonly settings;
  private readonly everyMs: number;
  private lastDecision = Number.NEGATIVE_INFINITY;
  /** When the next decision is made; only the last plan is carried out. */
  private next = Number.POSITIVE_INFINITY;
  /** Decisions in a row that came to nothing: while nothing happens the next one is farther away each time. */
  private quiet = 0;

  constructor(
    kind: "simple" | "heuristic" | "hybrid",
    model: FactoryModel,
    private readonly world: SupplyWorld,
  ) {
    this.settings = {
      ...defaultFactory,
      kind,
      agents: model.agents,
      maxPending: model.maxPending,
      patienceMs: model.patienceSeconds * 1000,
      windowMs: model.memorySeconds * 1000,
    };
    this.rules = { ...defaultIdleRules, idleMs: model.idleSeconds * 1000, quietMs: undefined };
    // The simple kind keeps its number whether or not there is work.
    this.idle = kind === "simple" ? undefined : this.rules;
    this.everyMs = model.everySeconds * 1000;
    // Nothing is known of the clusters' workers: they are alike until tasks were done there.
    this.estimator = new Estimator(
      world.clusters.map(({ name }) => ({ id: name, power: 1, bandwidth: 1 })),
      { latest: 0.1 },
    );
  }

  changed(): void {
    this.quiet = 0;
    this.decideAt(this.lastDecision + this.everyMs);
  }

  private decideAt(wanted: number): void {
    const { timeline } = this.world;
    const at = Math.max(wanted, timeline.now);
    if (at >= this.next) return;
    this.next = at;
    timeline.after(at - timeline.now, () => {
      if (this.next === at) this.decide();
    });
  }

  started(cluster: SimulatedCluster, agent: string): void {
    agentStarted(this.history, cluster.name, agent, this.world.timeline.now);
  }

  ended(cluster: SimulatedCluster, agent: string, why: AgentEnd): void {
    const well = why === "lifetime" || why === "idle";
    agentEnded(this.history, cluster.name, agent, well, this.world.timeline.now, this.settings);
    this.changed();
  }

  observed(cluster: string, computeMs: number, transferMs: number): void {
    this.estimator.observe({ worker: cluster, amount: 1, computeMs, transferMs });
  }

  private decide(): void {
    const { timeline, clusters, random, newAgent } = this.world;
    const { now } = timeline;
    this.next = Number.POSITIVE_INFINITY;
    this.lastDecision = now;
    const demand = this.world.demand();
    const { requests, ending } = planSupply(
      {
        now,
        demand,
        clusters: this.supplyClusters(),
        history: this.history,
        factory: this.settings,
        idle: this.rules,
      },
      random,
    );
    const byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
    for (const { cluster: name, agent, pending } of ending) {
      // Running ones end themselves.
      if (pending && byName.get(name)?.cancel(agent)) agentEnded(this.history, name, agent, true, now, this.settings);
    }
    for (const { cluster: name, agents } of requests) {
      const cluster = byName.get(name);
      for (let i = 0; cluster && i < agents; i += 1) {
        const agent = newAgent();
        agentAsked(this.history, name, agent, now);
        if (!cluster.ask(agent)) agentEnded(this.history, name, agent, false, now, this.settings);
      }
    }
    for (const { cluster, agents } of requests) timeline.log(`factory: ${agents} of ${cluster}`);
    this.quiet = requests.length + ending.length > 0 ? 0 : Math.min(this.quiet + 1, mostQuiet);
    // What is pending, backed off or limited by the minute changes with time alone.
    if (demand.length > 0 || clusters.some(({ pending }) => pending > 0) || this.idle === undefined) {
      this.decideAt(now + this.everyMs * 2 ** this.quiet);
    }
  }

  private supplyClusters(): SupplyCluster[] {
    const { clusters } = this.world;
    const ranks = rankOf(this.estimator.workers(), this.estimator.fc);
    return clusters.map((cluster, index) => ({
      id: cluster.name,
      mode: "enabled",
      slotsPerAgent: Math.max(...cluster.hosts.map(({ slots }) => slots)),
      maxAgents: cluster.mostAgents,
      maxQueued: cluster.mostQueued,
      perMinute: cluster.described.limits.perMinute ?? Number.POSITIVE_INFINITY,
      ...memoryOf(cluster),
      namedPerAgent: largestNamed(cluster),
      rank: ranks[index] ?? 1,
    }));
  }
}

function largestNamed({ hosts }: SimulatedCluster): Record<string, number> {
  const most: Record<string, number> = {};
  for (const { named } of hosts) {
    for (const [name, count] of Object.entries(named)) most[name] = Math.max(most[name] ?? 0, count);
  }
  return most;
}

/** Of its largest host; without bound if one does not tell. */
function memoryOf({ described }: SimulatedCluster): Pick<SupplyCluster, "memoryBytesPerAgent"> {
  const sizes = described.hosts.map(({ memoryMb = Number.POSITIVE_INFINITY }) => memoryMb);
  const most = Math.max(...sizes);
  return Number.isFinite(most) ? { memoryBytesPerAgent: most * 1024 ** 2 } : {};
}
