/**
 * The outcome of a simulation in figures. Waste is what GridBot counts (§7, Figures 9 and 10), in slot-seconds: slots held by
 * attempts whose result is not a task's result, whatever the reason.
 */
import type { RunState } from "@/core/engine/task-state";
import type { GridWorld } from "./grid-world";
import type { AttemptLine, RunRecord } from "./recorder";

export interface RunReport {
  name: string;
  /** `stalled`: it did not come to its end, and would not have. */
  state: RunState | "stalled";
  /** From its submission to its end. */
  makespanSeconds: number;
  submittedAt: number;
  tasks: number;
  /** Tasks without a result at the end. */
  incomplete: number;
  /** Tasks without a result over time, at most 200 points. */
  incompleteOverTime: { at: number; tasks: number }[];
}

export interface ClusterReport {
  name: string;
  hosts: number;
  slots: number;
  /** Agents that were started. */
  agents: number;
  /** Asked for, refused by its gateway, taken back from the queue, ended for want of work; the most in its queue at a time. */
  agentsAsked: number;
  agentsRefused: number;
  agentsCancelled: number;
  agentsIdle: number;
  mostQueued: number;
  attempts: number;
  /** Attempts whose result counts. */
  counted: number;
  failed: number;
  lost: number;
  usefulSlotSeconds: number;
  wastedSlotSeconds: number;
  /** Slots × the time their agents were there. */
  offeredSlotSeconds: number;
  /** Used of offered, 0 to 1. */
  utilisation: number;
  /** Bytes over its link, and how often a file was there already or on its way. */
  bytesMoved: number;
  cacheHits: number;
}

export interface SimulationReport {
  grid: string;
  seed: number;
  /** Of the event log: the same seed, the same hash. */
  hash: string;
  events: number;
  /** From the start to the end of the last run. */
  makespanSeconds: number;
  runs: RunReport[];
  attempts: Record<"total" | "counted" | "failed" | "lost" | "replicas" | "superseded", number>;
  usefulSlotSeconds: number;
  wastedSlotSeconds: number;
  /** Wasted of used, 0 to 1. */
  waste: number;
  utilisation: number;
  clusters: ClusterReport[];
  timeline: (AttemptLine & { taskName: string; runName: string })[];
}

const mostPoints = 200;

export function report(world: GridWorld, grid: string, seed: number): SimulationReport {
  const { recorder, timeline } = world;
  const end = timeline.now / 1000;
  const names = new Map([...world.runs].map(([id, { name }]) => [id, name]));
  const runs = [...recorder.runs].map(([id, run]) => runReport(names.get(id) ?? id, run, end));
  const clusters = clusterReports(world, end);
  const sum = (of: (cluster: ClusterReport) => number) => clusters.reduce((total, cluster) => total + of(cluster), 0);
  const useful = sum(({ usefulSlotSeconds }) => usefulSlotSeconds);
  const wasted = sum(({ wastedSlotSeconds }) => wastedSlotSeconds);
  const offered = sum(({ offeredSlotSeconds }) => offeredSlotSeconds);
  const number = (which: (line: AttemptLine) => boolean) => recorder.attempts.filter(which).length;
  return {
    grid,
    seed,
    hash: timeline.hash,
    events: world.events,
    makespanSeconds: Math.max(0, ...runs.map(({ submittedAt, makespanSeconds }) => submittedAt + makespanSeconds)),
    runs,
    attempts: {
      total: recorder.attempts.length,
      counted: number(({ counts }) => counts),
      failed: number(({ outcome }) => outcome === "failed"),
      lost: number(({ outcome }) => outcome === "lost"),
      replicas: number(({ replica }) => replica),
      superseded: number(({ outcome }) => outcome === "superseded"),
    },
    usefulSlotSeconds: useful,
    wastedSlotSeconds: wasted,
    waste: share(wasted, useful + wasted),
    utilisation: share(useful + wasted, offered),
    clusters,
    timeline: recorder.attempts.map((line) => ({
      ...line,
      taskName: world.runs.get(line.run)?.taskName(line.task) ?? String(line.task),
      runName: names.get(line.run) ?? line.run,
    })),
  };
}

function runReport(name: string, run: RunRecord, end: number): RunReport {
  const { state, submittedAt, endedAt, incomplete } = run;
  return {
    name,
    state: endedAt === undefined ? "stalled" : state,
    makespanSeconds: (endedAt ?? end) - submittedAt,
    submittedAt,
    tasks: incomplete + run.finishes.length,
    incomplete,
    incompleteOverTime: incompleteOverTime(run),
  };
}

/** Even steps of the number of tasks done, so that the tail, where time stretches, is seen as well as the rest. */
function incompleteOverTime({ submittedAt, finishes, incomplete }: RunRecord): { at: number; tasks: number }[] {
  const total = incomplete + finishes.length;
  const points = [{ at: submittedAt, tasks: total }];
  const step = Math.max(1, Math.ceil(finishes.length / (mostPoints - 1)));
  for (let done = step; done < finishes.length; done += step) {
    points.push({ at: finishes[done - 1]!, tasks: total - done });
  }
  const last = finishes.at(-1);
  if (last !== undefined) points.push({ at: last, tasks: incomplete });
  return points;
}

function clusterReports(world: GridWorld, end: number): ClusterReport[] {
  const byName = new Map<string, ClusterReport>();
  for (const { name, hosts, slots, link, cache, told } of world.clusters) {
    const offered = world.offered.get(name);
    byName.set(name, {
      name,
      hosts: hosts.length,
      slots,
      agents: offered?.agents ?? 0,
      agentsAsked: told.asked,
      agentsRefused: told.refused,
      agentsCancelled: told.cancelled,
      agentsIdle: told.idle,
      mostQueued: told.mostQueued,
      attempts: 0,
      counted: 0,
      failed: 0,
      lost: 0,
      usefulSlotSeconds: 0,
      wastedSlotSeconds: 0,
      offeredSlotSeconds: offered?.slotSeconds ?? 0,
      utilisation: 0,
      bytesMoved: link.bytesMoved,
      cacheHits: cache.hits,
    });
  }
  for (const line of world.recorder.attempts) {
    const cluster = byName.get(line.cluster);
    if (!cluster) continue;
    const used = line.prolog === undefined ? 0 : (line.ended ?? end) - line.prolog;
    cluster.attempts += 1;
    if (line.counts) cluster.counted += 1;
    if (line.outcome === "failed") cluster.failed += 1;
    if (line.outcome === "lost") cluster.lost += 1;
    if (line.counts) cluster.usefulSlotSeconds += used;
    else cluster.wastedSlotSeconds += used;
  }
  for (const cluster of byName.values()) {
    const used = cluster.usefulSlotSeconds + cluster.wastedSlotSeconds;
    cluster.utilisation = share(used, cluster.offeredSlotSeconds);
  }
  return [...byName.values()];
}

function share(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0;
}
