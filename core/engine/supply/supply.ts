/**
 * The supply of agents: from what the engine could hand out (demand.ts), what the clusters allow, and what became of
 * earlier agents, how many to ask for where, and which to let go. One pure decision, made again whenever something
 * changed: by the process that talks to real clusters, and by the simulator.
 *
 *   demand → the overlay constructor (overlay/): how many new slots are of use, and at most how many on which target
 *          → the agent factory (factory/): which target each agent is asked of, by what became of those before it
 *
 * What the factory is given never exceeds a cluster's limits, MAX_PENDING, or what could be used: a gateway is not flooded,
 * whatever waits. The demand is what remained after every free slot was looked at, so only agents the engine has not
 * met yet count as supply: those that are pending, and those that began after the demand was told.
 */
import type { Demand } from "../demand";
import {
  type AgentPlan,
  type AgentRequest,
  type FactoryCluster,
  type FactorySettings,
  fitnessOf,
  forget,
  type HeldBack,
  type History,
  planAgents,
} from "../factory";
import type { AgentId } from "../ids";
import { buildOverlay, type IdleRules } from "../overlay";
import type { Random } from "../ports";
import { type Ending, endingAgents } from "./surplus";
import {
  clusterLiving,
  clusterRoom,
  fitsAgent,
  livingOf,
  type SupplyCluster,
  sharedTarget,
  type Target,
  targetFor,
} from "./targets";

export interface SupplyQuestion {
  now: number;
  demand: readonly Demand[];
  /** When the engine told it; now if not given. */
  toldAt?: number;
  clusters: readonly SupplyCluster[];
  /** By `targetKey`. What is too old is forgotten here. */
  history: History;
  factory: FactorySettings;
  idle: IdleRules;
  /** Running agents without any task, and since when. */
  idleSince?: ReadonlyMap<AgentId, number>;
}

export type SupplyRequest = AgentRequest & { owner?: string };

export interface SupplyPlan {
  requests: SupplyRequest[];
  /** Pending agents to be cancelled and running ones to be ended. */
  ending: Ending[];
  /** Why targets are asked for nothing now, though something could be used there. */
  heldBack: (HeldBack & { owner?: string })[];
  enough: AgentPlan["enough"];
}

/** Tasks that may go to the same targets, as slots. */
interface Bag {
  slots: number;
  targets: Set<string>;
}

export function planSupply(question: SupplyQuestion, random: Random): SupplyPlan {
  const { now, history, factory } = question;
  forget(history, now, factory);
  const { bags, targets } = sortDemand(question);
  const list = [...targets.values()];
  const shares = shareRoom(question, list, bags);
  const overlay = buildOverlay(
    bags.map(({ slots }, index) => ({ id: String(index), ready: slots, concurrency: 1 })),
    list.map((target, index) => ({
      id: target.key,
      waiting: comingSlots(question, target),
      room: shares[index]! * slotsOf(target),
      appeal: appealOf(question, target),
    })),
    bags.map((bag) => list.map(({ key }) => bag.targets.has(key))),
  );
  const asked = planAgents(
    {
      now,
      demand: sum(overlay.clients),
      withoutComing: true,
      clusters: list.map((target, index) => {
        const useful = Math.ceil(overlay.useful[index]! / slotsOf(target));
        return factoryCluster(question, target, shares[index]!, useful);
      }),
      history,
      settings: factory,
    },
    random,
  );
  return {
    requests: asked.requests.map((request) => named(targets, request)),
    ending: endingAgents(question, (key) => sum(bags.map(({ slots, targets: of }) => (of.has(key) ? slots : 0)))),
    heldBack: asked.heldBack.map((why) => heldBackWhy(targets, why)),
    enough: asked.enough,
  };
}

function sortDemand({ demand, clusters, factory, history }: SupplyQuestion) {
  const byId = new Map(clusters.map((cluster) => [cluster.id, cluster]));
  const targets = new Map<string, Target>();
  const bags = new Map<string, Bag>();
  const want = (slots: number, wanted: readonly Target[]) => {
    if (wanted.length === 0 || slots <= 0) return;
    for (const target of wanted) targets.set(target.key, target);
    const key = JSON.stringify(wanted.map((target) => target.key));
    const bag = bags.get(key);
    if (bag) bag.slots += slots;
    else bags.set(key, { slots, targets: new Set(wanted.map((target) => target.key)) });
  };
  for (const row of demand) {
    const usable = row.clusters.flatMap((id) => {
      const cluster = byId.get(id);
      const target = cluster && fitsAgent(row, cluster) ? targetFor(cluster, row.owner) : undefined;
      return target ? [target] : [];
    });
    want(row.ready * row.asks.cores, usable);
  }
  for (const cluster of clusters) {
    const shared = sharedTarget(cluster);
    if (!shared) continue;
    if (factory.kind === "simple") targets.set(shared.key, shared);
    const running = history.get(shared.key)?.running.size ?? 0;
    want(((cluster.keep ?? 0) - running) * slotsOf(shared), [shared]);
  }
  return { bags: [...bags.values()], targets };
}

/**
 * How many more agents each target may have at most: a cluster's room is shared evenly by those that want something
 * there, and what one does not want the others get.
 */
function shareRoom({ clusters, history, now, factory }: SupplyQuestion, list: readonly Target[], bags: readonly Bag[]) {
  const shares = list.map(() => 0);
  for (const cluster of clusters) {
    const mine = list.flatMap((target, index) => (target.cluster === cluster ? [index] : []));
    const wanted = new Map(
      mine.map((index) => {
        const target = list[index]!;
        const slots = sum(bags.map((bag) => (bag.targets.has(target.key) ? bag.slots : 0)));
        const agents = factory.kind === "simple" ? factory.agents : Math.ceil(slots / slotsOf(target));
        return [index, agents];
      }),
    );
    let room = clusterRoom(cluster, history, now);
    const byNeed = mine.sort((a, b) => wanted.get(a)! - wanted.get(b)! || a - b);
    byNeed.forEach((index, place) => {
      const share = Math.min(wanted.get(index)!, Math.ceil(room / (byNeed.length - place)));
      shares[index] = share;
      room -= share;
    });
  }
  return shares;
}

/** Slots of agents the engine has not met yet and that are still waited for. */
function comingSlots({ history, now, toldAt = now, factory }: SupplyQuestion, target: Target): number {
  const of = history.get(target.key);
  let agents = 0;
  for (const asked of of?.pending.values() ?? []) if (now - asked <= factory.patienceMs) agents += 1;
  for (const since of of?.running.values() ?? []) if (since >= toldAt) agents += 1;
  return agents * slotsOf(target);
}

function appealOf({ history, now, factory }: SupplyQuestion, { key, cluster }: Target): number {
  // What is not known yet is as good as the generic slot thinks it is.
  const fitness = fitnessOf(history.get(key), now, factory.windowMs) ?? 1;
  return factory.kind === "hybrid" ? fitness * Math.max(0, cluster.rank ?? 1) : fitness;
}

/**
 * The target as the factory sees it: the cluster's limits without what its other targets have, and no more than its share.
 * A cluster that is full is held back by the limit that makes it so, not for want of use.
 */
function factoryCluster(question: SupplyQuestion, target: Target, share: number, useful: number): FactoryCluster {
  const { history, now, factory } = question;
  const { cluster } = target;
  const all = clusterLiving(cluster, history, now);
  const own = livingOf(history.get(target.key), now);
  const isFull = clusterRoom(cluster, history, now) === 0;
  const most = factory.kind === "simple" ? share : Math.min(share, useful);
  return {
    id: target.key,
    mode: cluster.mode,
    slotsPerAgent: cluster.slotsPerAgent,
    maxAgents: cluster.maxAgents - (all.pending + all.running) + own.pending + own.running,
    maxQueued: cluster.maxQueued - all.pending + own.pending,
    perMinute: cluster.perMinute - all.lately + own.lately,
    ...(isFull ? {} : { useful: most }),
    ...(cluster.rank === undefined ? {} : { rank: cluster.rank }),
  };
}

/** From the factory's words to those of clusters and people. */
function named<T extends { cluster: string }>(targets: Map<string, Target>, about: T): T & { owner?: string } {
  const target = targets.get(about.cluster);
  if (!target) return about;
  return { ...about, cluster: target.cluster.id, ...(target.owner === undefined ? {} : { owner: target.owner }) };
}

/** With the limit of the whole cluster. */
function heldBackWhy(targets: Map<string, Target>, why: HeldBack): HeldBack & { owner?: string } {
  const cluster = targets.get(why.cluster)?.cluster;
  if (!cluster || !("limit" in why)) return named(targets, why);
  const limits = { "max-agents": cluster.maxAgents, "max-queued": cluster.maxQueued, "per-minute": cluster.perMinute };
  return named(targets, { ...why, limit: limits[why.code] });
}

function slotsOf({ cluster }: Target): number {
  return Math.max(1, Math.floor(cluster.slotsPerAgent));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
