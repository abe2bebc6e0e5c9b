/**
 * What became of the agents that were asked of each cluster: the data the agent factory decides from (DIANE, section
 * 4.7.3). An agent goes
 *
 *   asked for → pending → running → ended, well or badly
 *
 * or ends without ever running. Those that live are kept by name; of those that ended only the time and whether it was
 * well, and that is forgotten with age. Agents nobody asked for (started by hand) come in as running.
 */
import type { AgentId, ClusterId } from "../ids";

export interface ClusterHistory {
  /** When each was asked for. */
  readonly pending: Map<AgentId, number>;
  /** When each began. */
  readonly running: Map<AgentId, number>;
  /** Oldest first. */
  ended: { at: number; well: boolean }[];
  /** When agents were asked for lately, oldest first: for the limit by the minute. */
  asked: number[];
  /** Set-backs in a row: submissions refused and agents that ended badly at once. Many at a time count as one. */
  setbacks: number;
  setbackAt: number;
}

export type History = Map<ClusterId, ClusterHistory>;

export interface MemorySettings {
  /** What ended longer ago is forgotten; until then it counts the less the older it is. */
  windowMs: number;
  /** After a set-back nothing is asked of the cluster for this long; each further one doubles it, up to the longest. */
  backOffMs: number;
  longestBackOffMs: number;
  /** An agent that ran this long has shown that the cluster works, however it ends. */
  steadyMs: number;
}

export const minuteMs = 60_000;
/** Per cluster; beyond it the oldest are forgotten first, whatever their age. */
const endedKept = 1000;

export function agentAsked(history: History, cluster: ClusterId, agent: AgentId, at: number): void {
  const of = historyOf(history, cluster);
  of.pending.set(agent, at);
  of.asked.push(at);
}

export function agentStarted(history: History, cluster: ClusterId, agent: AgentId, at: number): void {
  const of = historyOf(history, cluster);
  of.pending.delete(agent);
  of.running.set(agent, at);
}

/** Well: it had nothing left to do, reached its time, or was told to stop. Badly: refused, crashed, vanished. */
export function agentEnded(
  history: History,
  cluster: ClusterId,
  agent: AgentId,
  well: boolean,
  at: number,
  settings: MemorySettings,
): void {
  const of = historyOf(history, cluster);
  const since = of.running.get(agent);
  if (since === undefined && !of.pending.has(agent)) return;
  of.pending.delete(agent);
  of.running.delete(agent);
  of.ended.push({ at, well });
  if (of.ended.length > endedKept) of.ended.shift();
  const steady = since !== undefined && at - since >= settings.steadyMs;
  if (steady || (well && since !== undefined)) {
    of.setbacks = 0;
  } else if (!well && at >= backOffUntil(of, settings)) {
    of.setbacks += 1;
    of.setbackAt = at;
  }
}

/** Call it before deciding. Clusters of which nothing is known any more are left out. */
export function forget(history: History, now: number, settings: MemorySettings): void {
  for (const [cluster, of] of history) {
    setBack(of, now);
    of.ended = of.ended.filter(({ at }) => now - at < settings.windowMs);
    of.asked = of.asked.filter((at) => now - at < minuteMs);
    if (of.setbacks > 0 && (now - of.setbackAt >= settings.windowMs || provedItself(of, now, settings)))
      of.setbacks = 0;
    if (of.pending.size + of.running.size + of.ended.length + of.asked.length + of.setbacks === 0)
      history.delete(cluster);
  }
}

/** Where the clock was set back, nothing that happened lies ahead of now; else limits by time would hold for ever. */
function setBack(of: ClusterHistory, now: number): void {
  of.ended = of.ended.map((end) => (end.at > now ? { ...end, at: now } : end));
  of.asked = of.asked.map((at) => Math.min(at, now));
  of.setbackAt = Math.min(of.setbackAt, now);
  for (const living of [of.pending, of.running]) {
    for (const [agent, since] of living) if (since > now) living.set(agent, now);
  }
}

/** An agent that began after the last set-back has run long enough. */
function provedItself(of: ClusterHistory, now: number, { steadyMs }: MemorySettings): boolean {
  for (const since of of.running.values()) if (since >= of.setbackAt && now - since >= steadyMs) return true;
  return false;
}

export function backOffUntil(of: ClusterHistory, { backOffMs, longestBackOffMs }: MemorySettings): number {
  if (of.setbacks === 0) return Number.NEGATIVE_INFINITY;
  return of.setbackAt + Math.min(longestBackOffMs, backOffMs * 2 ** Math.min(of.setbacks - 1, 30));
}

/**
 * Equation 4.1, (running + completed) / total, between 0 and 1; undefined for a cluster that is not known. The text says
 * that recent data weighs more, the printed program only drops what is too old: here what ended weighs 1 at first, and
 * less with every moment until it is forgotten. All that waits in the queue counts in the total, so a cluster that
 * does not start what it was given is asked for less and less.
 */
export function fitnessOf(of: ClusterHistory | undefined, now: number, windowMs: number): number | undefined {
  if (!of) return undefined;
  let good = of.running.size;
  let total = good + of.pending.size;
  for (const { at, well } of of.ended) {
    const weight = Math.min(1, Math.max(0, 1 - (now - at) / windowMs));
    total += weight;
    if (well) good += weight;
  }
  return total > 0 ? good / total : undefined;
}

function historyOf(history: History, cluster: ClusterId): ClusterHistory {
  let of = history.get(cluster);
  if (!of) {
    of = { pending: new Map(), running: new Map(), ended: [], asked: [], setbacks: 0, setbackAt: 0 };
    history.set(cluster, of);
  }
  return of;
}

/** As plain data, to be stored. */
export type StoredHistory = (Omit<ClusterHistory, "pending" | "running"> & {
  cluster: ClusterId;
  pending: [AgentId, number][];
  running: [AgentId, number][];
})[];

export function storeHistory(history: History): StoredHistory {
  return [...history].map(([cluster, { pending, running, ended, asked, setbacks, setbackAt }]) => ({
    cluster,
    pending: [...pending],
    running: [...running],
    ended: ended.map((end) => ({ ...end })),
    asked: [...asked],
    setbacks,
    setbackAt,
  }));
}

export function restoreHistory(stored: StoredHistory): History {
  return new Map(
    stored.map(({ cluster, pending, running, ...rest }) => [
      cluster,
      { ...rest, pending: new Map(pending), running: new Map(running) },
    ]),
  );
}
