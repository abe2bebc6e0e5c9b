/**
 * How a run moves on: what a finished or unfinished task means for those that depend on it, and when the run is
 * over. `remaining` is true at all times for tasks in every state, so a retry or a lost file needs no recount.
 */
import type { Core, Run } from "./state";
import { type RunState, TaskState } from "./task-state";
import { neighbours } from "./task-table";

const { waiting, ready, running, finished } = TaskState;

/** Where a task goes that is to run (again): it may have to wait for a predecessor that runs again. */
export function moveToRunnable(core: Core, run: Run, task: number): void {
  core.move(run, task, run.tasks.remaining[task] === 0 ? ready : waiting);
}

export function finishTask(core: Core, run: Run, task: number): void {
  core.move(run, task, finished);
  const { tasks } = run;
  for (const successor of neighbours(run.plan.successors, task)) {
    tasks.remaining[successor]! -= 1;
    if (tasks.remaining[successor] === 0 && tasks.states[successor] === waiting && run.phase.is === "going") {
      core.move(run, successor, ready);
    }
  }
}

/**
 * The outputs of a finished task are gone and somebody needs them: it runs again. Those who depend on it and have
 * not started wait again; those who run have their inputs already, or will say what they miss.
 */
export function unfinishTask(core: Core, run: Run, task: number): void {
  moveToRunnable(core, run, task);
  const { tasks } = run;
  for (const successor of neighbours(run.plan.successors, task)) {
    tasks.remaining[successor]! += 1;
    if (tasks.states[successor] === ready) core.move(run, successor, waiting);
  }
}

/** After any change: the run stands in line if it has something to do, and is over if nothing can happen any more. */
export function settle(core: Core, run: Run): void {
  if (run.phase.is === "over") return;
  if (run.tasks.count(running) > 0 || (run.phase.is === "going" && run.tasks.count(ready) > 0)) {
    core.wake(run);
    return;
  }
  endRun(core, run);
}

function endRun(core: Core, run: Run): void {
  const at = core.now();
  const allFinished = run.tasks.count(finished) === run.plan.taskCount;
  const state: RunState = allFinished ? "succeeded" : run.phase.is === "killing" ? "killed" : "failed";
  const { tasks } = run;
  core.ports.journal.append({ is: "run-state", run: run.plan.id, state, at });
  core.event(run, "run-ended", {
    state,
    finished: tasks.count(finished),
    failed: tasks.count(TaskState.failed),
    waiting: tasks.count(waiting),
    cancelled: tasks.count(TaskState.cancelled),
  });
  if (run.phase.is === "killing") {
    for (const command of run.phase.kills) commandDone(core, command);
    for (const id of run.phase.retries) core.later.push({ id, run: run.plan.id, kind: "retry-failed" });
  }
  const end = { is: "over", state, at } as const;
  run.phase = end;
  // Until then the journal still has the run as queued or running, and it would be taken again if it were let go.
  const remember = () => core.ended.push({ run, end });
  if (core.ports.journal.afterCommit) core.ports.journal.afterCommit(remember);
  else remember();
}

export function commandDone(core: Core, command: string): void {
  core.doneCommands.add(command);
  core.ports.journal.append({ is: "command-done", command, at: core.now() });
}

/** Ended runs are let go after a while; a run that was reopened meanwhile stays. */
export function forgetEndedRuns(core: Core): void {
  const limit = core.now() - core.settings.keepEndedMs;
  for (let first = core.ended.peek(); first && first.end.at <= limit; first = core.ended.peek()) {
    core.ended.shift();
    const { run, end } = first;
    if (run.phase === end) core.runs.delete(run.plan.id);
  }
}
