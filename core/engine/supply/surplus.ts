/**
 * Agents nobody needs any more (GridBot, section 5): those that would only come to find nothing to do are cancelled in
 * their queue, and those that have had nothing to do are ended. Both only after a while, since the next task is often
 * seconds away; on a cluster that is drained or switched off, at once.
 */
import type { FactorySettings, History } from "../factory";
import type { AgentId, ClusterId } from "../ids";
import { type IdleRules, shouldEnd } from "../overlay";
import { type SupplyCluster, type Target, targetsOf } from "./targets";

export interface Ending {
  agent: AgentId;
  cluster: ClusterId;
  owner?: string;
  /** It has not begun yet: to be cancelled. Otherwise it is told to end. */
  pending: boolean;
  code: "no-demand" | "no-work" | "draining" | "disabled";
  sinceMs: number;
}

export interface SurplusQuestion {
  now: number;
  clusters: readonly SupplyCluster[];
  history: History;
  factory: FactorySettings;
  idle: IdleRules;
  idleSince?: ReadonlyMap<AgentId, number>;
}

/** `wantedOf`: slots that could be used on a target, as much as there is demand for. */
export function endingAgents(question: SurplusQuestion, wantedOf: (key: string) => number): Ending[] {
  const { clusters, factory } = question;
  return clusters.flatMap((cluster) => {
    let kept = factory.kind === "simple" ? Number.POSITIVE_INFINITY : (cluster.keep ?? 0);
    return targetsOf(cluster).flatMap((target) => {
      const ending = [...pendingSurplus(question, target, wantedOf(target.key), kept), ...idle(question, target, kept)];
      kept = 0;
      return ending;
    });
  });
}

/** The last that were asked for go first. */
function pendingSurplus(
  { now, history, idle: { idleMs } }: SurplusQuestion,
  target: Target,
  wantedSlots: number,
  kept: number,
): Ending[] {
  const of = history.get(target.key);
  if (!of || of.pending.size === 0) return [];
  const { cluster } = target;
  const closed = cluster.mode !== "enabled";
  const needed = Math.max(Math.ceil(wantedSlots / Math.max(1, cluster.slotsPerAgent)), kept - of.running.size);
  const surplus = closed ? of.pending.size : of.pending.size - needed;
  if (surplus <= 0) return [];
  const byAge = [...of.pending].sort(([, a], [, b]) => b - a);
  return byAge.slice(0, surplus).flatMap(([agent, asked]) => {
    const sinceMs = now - asked;
    if (!closed && sinceMs < idleMs) return [];
    return [{ ...about(agent, target), pending: true, code: closedCode(cluster) ?? "no-demand", sinceMs }];
  });
}

function idle({ now, history, idle: rules, idleSince }: SurplusQuestion, target: Target, kept: number): Ending[] {
  const of = history.get(target.key);
  if (!of || !idleSince) return [];
  const { cluster } = target;
  const code = closedCode(cluster);
  let mayEnd = code ? of.running.size : of.running.size - kept;
  const ending: Ending[] = [];
  for (const agent of of.running.keys()) {
    const since = idleSince.get(agent);
    if (since === undefined || mayEnd <= 0) continue;
    const facts = { idleSince: since, cpu: undefined, kept: false };
    if (!code && !shouldEnd(facts, rules, now)) continue;
    mayEnd -= 1;
    ending.push({ ...about(agent, target), pending: false, code: code ?? "no-work", sinceMs: now - since });
  }
  return ending;
}

function closedCode({ mode }: SupplyCluster): "draining" | "disabled" | undefined {
  return mode === "enabled" ? undefined : mode;
}

function about(agent: AgentId, { cluster, owner }: Target): { agent: AgentId; cluster: ClusterId; owner?: string } {
  return { agent, cluster: cluster.id, ...(owner === undefined ? {} : { owner }) };
}
