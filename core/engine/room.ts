/**
 * Whether an agent may be given a task of a lane now: the cluster is open to its owner, the host is not avoided, and what
 * the task asks for is free. Concurrency, where a bag sets it, takes the place of the number of slots (GridBot, Algorithm 1).
 */
import type { Asks, Lane } from "./lanes";
import type { Particular } from "./particular";
import { type Agent, allows, type Cluster, type Core, type Flight } from "./state";

export function isEligible(core: Core, lane: Lane, agent: Agent): boolean {
  return hasRoom(core, agent, lane) && lane.shelf.judge.matches(agent);
}

export function hasRoom(core: Core, agent: Agent, lane: Lane): boolean {
  return isWelcome(core, agent, lane) && fits(core, agent, lane);
}

/** The agent may work for it, whether or not it has the room. */
export function isWelcome(core: Core, agent: Agent, lane: Lane): boolean {
  const { mode } = agent;
  if (mode.is !== "joined" || !mayUse(core, mode.cluster, lane) || !worksFor(agent, lane)) return false;
  if (lane.early || mode.joining.bound) return false;
  if (lane.particular && !isWelcomeTo(core, agent, lane.particular)) return false;
  if (agent.reservedFor && agent.reservedFor !== lane) return false;
  if (mode.record.trust.is === "avoided") return false;
  return mode.record.trust.is !== "tried" || agent.open.size === 0;
}

/** An agent that was started with somebody's account, or for somebody, works for nobody else. */
export function worksFor({ mode }: Agent, { run }: Lane): boolean {
  if (mode.is !== "joined") return false;
  const { owner } = mode.joining;
  return owner === undefined || owner === run.plan.ownerId;
}

/** It does not wait for a person, and did not leave this host a moment ago. */
function isWelcomeTo(core: Core, { mode }: Agent, { held, left }: Particular): boolean {
  if (held || mode.is !== "joined") return false;
  return left?.host !== mode.record.key || left.until <= core.now();
}

/** Fail-over clusters are for what failed elsewhere, and what failed elsewhere is for them, where one could take it. */
export function mayUse(core: Core, cluster: Cluster, lane: Lane): boolean {
  const admin = lane.run.plan.ownerAdmin;
  if (!allows(cluster, admin)) return false;
  const dedicated = cluster.policy.failOver === true;
  if (dedicated) return lane.failOver;
  return !lane.failOver || !hasFailOverAgent(core, lane);
}

/** A cluster without a host that would do is no refuge: the task would wait there for ever. */
function hasFailOverAgent(core: Core, lane: Lane): boolean {
  for (const cluster of core.clusters.values()) {
    if (!cluster.policy.failOver || !allows(cluster, lane.run.plan.ownerAdmin)) continue;
    for (const agent of cluster.members) {
      if (worksFor(agent, lane) && couldFit(agent, lane) && lane.shelf.judge.matches(agent)) return true;
    }
  }
  return false;
}

export function hasFailOverCluster(core: Core, admin: boolean): boolean {
  for (const cluster of core.clusters.values()) {
    if (cluster.policy.failOver && allows(cluster, admin) && cluster.members.size > 0) return true;
  }
  return false;
}

/** Would it fit if the agent had nothing else to do? */
export function couldFit(agent: Agent, { asks }: Lane): boolean {
  const { mode } = agent;
  if (mode.is !== "joined" || asks.cores > mode.slots) return false;
  if (asks.memoryBytes > mode.has.memoryBytes || asks.diskBytes > mode.has.diskBytes) return false;
  return Object.entries(asks.named).every(([name, count]) => count <= (mode.has.named[name] ?? 0));
}

function fits(core: Core, agent: Agent, lane: Lane): boolean {
  const { mode, used } = agent;
  if (mode.is !== "joined") return false;
  const { asks, concurrency } = lane;
  if (asks.cores > mode.slots) return false;
  // Ahead of time only what is itself known to be short: the others' tasks say nothing about these.
  const ahead = core.isBrisk(lane.shelf.meanRunMs) ? core.ahead(agent) : 1;
  const notForIt = mode.slots * (core.ahead(agent) - ahead);
  if (concurrency) {
    if (agent.open.size >= Math.min(concurrency(agent), limitOf(agent))) return false;
  } else if (asks.cores > core.freeSlots(agent) - notForIt) return false;
  if (asks.memoryBytes > 0 && !within(used.memoryBytes, asks.memoryBytes, mode.has.memoryBytes, ahead)) return false;
  if (asks.diskBytes > 0 && !within(used.diskBytes, asks.diskBytes, mode.has.diskBytes, ahead)) return false;
  for (const name in asks.named) {
    if ((used.named.get(name) ?? 0) + asks.named[name]! > (mode.has.named[name] ?? 0)) return false;
  }
  return true;
}

export function asksNoMore(asks: Asks, than: Asks): boolean {
  if (asks.cores > than.cores || asks.memoryBytes > than.memoryBytes || asks.diskBytes > than.diskBytes) return false;
  return Object.entries(asks.named).every(([name, count]) => count <= (than.named[name] ?? 0));
}

function within(used: number, asked: number, has: number, ahead: number): boolean {
  return asked <= has && used + asked <= has * ahead;
}

/** The lowest Concurrency of what it holds already. */
function limitOf(agent: Agent): number {
  let limit = Number.POSITIVE_INFINITY;
  for (const { lane } of agent.open) if (lane.concurrency) limit = Math.min(limit, lane.concurrency(agent));
  return limit;
}

/** An attempt takes its room; tasks of one cluster take the room of one. */
export function takeRoom(flight: Flight): void {
  flight.agent.open.add(flight);
  const { unit } = flight;
  if (unit) unit.open += 1;
  if (!unit || unit.open === 1) change(flight.agent, unit?.asks ?? flight.lane.asks, 1);
}

export function leaveRoom(flight: Flight): void {
  if (!flight.agent.open.delete(flight)) return;
  const { unit } = flight;
  if (unit) unit.open -= 1;
  if (!unit || unit.open === 0) change(flight.agent, unit?.asks ?? flight.lane.asks, -1);
}

function change({ used }: Agent, asks: Asks, sign: 1 | -1): void {
  used.cores += sign * asks.cores;
  used.memoryBytes += sign * asks.memoryBytes;
  used.diskBytes += sign * asks.diskBytes;
  for (const name in asks.named) used.named.set(name, (used.named.get(name) ?? 0) + sign * asks.named[name]!);
}

export function atCategoryLimit(lane: Lane): boolean {
  return roomInCategory(lane) <= 0;
}

/** How many more of its category may be with agents (DAGMan's MAXJOBS). */
export function roomInCategory({ run, profile }: Lane): number {
  const { category } = profile;
  const limit = category === undefined ? undefined : run.plan.categoryLimits?.[category];
  return limit === undefined ? Number.POSITIVE_INFINITY : limit - (run.categories.get(category ?? "") ?? 0);
}
