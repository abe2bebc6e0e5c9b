/**
 * Why a task that could be running is not: the answer as a value, worded by reasons.ts. Also finds, once a tick, the
 * lanes that nothing can serve as things are, and tells their runs once.
 */
import { explainRequirement, failureText } from "@/core/expressions";
import { type Lane, laneOf } from "./lanes";
import { isOver } from "./progress";
import { atCategoryLimit, couldFit, mayUse, worksFor } from "./room";
import { type Agent, allows, type Core, type Run } from "./state";
import { TaskState } from "./task-state";
import { neighbours } from "./task-table";

export type WaitingReason =
  | { is: "not-waiting" }
  /** Another branch was taken: the predecessors that decided it, and with which exit code they ended (-1: skipped too). */
  | { is: "skipped"; because: { task: number; answer: number }[] }
  /** Some of the predecessors that are not finished, in the order of the text, and how many there are. */
  | { is: "predecessors"; unfinished: number[]; count: number; failed: number[] }
  /** An earlier result is looked for. */
  | { is: "checking" }
  /** It failed too often and waits for a person. */
  | { is: "held" }
  /** It runs when nothing else can. */
  | { is: "last" }
  | { is: "no-agent" }
  | { is: "no-cluster-allowed"; disabled: string[]; adminsOnly: string[] }
  /** The clusters that may be used cannot start agents for this person: keys, front ends. */
  | { is: "clusters-paused"; problems: string[] }
  /** An expression cannot be read. */
  | { is: "unreadable"; text: string; problem: string }
  /** No host meets the requirements: the clauses that fail on most of them, the worst first. */
  | { is: "no-match"; hosts: number; failing: { clause: string; hosts: number }[] }
  /** Hosts match, but none has what it asks for even when it is idle. */
  | { is: "too-big"; hosts: number; cores: number; memoryMegabytes: number; named: string }
  | { is: "category"; category: string; limit: number }
  /** Every host that matches fails where others succeed, and is avoided for a while. */
  | { is: "avoided"; hosts: number }
  /** Early binding: an agent of its own waits in the cluster's queue. */
  | { is: "queued-at"; cluster: string }
  /** An agent is kept free for it as soon as what runs there has ended. */
  | { is: "reserved"; host: string }
  /** `ahead`: ready tasks of the same run; `others`: people with a claim to the next slot that is not smaller. */
  | { is: "busy"; slots: number; ahead: number; others: number };

const named = 10;
/** So many hosts are explained; with more the picture does not change. */
const mostExplained = 500;

export function whyWaiting(core: Core, run: Run, task: number): WaitingReason {
  const state = run.tasks.states[task];
  if (run.checking.has(task)) return { is: "checking" };
  if (state === TaskState.waiting) return task === run.plan.finalTask ? { is: "last" } : unfinished(run, task);
  if (state === TaskState.skipped) return { is: "skipped", because: whySkipped(run, task) };
  if (state !== TaskState.ready) return { is: "not-waiting" };
  const wanted = run.wanted.get(task);
  if (run.particulars.get(task)?.held) return { is: "held" };
  if (wanted) return { is: "queued-at", cluster: wanted.cluster };
  const lane = laneOf(core, run, task);
  return lane.early ? whyNoAgent(core, lane) : whyLaneWaits(core, lane);
}

function unfinished(run: Run, task: number): WaitingReason {
  const all = [...neighbours(run.plan.predecessors, task)].filter((predecessor) => !isOver(run, predecessor));
  const failed = all.filter((predecessor) => run.tasks.states[predecessor] === TaskState.failed);
  return { is: "predecessors", unfinished: all.slice(0, named), count: all.length, failed: failed.slice(0, named) };
}

function whySkipped(run: Run, task: number): { task: number; answer: number }[] {
  const conditions = run.plan.conditionsOf?.(task) ?? [];
  return [...neighbours(run.plan.predecessors, task)]
    .filter(
      (predecessor) =>
        run.tasks.states[predecessor] === TaskState.skipped || conditions.some(({ before }) => before === predecessor),
    )
    .slice(0, named)
    .map((predecessor) => ({
      task: predecessor,
      answer: run.tasks.states[predecessor] === TaskState.skipped ? -1 : (run.answers.get(predecessor) ?? 0),
    }));
}

export function whyLaneWaits(core: Core, lane: Lane): WaitingReason {
  const { run, profile, shelf } = lane;
  const agents = [...core.agents.values()].filter((agent) => {
    const { mode } = agent;
    return mode.is === "joined" && mode.slots > 0 && mayUse(core, mode.cluster, lane) && worksFor(agent, lane);
  });
  if (agents.length === 0) return whyNoAgent(core, lane);
  const unreadable = shelf.judge.terms.requirements.find(({ problem }) => problem !== undefined);
  if (unreadable) return { is: "unreadable", text: unreadable.text, problem: unreadable.problem ?? "" };
  const matching = agents.filter((agent) => shelf.judge.matches(agent));
  if (matching.length === 0) return { is: "no-match", hosts: agents.length, failing: failingClauses(lane, agents) };
  const bigEnough = matching.filter((agent) => couldFit(agent, lane));
  if (bigEnough.length === 0) return tooBig(lane, matching.length);
  if (atCategoryLimit(lane)) {
    const { category = "" } = profile;
    return { is: "category", category, limit: run.plan.categoryLimits?.[category] ?? 0 };
  }
  const trusted = bigEnough.filter(({ mode }) => mode.is === "joined" && mode.record.trust.is !== "avoided");
  if (trusted.length === 0) return { is: "avoided", hosts: bigEnough.length };
  if (lane.reserved?.mode.is === "joined") return { is: "reserved", host: lane.reserved.mode.host };
  return busy(core, lane, trusted);
}

function busy(core: Core, lane: Lane, agents: readonly Agent[]): WaitingReason {
  let slots = 0;
  for (const { mode } of agents) if (mode.is === "joined") slots += mode.slots;
  const { owner } = lane.shelf;
  let others = 0;
  for (const other of core.hungry) if (other !== owner && other.pass <= owner.pass) others += 1;
  return { is: "busy", slots, ahead: lane.run.tasks.count(TaskState.ready) - 1, others };
}

function tooBig({ asks }: Lane, hosts: number): WaitingReason {
  const wanted = Object.entries(asks.named).map(([name, count]) => `${count} ${name}`);
  const memoryMegabytes = Math.ceil(asks.memoryBytes / 1024 ** 2);
  return { is: "too-big", hosts, cores: asks.cores, memoryMegabytes, named: wanted.join(", ") };
}

/** The innermost clauses that are false, with the number of hosts they are false on. */
function failingClauses({ shelf, scene }: Lane, agents: readonly Agent[]): { clause: string; hosts: number }[] {
  const counts = new Map<string, { hosts: number; example: string }>();
  for (const { ad } of agents.slice(0, mostExplained)) {
    for (const { expr } of shelf.judge.terms.requirements) {
      if (!expr) continue;
      for (const clause of explainRequirement(expr, scene.contextOf(ad.ad)).failing) {
        const known = counts.get(clause.text);
        if (known) known.hosts += 1;
        else counts.set(clause.text, { hosts: 1, example: failureText(clause) });
      }
    }
  }
  return [...counts.values()]
    .sort((a, b) => b.hosts - a.hosts)
    .slice(0, 3)
    .map(({ hosts, example }) => ({ clause: example, hosts }));
}

function whyNoAgent(core: Core, { run }: Lane): WaitingReason {
  const { ownerAdmin: admin, ownerId } = run.plan;
  const problems: string[] = [];
  const disabled: string[] = [];
  const adminsOnly: string[] = [];
  let allowed = false;
  for (const cluster of core.clusters.values()) {
    if (!cluster.policy.enabled) disabled.push(cluster.id);
    else if (!allows(cluster, admin)) adminsOnly.push(cluster.id);
    else {
      allowed = true;
      for (const { owner, sentence } of cluster.policy.problems ?? []) {
        if (owner === undefined || owner === ownerId) problems.push(`${cluster.id}: ${sentence}`);
      }
    }
  }
  if (problems.length > 0) return { is: "clusters-paused", problems: problems.slice(0, named) };
  if (allowed || disabled.length + adminsOnly.length === 0) return { is: "no-agent" };
  return { is: "no-cluster-allowed", disabled, adminsOnly };
}

/** Reasons that do not pass by themselves: a person may have to do something. */
const lasting: ReadonlySet<WaitingReason["is"]> = new Set([
  "no-agent",
  "no-cluster-allowed",
  "clusters-paused",
  "unreadable",
  "no-match",
  "too-big",
]);

export function tellUnservedRuns(core: Core): void {
  for (const owner of core.hungry) {
    for (const shelf of owner.hungry) {
      const lane = shelf.line.peek();
      if (!lane || lane.shelf !== shelf || somebodyCould(core, lane)) continue;
      const reason = whyLaneWaits(core, lane);
      if (!lasting.has(reason.is)) continue;
      for (const waiting of shelf.line) tell(core, waiting, reason);
    }
  }
}

/** Somebody can take it, or will be able to: nothing to tell. The usual case, without a look at every host. */
function somebodyCould(core: Core, lane: Lane): boolean {
  for (const agent of core.agents.values()) {
    const { mode } = agent;
    if (mode.is !== "joined" || mode.slots === 0 || !mayUse(core, mode.cluster, lane) || !worksFor(agent, lane))
      continue;
    if (lane.shelf.judge.matches(agent) && couldFit(agent, lane)) return true;
  }
  return false;
}

function tell(core: Core, { run, ready, shelf }: Lane, reason: WaitingReason): void {
  const args = waitingArguments(reason);
  const told = JSON.stringify([shelf.key, args]);
  if (run.phase.is !== "going" || ready.size === 0 || run.told === told) return;
  run.told = told;
  core.event(run, "waiting-for-cluster", { ready: ready.size, ...args });
}

/** As an event keeps them. */
export function waitingArguments(reason: WaitingReason): Record<string, string | number> {
  switch (reason.is) {
    case "no-cluster-allowed":
      return { reason: reason.is, disabled: reason.disabled.join(", "), adminsOnly: reason.adminsOnly.join(", ") };
    case "clusters-paused":
      return { reason: reason.is, problems: reason.problems.join(" ") };
    case "no-match":
      return { reason: reason.is, hosts: reason.hosts, clause: reason.failing[0]?.clause ?? "" };
    case "too-big":
      return {
        reason: "too-big",
        hosts: reason.hosts,
        cores: reason.cores,
        memory: reason.memoryMegabytes,
        named: reason.named,
      };
    case "unreadable":
      return { reason: reason.is, text: reason.text, problem: reason.problem };
    default:
      return { reason: reason.is };
  }
}
