/**
 * Early binding: a task of such a lane does not wait for an agent that is there, an agent is wanted for it. The engine chooses the
 * cluster and writes down that an agent is wanted for this attempt; whoever speaks with the cluster submits one, with the task's own
 * resources; the agent that comes is bound to the attempt and gets it and nothing else. Until then the task is ready, and
 * whatever becomes of agents on the way, at most one receives it, because handing out is what changes its state.
 *
 * What is wanted is told again after a restart; the journal knows it by the attempt's name.
 */
import { clustersFor } from "./demand";
import { handOut, reasonFor } from "./hand-out";
import type { AttemptRef, ClusterId } from "./ids";
import { type Lane, laneOf } from "./lanes";
import { atCategoryLimit, worksFor } from "./room";
import { type Agent, allows, type Cluster, type Core, type Run } from "./state";
import { TaskState } from "./task-state";

/** How long a cluster that did not start an agent for a task is passed over for that task. */
const passOverMs = 60_000;

/** Called after every event: asks for agents for what became ready. */
export function wantAgents(core: Core): void {
  if (core.unbound.length === 0) return;
  for (const { run, task } of core.unbound.splice(0)) {
    if (run.phase.is !== "going" || run.tasks.states[task] !== TaskState.ready) continue;
    const lane = laneOf(core, run, task);
    const ordinal = run.tasks.ordinals[task]! + 1;
    const wanted = run.wanted.get(task);
    if (!lane.early || lane.particular?.held || wanted?.ordinal === ordinal) continue;
    const cluster = atCategoryLimit(lane) ? undefined : chooseCluster(core, lane, task);
    if (!cluster) {
      core.unplaced.push({ run, task });
      continue;
    }
    const at = core.now();
    run.wanted.set(task, { ordinal, cluster: cluster.id, at });
    core.ports.journal.append({
      is: "agent-wanted",
      attempt: { run: run.plan.id, task, ordinal },
      cluster: cluster.id,
      owner: run.plan.ownerId,
      asks: asksOf(lane),
      at,
    });
  }
}

/** Once a tick: what found no cluster is looked at again, and bound agents that could not be served when they came. */
export function lookAgain(core: Core): void {
  core.unbound.push(...core.unplaced.splice(0));
  for (const agent of core.boundAgents) if (agent.open.size === 0) serveBound(core, agent);
}

/** The agent that was started for one attempt is there. */
export function serveBound(core: Core, agent: Agent): void {
  if (agent.mode.is !== "joined") return;
  const { bound } = agent.mode.joining;
  const run = bound && core.runs.get(bound.run);
  if (!bound || run?.phase.is !== "going" || !isWaiting(run, bound)) return;
  const lane = laneOf(core, run, bound.task);
  if (
    !lane.early ||
    lane.particular?.held ||
    !worksFor(agent, lane) ||
    !allows(agent.mode.cluster, run.plan.ownerAdmin)
  )
    return;
  run.wanted.delete(bound.task);
  handOut(core, lane, bound.task, agent, reasonFor(run, bound.task));
}

/** No agent came of what was wanted at this moment, and none will: another cluster is tried, or the same again later. */
export function wantedFailed(
  core: Core,
  { run: id, task, ordinal }: AttemptRef,
  askedAt: number,
  problem: string,
): void {
  const run = core.runs.get(id);
  const wanted = run?.wanted.get(task);
  if (!run || wanted?.ordinal !== ordinal || wanted.at !== askedAt) return;
  run.wanted.delete(task);
  run.passedOver.set(`${task}/${wanted.cluster}`, core.now() + passOverMs);
  core.event(run, "agent-not-started", { ordinal, cluster: wanted.cluster, problem }, task);
  core.unplaced.push({ run, task });
}

function isWaiting(run: Run, { task, ordinal }: AttemptRef): boolean {
  return run.tasks.states[task] === TaskState.ready && run.tasks.ordinals[task]! + 1 === ordinal;
}

/** Of the clusters it may use, the one with the fewest such agents on the way. */
function chooseCluster(core: Core, lane: Lane, task: number): Cluster | undefined {
  const { run } = lane;
  const usable = [...core.clusters.values()].filter(({ id, policy }) => {
    if (!policy.startsAgents || (run.passedOver.get(`${task}/${id}`) ?? 0) > core.now()) return false;
    return !policy.problems?.some(({ owner }) => owner === undefined || owner === run.plan.ownerId);
  });
  const open = new Set(clustersFor(core, lane));
  const suitable = usable.filter(({ id }) => open.has(id));
  if (suitable.length < 2) return suitable[0];
  const counts = new Map<ClusterId, number>();
  for (const other of core.runs.values()) {
    for (const { cluster } of other.wanted.values()) counts.set(cluster, (counts.get(cluster) ?? 0) + 1);
  }
  return suitable.reduce((best, one) => ((counts.get(one.id) ?? 0) < (counts.get(best.id) ?? 0) ? one : best));
}

/** What the cluster's job has to ask for. */
export interface WantedResources {
  cores: number;
  memoryBytes?: number;
  wallSeconds?: number;
  gpus?: number;
  /** Ranks of an MPI task. */
  processes?: number;
}

/** What the task asks for itself; the run's limits are no wish of its own. */
function asksOf({ asks, profile }: Lane): WantedResources {
  const { wallSeconds, processes } = profile;
  const gpus = asks.named.Gpus;
  return {
    cores: asks.cores,
    ...(asks.memoryBytes > 0 ? { memoryBytes: asks.memoryBytes } : {}),
    ...(wallSeconds === undefined ? {} : { wallSeconds }),
    ...(gpus === undefined ? {} : { gpus }),
    ...(processes === undefined ? {} : { processes }),
  };
}
