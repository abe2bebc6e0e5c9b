/**
 * Why a task that could be running is not: the answer as a value, worded by reasons.ts. Also finds, once a tick, the
 * runs that nothing can serve as things are, and tells each of them once.
 */
import { allows, type Cluster, type Core, type Run } from "./state";
import { TaskState } from "./task-state";
import { neighbours } from "./task-table";

export type WaitingReason =
  | { is: "not-waiting" }
  /** Some of the predecessors that are not finished, in the order of the text, and how many there are. */
  | { is: "predecessors"; unfinished: number[]; count: number; failed: number[] }
  | { is: "no-agent" }
  | { is: "no-cluster-allowed"; disabled: string[]; adminsOnly: string[] }
  | { is: "busy"; slots: number; ahead: number };

const named = 10;

export function whyWaiting(core: Core, run: Run, task: number): WaitingReason {
  const state = run.tasks.states[task];
  if (state === TaskState.waiting) {
    const unfinished = [...neighbours(run.plan.predecessors, task)].filter(
      (predecessor) => run.tasks.states[predecessor] !== TaskState.finished,
    );
    const failed = unfinished.filter((predecessor) => run.tasks.states[predecessor] === TaskState.failed);
    return {
      is: "predecessors",
      unfinished: unfinished.slice(0, named),
      count: unfinished.length,
      failed: failed.slice(0, named),
    };
  }
  if (state !== TaskState.ready) return { is: "not-waiting" };
  const unserved = whyUnserved(core, run.plan.ownerAdmin);
  if (unserved) return unserved;
  let slots = 0;
  for (const cluster of core.clusters.values()) {
    if (allows(cluster, run.plan.ownerAdmin)) slots += slotsOf(cluster);
  }
  return { is: "busy", slots, ahead: run.tasks.ready.size - 1 };
}

/** Why no run of this class can be served, or nothing if it is only a matter of time. */
function whyUnserved(core: Core, admin: boolean): WaitingReason | undefined {
  const disabled: string[] = [];
  const adminsOnly: string[] = [];
  let allowed = false;
  for (const cluster of core.clusters.values()) {
    if (!cluster.enabled) disabled.push(cluster.id);
    else if (!allows(cluster, admin)) adminsOnly.push(cluster.id);
    else {
      allowed = true;
      if (slotsOf(cluster) > 0) return undefined;
    }
  }
  if (allowed || disabled.length + adminsOnly.length === 0) return { is: "no-agent" };
  return { is: "no-cluster-allowed", disabled, adminsOnly };
}

function slotsOf(cluster: Cluster): number {
  let slots = 0;
  for (const agent of cluster.members) if (agent.mode.is === "joined") slots += agent.mode.slots;
  return slots;
}

export function tellUnservedRuns(core: Core): void {
  for (const runClass of core.classes) {
    if (runClass.line.size === 0) continue;
    const reason = whyUnserved(core, runClass.admin);
    if (!reason) continue;
    for (const run of runClass.line) {
      if (run.phase.is !== "going" || run.tasks.ready.size === 0 || run.told === reason.is) continue;
      run.told = reason.is;
      core.event(run, "waiting-for-cluster", { ready: run.tasks.ready.size, ...argumentsOf(reason) });
    }
  }
}

function argumentsOf(reason: WaitingReason): Record<string, string | number> {
  if (reason.is !== "no-cluster-allowed") return { reason: reason.is };
  return { reason: reason.is, disabled: reason.disabled.join(", "), adminsOnly: reason.adminsOnly.join(", ") };
}
