/**
 * The performance monitor (GW-3): what running tasks tell of themselves, and what is looked at once a tick.
 *
 *   restart files   the last complete set is kept; a set with which a task failed without getting any further is dropped
 *   profile         each iteration against the contract: longer than agreed, or than so many times the best
 *   dynamic files   a requirement that its host does not meet any longer moves the task; a new rank only changes what is better
 *   better hosts    for tasks that want them, every `discoverMs`, if it pays (worth.ts)
 *   the job         of an agent under a batch system: suspended or held for too long, cancelled by its owner, gone (GW-7); running
 *                   although the agent is silent: the host answers, so it is watched further (GW-10)
 */
import { parseExpression, printExpression, translateGridwayRank, translateLdapFilter } from "@/core/expressions";
import type { ProfileSample, Progress, RestartSet } from "@/core/protocol/agent";
import { laneOf } from "./lanes";
import { bestHost, pursue, type Wish, wantMove } from "./migrate";
import type { JobLoss, Outcome } from "./outcome";
import { type Agent, type Core, type Flight, refOf } from "./state";
import { changeTask } from "./task-change";
import { TaskState } from "./task-state";
import { worthOfMoving } from "./worth";

/** What a task that may move is known by, while it is with an agent. */
export interface Watch {
  wish: Wish | undefined;
  /** Number of its last set, and when that was told. */
  set: number;
  safeAt: number | undefined;
  /** The last iteration that was told. */
  sample: number;
  /** As they were told last. */
  requirement: string | undefined;
  rank: string | undefined;
  lookedAt: number;
}

export function newWatch(now: number): Watch {
  return {
    ...{ wish: undefined, set: 0, safeAt: undefined, sample: -1 },
    ...{ requirement: undefined, rank: undefined, lookedAt: now },
  };
}

export function takeProgress(core: Core, flight: Flight, progress: Omit<Progress, "attempt" | "epoch">): void {
  const { checkpoint, samples, requirement, rank, degraded, bytesPerSecond } = progress;
  if (bytesPerSecond !== undefined) flight.agent.bytesPerSecond = bytesPerSecond;
  if (checkpoint) noteSet(core, flight, checkpoint);
  if (requirement !== undefined || rank !== undefined) noteDynamic(core, flight, requirement, rank);
  if (samples) noteSamples(core, flight, samples);
  if (degraded !== undefined && mayBeForced(flight)) wantMove(core, flight, "performance", { evaluator: degraded });
}

/** A set that was told before, by this attempt, is no news. */
export function noteSet(core: Core, flight: Flight, { number, files, at: told }: RestartSet): void {
  const { run, task, watch, lane } = flight;
  if (number <= watch.set || lane.profile.adaptive?.restart !== true) return;
  const at = core.now();
  watch.set = number;
  watch.safeAt = Math.min(at, told);
  const attempt = refOf(flight);
  run.checkpoints.set(task, { ordinal: flight.ordinal, files, at });
  core.ports.journal.append({ is: "checkpoint", attempt, number, files, at });
}

/** A failure that a restart file causes would come again and again: if it got no further with a set, it starts anew. */
export function doubtSet(core: Core, flight: Flight, outcome: Outcome): void {
  const { run, task, ordinal, watch } = flight;
  const set = run.checkpoints.get(task);
  if (outcome.is !== "failed" || !set || set.ordinal >= ordinal || watch.set > 0) return;
  run.checkpoints.delete(task);
  const at = core.now();
  core.ports.journal.append({ is: "checkpoint", attempt: refOf(flight), number: 0, files: [], at });
  core.event(run, "checkpoint-dropped", { ordinal, files: set.files.length }, task);
}

function noteSamples(core: Core, flight: Flight, samples: readonly ProfileSample[]): void {
  const { run, task, watch, lane, ordinal, host } = flight;
  const fresh = samples.filter(({ n }) => n > watch.sample).sort((a, b) => a.n - b.n);
  const last = fresh.at(-1);
  if (!last) return;
  watch.sample = last.n;
  core.ports.journal.append({ is: "samples", attempt: refOf(flight), samples: fresh });
  let best = run.bestIterations.get(task) ?? Number.POSITIVE_INFINITY;
  for (const { seconds } of fresh) best = Math.min(best, seconds);
  run.bestIterations.set(task, best);
  const { contract } = lane.profile.adaptive ?? {};
  if (!contract || !mayBeForced(flight)) return;
  const limits = [contract.seconds ?? Number.POSITIVE_INFINITY, (contract.factor ?? Number.POSITIVE_INFINITY) * best];
  const limit = Math.min(...limits);
  if (last.seconds <= limit) {
    // It recovered before there was anywhere to go.
    if (watch.wish?.reason === "performance" && watch.wish.commands.size === 0) watch.wish = undefined;
    return;
  }
  const seconds = round(last.seconds);
  wantMove(core, flight, "performance", { ordinal, host, iteration: last.n, seconds, limit: round(limit) });
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function mayBeForced({ lane }: Flight): boolean {
  return (lane.profile.adaptive?.migrate ?? "forced") !== "never";
}

/** A first line that says so makes a change count only for where it goes next, not for where it is. */
const optionalMark = /^\s*#\s*optional\s*$/im;

function noteDynamic(core: Core, flight: Flight, requirement: string | undefined, rank: string | undefined): void {
  const { run, task, watch, ordinal, host, agent } = flight;
  if (requirement === watch.requirement && rank === watch.rank) return;
  watch.requirement = requirement;
  watch.rank = rank;
  const change: { requirement?: string; rank?: string } = {};
  const problems: Record<string, string> = {};
  for (const [name, text] of [
    ["requirement", requirement],
    ["rank", rank],
  ] as const) {
    if (text === undefined) continue;
    const read = readDynamic(name, text);
    if (read.is === "text") change[name] = read.text;
    else if (read.is === "problem") problems[`${name}Problem`] = read.problem;
  }
  const known = run.particulars.get(task);
  const fresh = Object.entries(change).filter(([name, text]) => known?.[name as keyof typeof change] !== text);
  if (fresh.length === 0 && Object.keys(problems).length === 0) return;
  core.event(run, "requirement-changed", { ordinal, host, ...change, ...problems }, task);
  if (fresh.length === 0) return;
  changeTask(core, run, task, change);
  const meets = laneOf(core, run, task).shelf.judge.matches(agent);
  const isOptional = requirement !== undefined && optionalMark.test(requirement);
  if (!meets && !isOptional && mayBeForced(flight)) wantMove(core, flight, "requirements", { urgent: true, ...change });
  watch.lookedAt = Number.NEGATIVE_INFINITY;
}

type Dynamic = { is: "nothing" } | { is: "text"; text: string } | { is: "problem"; problem: string };

/** As a ClassAd expression, or in GridWay's ways of writing one. */
export function readDynamic(kind: "requirement" | "rank", written: string): Dynamic {
  const text = written.replace(/^[ \t]*#.*$/gm, "").trim();
  if (text === "") return { is: "nothing" };
  // The paper's requirement files are LDAP filters, which may read as a strange expression too.
  const filter = kind === "requirement" && text.startsWith("(") ? translateLdapFilter(text) : undefined;
  if (filter?.ok) return { is: "text", text: printExpression(filter.value, "spaced") };
  const plain = parseExpression(text, { dialect: "gridbot" });
  if (plain.ok) return { is: "text", text };
  const rank = kind === "rank" ? translateGridwayRank(text) : undefined;
  if (rank?.ok) return { is: "text", text: printExpression(rank.value, "spaced") };
  return { is: "problem", problem: plain.problem.message };
}

/** Once a tick. */
export function monitor(core: Core): void {
  const now = core.now();
  for (const run of core.runs.values()) {
    if (run.watched.size === 0 || run.phase.is !== "going") continue;
    for (const flight of [...run.watched]) {
      if (flight.phase.is === "cancelling") continue;
      judgeJob(core, flight);
      if (flight.watch.wish) pursue(core, flight);
      else lookForBetter(core, flight, now);
    }
  }
}

function lookForBetter(core: Core, flight: Flight, now: number): void {
  const { run, task, lane, watch, agent, sentAt, phase } = flight;
  if (lane.profile.adaptive?.migrate !== "better" || phase.is !== "started") return;
  const since = now - watch.lookedAt;
  if (since >= 0 && since < core.settings.discoverMs) return;
  watch.lookedAt = now;
  if (run.flights.get(task)?.length !== 1 || run.tasks.states[task] !== TaskState.running) return;
  const wanted = laneOf(core, run, task);
  const target = bestHost(core, flight, wanted);
  if (!target || !wanted.shelf.judge.matches(agent)) return;
  const rankHere = wanted.shelf.judge.hostRank(agent);
  const rankThere = wanted.shelf.judge.hostRank(target);
  const ranMs = Math.max(0, now - sentAt);
  const restart = run.checkpoints.get(task)?.files ?? [];
  const worth = worthOfMoving(
    {
      ...{ rankHere, rankThere, ranMs, meanRunMs: lane.meanRunMs },
      sinceCheckpointMs: watch.safeAt === undefined ? ranMs : Math.max(0, now - watch.safeAt),
      bytes: restart.reduce((sum, { size }) => sum + size, run.plan.inputBytes?.(task) ?? 0),
      bytesPerSecond: bandwidthOf(target),
    },
    core.settings,
  );
  if (worth.is !== "worth") return;
  const saves = Math.round(worth.savesMs / 1000);
  wantMove(core, flight, "better-host", { rank: rankHere, better: rankThere, saves });
}

/** As measured; else as its cluster's link is said to be; else that of an ordinary network. */
function bandwidthOf({ bytesPerSecond, mode }: Agent): number {
  if (bytesPerSecond !== undefined) return bytesPerSecond;
  const linkMbps = mode.is === "joined" ? mode.cluster.policy.linkMbps : undefined;
  return linkMbps === undefined ? 10e6 : linkMbps * 125_000;
}

/** How the batch system has an agent's job, as its cluster told last (GW-7). */
export interface JobWatch {
  state: string;
  since: number;
  /** Queued, held or suspended, before the present state. */
  idleMs: number;
}

const idleStates = new Set(["queued", "held", "suspended", "requeued"]);
const overStates: Readonly<Record<string, JobLoss>> = {
  "cancelled-by-owner": "job-cancelled",
  cancelled: "job-cancelled",
  "node-lost": "node-lost",
  "timed-out": "job-timed-out",
  failed: "job-ended",
  completed: "job-ended",
  gone: "job-ended",
};
/** What an agent needs to say goodbye, when its job ends in good order. */
const farewellMs = 5_000;
/** A silent agent whose job runs on a host that answers is given up after so many times the usual silence. */
const probedPatience = 4;

export function noteJob(core: Core, agent: Agent, state: string): void {
  const now = core.now();
  const { job } = agent;
  if (job?.state === state) return;
  agent.job = { state, since: now, idleMs: job ? idleOf(job, now) : 0 };
}

function idleOf({ state, since, idleMs }: JobWatch, now: number): number {
  return idleMs + (idleStates.has(state) ? Math.max(0, now - since) : 0);
}

function judgeJob(core: Core, flight: Flight): void {
  const { job } = flight.agent;
  const { suspensionSeconds } = flight.lane.profile.adaptive ?? {};
  if (!job || suspensionSeconds === undefined || !idleStates.has(job.state)) return;
  const idleMs = idleOf(job, core.now());
  if (idleMs <= suspensionSeconds * 1000) return;
  wantMove(core, flight, "suspended", { urgent: true, state: job.state, seconds: Math.round(idleMs / 1000) });
}

/**
 * A silent agent: whether its host was heard of otherwise (GW-10). A loss: its job has ended or waited too
 * long, so there is nothing to wait for. `answers`: the batch system says that it runs, or why it does not. Undefined: nobody knows.
 */
export function probe(core: Core, { job, heardAt, open }: Agent): JobLoss | "answers" | undefined {
  if (!job) return undefined;
  const now = core.now();
  const silentMs = now - heardAt;
  const loss = overStates[job.state];
  if (loss) return silentMs > farewellMs ? loss : undefined;
  if (idleStates.has(job.state)) {
    const limits = [...open].map(({ lane }) => lane.profile.adaptive?.suspensionSeconds ?? Number.POSITIVE_INFINITY);
    const limit = Math.min(core.settings.suspensionMs, ...limits.map((seconds) => seconds * 1000));
    if (idleOf(job, now) <= limit) return "answers";
    return silentMs > farewellMs ? "job-suspended" : undefined;
  }
  return silentMs <= core.settings.agentSilentMs * probedPatience ? "answers" : undefined;
}
