/**
 * What the end of an attempt means for its task (GW-6): success finishes it; a failure is tried again up to the
 * run's retries; what was lost or cancelled without being asked is placed again without blame; missing inputs
 * send their producers to work again. In a run that is being killed everything but success means cancelled.
 */
import type { Outcome, Usage } from "./outcome";
import { finishTask, moveToRunnable, settle, unfinishTask } from "./progress";
import { type Agent, type Core, type Flight, refOf } from "./state";
import { TaskState } from "./task-state";

type Verdict = { is: "finished" } | { is: "again" } | { is: "cancelled" } | { is: "failed"; because: string };

export function closeFlight(core: Core, flight: Flight, outcome: Outcome, usage: Usage): void {
  const { run, task } = flight;
  core.ports.journal.append({ is: "outcome", attempt: refOf(flight), outcome, usage, at: core.now() });
  run.inFlight.delete(task);
  flight.agent.open.delete(flight);
  noteRunTime(flight.agent, usage);
  core.offer(flight.agent);
  const verdict = judge(core, flight, outcome);
  switch (verdict.is) {
    case "finished":
      finishTask(core, run, task);
      break;
    case "again":
      moveToRunnable(core, run, task);
      break;
    case "cancelled":
      core.move(run, task, TaskState.cancelled);
      break;
    case "failed":
      core.move(run, task, TaskState.failed);
      core.event(run, "task-failed", { reason: verdict.because, attempts: flight.ordinal }, task);
      break;
  }
  settle(core, run);
}

function noteRunTime(agent: Agent, { startedAt, endedAt }: Usage): void {
  if (startedAt === undefined || endedAt === undefined) return;
  const ran = Math.max(0, endedAt - startedAt);
  agent.meanRunMs = agent.meanRunMs === undefined ? ran : 0.8 * agent.meanRunMs + 0.2 * ran;
}

function judge(core: Core, flight: Flight, outcome: Outcome): Verdict {
  const { run, task, ordinal, host } = flight;
  if (outcome.is === "succeeded") return { is: "finished" };
  // Counted by the kind of outcome and nothing else, because that is how recovery counts them again.
  const column = outcome.is === "failed" ? run.tasks.failures : run.tasks.losses;
  column[task]! += 1;
  if (run.phase.is === "killing") return { is: "cancelled" };
  switch (outcome.is) {
    case "failed":
      core.event(run, "attempt-failed", { ordinal, host, ...failureArguments(outcome) }, task);
      return afterFailure(core, flight, outcome);
    case "lost":
      core.event(run, "attempt-lost", { ordinal, host, reason: outcome.reason }, task);
      return afterLoss(core, flight);
    case "cancelled":
      core.event(run, "attempt-lost", { ordinal, host, reason: "cancelled" }, task);
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

function afterFailure(core: Core, { run, task }: Flight, outcome: Failure): Verdict {
  // A program that is not there will not be there the next time either.
  if (outcome.reason === "executable-missing") return { is: "failed", because: "executable-missing" };
  const failures = run.tasks.failures[task]!;
  if (failures > run.plan.retries) return { is: "failed", because: "out-of-retries" };
  core.event(run, "attempt-retried", { failures, retries: run.plan.retries }, task);
  return { is: "again" };
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
