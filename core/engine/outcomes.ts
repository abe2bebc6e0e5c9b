/**
 * What the end of an attempt means for its task (GW-6): success finishes it, and other attempts at it are cancelled; a
 * failure is tried again up to the task's retries; what was lost or cancelled without being asked is placed again
 * without blame; missing inputs send their producers to work again. While another attempt at the task is under way,
 * only success changes the task. In a run that is being killed everything but success means cancelled.
 */
import { chargeUsed } from "./fair-share";
import { refreshHostAd } from "./host-ad";
import { noteOutcome } from "./host-record";
import { type Lane, mostRaised } from "./lanes";
import { endOfMove, finishWish, leaveHost } from "./migrate";
import { doubtSet } from "./monitor";
import { isMove, type Outcome, type Usage } from "./outcome";
import { finishTask, moveToRunnable, settle, unfinishTask } from "./progress";
import { hasFailOverCluster, leaveRoom } from "./room";
import { addTasks, extensionBy, refused } from "./spawn";
import { type Core, type Flight, refOf } from "./state";
import { changeTask, forgetOwnLanes } from "./task-change";
import { TaskState } from "./task-state";

type Verdict =
  | { is: "finished"; outputBytes: number; answer: number }
  | { is: "others-run" }
  | { is: "again" }
  | { is: "cancelled" }
  /** It waits for a person (GW-11). */
  | { is: "held"; because: string }
  | { is: "failed"; because: string };

export function closeFlight(core: Core, flight: Flight, reported: Outcome, usage: Usage): void {
  const { run, task } = flight;
  const extension = extensionBy(core, flight, reported);
  const outcome = extension?.is === "refused" ? refused(extension.problem) : endOfMove(flight, reported);
  removeFlight(core, flight, outcome, usage);
  doubtSet(core, flight, outcome);
  const verdict = judge(core, flight, outcome);
  switch (verdict.is) {
    case "finished": {
      supersedeOthers(core, flight);
      if (flight.ordinal !== run.tasks.ordinals[task]) run.winners.set(task, flight.ordinal);
      if (verdict.answer !== 0) run.answers.set(task, verdict.answer);
      if (extension?.is === "extended") addTasks(core, flight, extension);
      forgetAdaptation(core, flight);
      finishTask(core, run, task, verdict.outputBytes >= core.settings.nearBytes ? flight.agent : undefined);
      break;
    }
    case "others-run":
      break;
    case "again":
      moveToRunnable(core, run, task);
      break;
    case "cancelled":
      core.move(run, task, TaskState.cancelled);
      break;
    case "held":
      changeTask(core, run, task, { held: true });
      moveToRunnable(core, run, task);
      core.event(run, "task-held", { reason: verdict.because, attempts: run.tasks.ordinals[task]! }, task);
      break;
    case "failed":
      core.move(run, task, TaskState.failed);
      core.event(run, "task-failed", { reason: verdict.because, attempts: run.tasks.ordinals[task]! }, task);
      break;
  }
  settle(core, run);
}

/** Written down, and nobody's any more. */
function removeFlight(core: Core, flight: Flight, outcome: Outcome, usage: Usage): void {
  const { run, task, lane, agent } = flight;
  core.ports.journal.append({ is: "outcome", attempt: refOf(flight), outcome, usage, at: core.now() });
  const flights = run.flights.get(task) ?? [];
  if (flights.length > 1) {
    const others = flights.filter((other) => other !== flight);
    run.flights.set(task, others);
  } else {
    run.flights.delete(task);
    run.replicasWanted.delete(task);
  }
  leaveRoom(flight);
  run.watched.delete(flight);
  finishWish(core, flight);
  const { category } = lane.profile;
  if (category !== undefined) {
    run.categories.set(category, (run.categories.get(category) ?? 1) - 1);
    for (const other of run.lanes.values()) if (other.profile.category === category) core.wake(other);
  }
  const ranMs = ranFor(core, flight, usage);
  chargeUsed(lane, flight.charged, outcome.is === "inputs-missing" ? 0 : ranMs / 1000);
  if (outcome.is === "succeeded") noteDuration(core, lane, ranMs);
  noteHost(core, flight, outcome, usage, ranMs);
  core.offer(agent);
}

function noteDuration(core: Core, lane: Lane, ranMs: number): void {
  const { shelf } = lane;
  lane.meanRunMs = mean(lane.meanRunMs, ranMs);
  const wasBrisk = core.isBrisk(shelf.meanRunMs);
  shelf.meanRunMs = mean(shelf.meanRunMs, ranMs);
  // Agents that had no room for it may have some now.
  if (core.isBrisk(shelf.meanRunMs) !== wasBrisk) core.forgetOrder(shelf);
}

/** What its attempts left to go on from, and what made it particular, is of no use any more. */
function forgetAdaptation(core: Core, { run, task }: Flight): void {
  run.checkpoints.delete(task);
  run.bestIterations.delete(task);
  if (run.particulars.delete(task)) forgetOwnLanes(core, run, task);
}

function noteHost(core: Core, flight: Flight, outcome: Outcome, usage: Usage, ranMs: number): void {
  const { agent, run } = flight;
  // A host that fails everything at once is not a brisk one.
  const measured = usage.startedAt !== undefined && usage.endedAt !== undefined;
  if (measured && outcome.is === "succeeded") agent.meanRunMs = mean(agent.meanRunMs, ranMs);
  if (agent.mode.is !== "joined") return;
  const { record, host } = agent.mode;
  if (noteOutcome(core, record, run, outcome, flight.sentAt, ranMs) && record.trust.is === "avoided") {
    core.event(run, "host-avoided", { host, seconds: Math.round((record.trust.until - core.now()) / 1000) });
  }
  refreshHostAd(core, agent);
}

function ranFor(core: Core, { sentAt, phase }: Flight, { startedAt, endedAt }: Usage): number {
  if (startedAt !== undefined && endedAt !== undefined) return Math.max(0, endedAt - startedAt);
  return Math.max(0, core.now() - (phase.is === "started" ? phase.at : sentAt));
}

/** The last one counts a fifth. */
function mean(before: number | undefined, now: number): number {
  return before === undefined ? now : 0.8 * before + 0.2 * now;
}

/** First good result wins (GB-5). The agents are told, and tell us again if they did not hear it. */
function supersedeOthers(core: Core, winner: Flight): void {
  const { run, task } = winner;
  for (const flight of core.othersOf(winner)) {
    run.wastedSeconds += (flight.lane.asks.cores * Math.max(0, core.now() - flight.sentAt)) / 1000;
    run.tasks.losses[task]! += 1;
    removeFlight(core, flight, { is: "cancelled", reason: "superseded" }, {});
    core.send(flight.agent.id, { is: "discard", attempt: refOf(flight) });
  }
}

function judge(core: Core, flight: Flight, outcome: Outcome): Verdict {
  const { run, task, ordinal, host } = flight;
  if (outcome.is === "succeeded") {
    const outputBytes = outcome.outputs.reduce((sum, { size }) => sum + size, 0);
    return { is: "finished", outputBytes, answer: outcome.exitCode ?? 0 };
  }
  if (isMove(outcome) && run.phase.is !== "killing") {
    if (run.flights.has(task)) return { is: "others-run" };
    run.moved.add(task);
    // Its agent's own decision; ours was told when it was made.
    if (flight.phase.is !== "cancelling" && outcome.is === "cancelled") {
      leaveHost(core, flight);
      core.event(run, "migration-begun", { ordinal, host, reason: outcome.reason?.slice("moved-".length) ?? "" }, task);
    }
    return { is: "again" };
  }
  // Counted by the kind of outcome and nothing else, because that is how recovery counts them again.
  const column = outcome.is === "failed" ? run.tasks.failures : run.tasks.losses;
  if (!isMove(outcome)) column[task]! += 1;
  const raised = outcome.is === "failed" && noteRepetition(core, flight, outcome);
  const others = run.flights.has(task);
  if (run.phase.is === "killing") return others ? { is: "others-run" } : { is: "cancelled" };
  if (outcome.is === "failed") core.event(run, "attempt-failed", { ordinal, host, ...failureArguments(outcome) }, task);
  else if (outcome.is !== "inputs-missing") {
    const reason = outcome.is === "lost" ? outcome.reason : "cancelled";
    core.event(run, "attempt-lost", { ordinal, host, reason }, task);
  }
  if (others) return { is: "others-run" };
  switch (outcome.is) {
    case "failed":
      return raised ? { is: "again" } : orHeld(flight, afterFailure(core, flight, outcome));
    case "lost":
    case "cancelled":
      return afterLoss(core, flight);
    case "inputs-missing":
      return rerunProducers(core, flight, outcome.files);
  }
}

type Failure = Extract<Outcome, { is: "failed" }>;

function failureArguments({ reason, exitCode, signal, detail }: Failure): Record<string, string | number> {
  return {
    reason,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    ...(detail === undefined ? {} : { detail }),
  };
}

/**
 * A failure may change what the task gets the next time: twice the memory if it was killed for that, the fail-over
 * cluster if it failed again and again (GB-12). Both follow from the outcomes alone, so that recovery finds the same.
 * True if it makes sense to try again with more memory.
 */
function noteRepetition(core: Core, { run, task, lane, host }: Flight, { reason }: Failure): boolean {
  const level = run.raised.get(task) ?? 0;
  if (reason === "memory-limit" && level < mostRaised(core, run, task)) {
    run.raised.set(task, level + 1);
    const bytes = (lane.profile.memoryBytes ?? run.plan.memoryBytes ?? 0) * 2 ** (level + 1);
    core.event(run, "memory-raised", { megabytes: Math.round(bytes / 1024 ** 2) }, task);
    return true;
  }
  const failures = run.tasks.failures[task]! - level;
  if (failures >= core.settings.failOverAfter && !run.failedOver.has(task)) {
    run.failedOver.add(task);
    if (hasFailOverCluster(core, run.plan.ownerAdmin)) core.event(run, "failed-over", { failures, host }, task);
  }
  return false;
}

function afterFailure(core: Core, { run, task, lane }: Flight, outcome: Failure): Verdict {
  // A program that is not there will not be there the next time either.
  if (outcome.reason === "executable-missing") return { is: "failed", because: "executable-missing" };
  const { times, unlessExit } = lane.profile.retries ?? { times: run.plan.retries };
  if (unlessExit !== undefined && outcome.exitCode === unlessExit) return { is: "failed", because: "exit-code-final" };
  const failures = run.tasks.failures[task]! - (run.raised.get(task) ?? 0);
  if (failures > times) return { is: "failed", because: "out-of-retries" };
  core.event(run, "attempt-retried", { failures, retries: times }, task);
  return { is: "again" };
}

function orHeld({ lane }: Flight, verdict: Verdict): Verdict {
  const waits = lane.profile.adaptive?.trouble === "wait" && verdict.is === "failed";
  return waits ? { is: "held", because: verdict.because } : verdict;
}

function afterLoss(core: Core, { run, task }: Flight): Verdict {
  const mayGoOn = run.tasks.losses[task]! < core.settings.lossLimit;
  return mayGoOn ? { is: "again" } : { is: "failed", because: "lost-too-often" };
}

function rerunProducers(core: Core, flight: Flight, files: readonly string[]): Verdict {
  const { run, task } = flight;
  const producers = run.plan.producers(task, files);
  const file = files[0] ?? "";
  core.event(run, "inputs-missing", { files: files.length, file, producers: producers.length }, task);
  if (producers.length === 0) return { is: "failed", because: "inputs-gone" };
  const verdict = afterLoss(core, flight);
  if (verdict.is === "again") {
    for (const producer of producers) {
      if (run.tasks.states[producer] === TaskState.finished) unfinishTask(core, run, producer);
    }
  }
  return verdict;
}
