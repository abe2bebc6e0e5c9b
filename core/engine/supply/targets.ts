/**
 * Where agents can be asked for: a cluster, or one person's account on it. Agents under a shared account work for
 * everyone the cluster allows; agents under somebody's own account work for that person only, and what becomes of
 * them says something about that account, so each has a history of its own. A cluster's limits hold for all together.
 */
import type { Demand } from "../demand";
import type { ClusterHistory, FactoryCluster, History } from "../factory";
import type { ClusterId } from "../ids";

export interface SupplyCluster extends Omit<FactoryCluster, "useful"> {
  /** What one agent has; without bound if not given. */
  memoryBytesPerAgent?: number;
  diskBytesPerAgent?: number;
  /** Countable things of one agent, such as GPUs; none if not given. */
  namedPerAgent?: Readonly<Record<string, number>>;
  /** How long an agent lives: tasks that ask for longer are not for it. */
  wallSeconds?: number;
  /** So many agents are kept there even without work. */
  keep?: number;
  /** People whose work goes under their own account. */
  owners?: readonly string[];
  /** Whether there is an account for everyone else's; true if not given. */
  shared?: boolean;
}

export interface Target {
  /** Its place in the history. */
  readonly key: string;
  readonly cluster: SupplyCluster;
  /** Whose work its agents do; everyone's if not given. */
  readonly owner: string | undefined;
}

/** The place in the history of agents of a cluster, under somebody's own account or the shared one. */
export function targetKey(cluster: ClusterId, owner?: string): string {
  return owner === undefined ? cluster : `${cluster} for ${owner}`;
}

export function targetFor(cluster: SupplyCluster, owner: string): Target | undefined {
  if (cluster.owners?.includes(owner)) return { key: targetKey(cluster.id, owner), cluster, owner };
  return sharedTarget(cluster);
}

export function sharedTarget(cluster: SupplyCluster): Target | undefined {
  return (cluster.shared ?? true) ? { key: targetKey(cluster.id), cluster, owner: undefined } : undefined;
}

/** All that a cluster has, with those of people who want nothing now. */
export function targetsOf(cluster: SupplyCluster): Target[] {
  const shared = sharedTarget(cluster);
  const own = (cluster.owners ?? []).map((owner) => ({ key: targetKey(cluster.id, owner), cluster, owner }));
  return shared ? [shared, ...own] : own;
}

/** Would such a task fit into an agent of the cluster that has nothing else to do? */
export function fitsAgent({ asks, wallSeconds = 0 }: Pick<Demand, "asks" | "wallSeconds">, cluster: SupplyCluster) {
  const { memoryBytesPerAgent = Number.POSITIVE_INFINITY, diskBytesPerAgent = Number.POSITIVE_INFINITY } = cluster;
  if (asks.cores > Math.max(1, cluster.slotsPerAgent)) return false;
  if (asks.memoryBytes > memoryBytesPerAgent || asks.diskBytes > diskBytesPerAgent) return false;
  if (wallSeconds > (cluster.wallSeconds ?? Number.POSITIVE_INFINITY)) return false;
  return Object.entries(asks.named).every(([name, count]) => count <= (cluster.namedPerAgent?.[name] ?? 0));
}

export interface Living {
  pending: number;
  running: number;
  /** Asked for within the last minute. */
  lately: number;
}

export function livingOf(of: ClusterHistory | undefined, now: number): Living {
  return {
    pending: of?.pending.size ?? 0,
    running: of?.running.size ?? 0,
    lately: of?.asked.filter((at) => now - at < 60_000).length ?? 0,
  };
}

/** All targets of the cluster together. */
export function clusterLiving(cluster: SupplyCluster, history: History, now: number): Living {
  const all = { pending: 0, running: 0, lately: 0 };
  for (const { key } of targetsOf(cluster)) {
    const { pending, running, lately } = livingOf(history.get(key), now);
    all.pending += pending;
    all.running += running;
    all.lately += lately;
  }
  return all;
}

/** How many more agents a cluster's limits allow. */
export function clusterRoom(cluster: SupplyCluster, history: History, now: number): number {
  const { maxAgents, maxQueued, perMinute } = cluster;
  const { pending, running, lately } = clusterLiving(cluster, history, now);
  return Math.max(0, Math.floor(Math.min(maxAgents - pending - running, maxQueued - pending, perMinute - lately)));
}
