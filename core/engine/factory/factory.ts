/**
 * The agent factory: how many agents to ask of which cluster now (DIANE, sections 4.7.2, 4.7.3 and 4.8.2).
 *
 *   simple     keeps a number of agents, spread evenly over the clusters (Figure 4.14)
 *   heuristic  chooses a cluster for each agent with probability proportional to its fitness; a generic slot of
 *              fitness 1 stands for "any cluster", so that new and recovered ones are found (Figure 4.15)
 *   hybrid     the same, with the fitness scaled by the workload balancing rank of the cluster (section 4.8.2)
 *
 * Where the printed program of Figure 4.15 is not followed: its loop never chooses the generic slot (it keeps the cluster of
 * the turn before), and it never counts what it has just submitted; here the generic slot is chosen with probability 1 / (1
 * + Σ fitness), and MAX_PENDING is a cap. What waits in a queue beyond patience no longer counts against that cap, or one
 * dead cluster that holds MAX_PENDING agents would stop all the others; it still counts against that cluster's own limits.
 */
import type { ClusterId } from "../ids";
import type { Random } from "../ports";
import { backOffUntil, type ClusterHistory, fitnessOf, type History, type MemorySettings, minuteMs } from "./history";

export interface FactorySettings extends MemorySettings {
  kind: "simple" | "heuristic" | "hybrid";
  /** N_WORKERS: simple keeps so many, the others have at most so many, all clusters together. */
  agents: number;
  /** MAX_PENDING: at most so many asked for and not yet begun, all clusters together. */
  maxPending: number;
  /** An agent that has been pending for longer is no longer waited for. */
  patienceMs: number;
}

export const defaultFactory: FactorySettings = {
  kind: "heuristic",
  agents: 10_000,
  maxPending: 50,
  patienceMs: 10 * minuteMs,
  windowMs: 60 * minuteMs,
  backOffMs: 10_000,
  longestBackOffMs: 10 * minuteMs,
  steadyMs: minuteMs,
};

export interface FactoryCluster {
  id: ClusterId;
  mode: "enabled" | "draining" | "disabled";
  /** What one agent brings, at least 1. */
  slotsPerAgent: number;
  /** Running and pending together. */
  maxAgents: number;
  maxQueued: number;
  perMinute: number;
  /** How many more are of any use there, where the overlay constructor has told. */
  useful?: number;
  /** Of its workers in workload balancing, 1 for the best cluster; for the hybrid kind. */
  rank?: number;
}

export interface AgentRequest {
  cluster: ClusterId;
  agents: number;
  /** Of these, chosen for the cluster's fitness, and by the generic slot; the simple kind chooses neither way. */
  byFitness: number;
  byGenericSlot: number;
  /** Undefined for a cluster not known yet. */
  fitness: number | undefined;
}

/** Why a cluster is asked for no more agents now; `until` or `limit` tells the figure. */
export type HeldBack =
  | { cluster: ClusterId; code: "disabled" | "draining" | "no-use" }
  | { cluster: ClusterId; code: "backing-off"; until: number }
  /** After a set-back, until one agent has shown that the cluster works again. */
  | { cluster: ClusterId; code: "probing" }
  | { cluster: ClusterId; code: "max-agents" | "max-queued" | "per-minute"; limit: number };

export interface AgentPlan {
  /** In the order of the clusters given. */
  requests: AgentRequest[];
  heldBack: HeldBack[];
  /** Why not one more is asked for. */
  enough: "wanted" | "max-agents" | "max-pending" | "no-cluster";
}

export interface Question {
  now: number;
  /** Slots wanted beyond those that running agents have; what is on its way is taken off here. Not for the simple kind. */
  demand: number;
  /** What is on its way was taken off already (by the overlay constructor, which knows for whom it is). */
  withoutComing?: boolean;
  clusters: readonly FactoryCluster[];
  history: History;
  settings: FactorySettings;
}

interface Candidate {
  cluster: FactoryCluster;
  /** Running and pending, with those asked for here. */
  agents: number;
  room: number;
  weight: number;
  request: AgentRequest;
}

export function planAgents(question: Question, random: Random): AgentPlan {
  const { now, clusters, history, settings } = question;
  const heldBack: HeldBack[] = [];
  const candidates: Candidate[] = [];
  for (const cluster of clusters) {
    const of = history.get(cluster.id);
    const { room, why } = roomIn(cluster, of, now, settings);
    if (room <= 0) {
      heldBack.push(why);
      continue;
    }
    const fitness = fitnessOf(of, now, settings.windowMs);
    const weight = (fitness ?? 0) * (settings.kind === "hybrid" ? Math.max(0, cluster.rank ?? 1) : 1);
    const request = { cluster: cluster.id, agents: 0, byFitness: 0, byGenericSlot: 0, fitness };
    const agents = (of?.running.size ?? 0) + (of?.pending.size ?? 0);
    candidates.push({ cluster, agents, room, weight, request });
  }
  const enough = ask(question, candidates, random);
  const requests = candidates.map(({ request }) => request).filter(({ agents }) => agents > 0);
  return { requests, heldBack, enough };
}

/** Fills the candidates' requests, agent by agent, and tells why it stopped. */
function ask(question: Question, candidates: readonly Candidate[], random: Random): AgentPlan["enough"] {
  const { settings } = question;
  let { agents, pending, wanted } = startingPoint(question);
  let open = candidates;
  while (wanted > 0) {
    if (agents >= settings.agents) return "max-agents";
    if (pending >= settings.maxPending) return "max-pending";
    const chosen = settings.kind === "simple" ? emptiest(open) : chooseByFitness(open, random);
    if (!chosen) return "no-cluster";
    chosen.request.agents += 1;
    chosen.agents += 1;
    chosen.room -= 1;
    if (chosen.room <= 0) open = open.filter((candidate) => candidate !== chosen);
    agents += 1;
    pending += 1;
    wanted -= settings.kind === "simple" ? 1 : Math.max(1, chosen.cluster.slotsPerAgent);
  }
  return "wanted";
}

function startingPoint({ now, demand, withoutComing = false, clusters, history, settings }: Question) {
  const slotsOf = new Map(clusters.map(({ id, slotsPerAgent }) => [id, slotsPerAgent]));
  let agents = 0;
  let pending = 0;
  let coming = 0;
  for (const [cluster, of] of history) {
    agents += of.running.size + of.pending.size;
    for (const asked of of.pending.values()) {
      if (now - asked > settings.patienceMs) continue;
      pending += 1;
      coming += Math.max(1, slotsOf.get(cluster) ?? 1);
    }
  }
  const wanted = settings.kind === "simple" ? settings.agents - agents : demand - (withoutComing ? 0 : coming);
  return { agents, pending, wanted };
}

/** The cluster with the fewest agents; of several, the first. */
function emptiest(open: readonly Candidate[]): Candidate | undefined {
  return open.reduce<Candidate | undefined>((best, one) => (best && best.agents <= one.agents ? best : one), undefined);
}

/** Equation 4.2: P(cluster) = fitness / (1 + Σ fitness); what remains is the generic slot, any cluster alike. */
function chooseByFitness(open: readonly Candidate[], random: Random): Candidate | undefined {
  if (open.length === 0) return undefined;
  const total = open.reduce((sum, { weight }) => sum + weight, 0);
  let left = random.next() * (total + 1);
  for (const candidate of open) {
    left -= candidate.weight;
    if (left < 0) {
      candidate.request.byFitness += 1;
      return candidate;
    }
  }
  const any = open[Math.floor(random.next() * open.length)];
  if (any) any.request.byGenericSlot += 1;
  return any;
}

function roomIn(
  { id: cluster, mode, maxAgents, maxQueued, perMinute, useful = Number.POSITIVE_INFINITY }: FactoryCluster,
  of: ClusterHistory | undefined,
  now: number,
  settings: FactorySettings,
): { room: number; why: HeldBack } {
  if (mode !== "enabled") return { room: 0, why: { cluster, code: mode } };
  const until = of ? backOffUntil(of, settings) : Number.NEGATIVE_INFINITY;
  if (now < until) return { room: 0, why: { cluster, code: "backing-off", until } };
  const pending = of?.pending.size ?? 0;
  const lately = of?.asked.filter((at) => now - at < minuteMs).length ?? 0;
  // One at a time after a set-back, until one of them has run for a while.
  const newcomers = of ? [...of.running.values()].filter((since) => since >= of.setbackAt).length : 0;
  const bounds: { room: number; why: HeldBack }[] = [
    { room: useful, why: { cluster, code: "no-use" } },
    { room: maxAgents - pending - (of?.running.size ?? 0), why: { cluster, code: "max-agents", limit: maxAgents } },
    { room: maxQueued - pending, why: { cluster, code: "max-queued", limit: maxQueued } },
    { room: perMinute - lately, why: { cluster, code: "per-minute", limit: perMinute } },
  ];
  if (of && of.setbacks > 0) bounds.push({ room: 1 - pending - newcomers, why: { cluster, code: "probing" } });
  return bounds.reduce((tightest, bound) => (bound.room < tightest.room ? bound : tightest));
}
