/**
 * How a run moves on: what a finished or unfinished task means for those that depend on it, and when the run is
 * over. `remaining` is true at all times for tasks in every state, so a retry or a lost file needs no recount.
 */
import { isTaken } from "./branches";
import { laneOf, leaveShelf } from "./lanes";
import type { Agent, Core, Run } from "./state";
import { noteProgress } from "./tail";
import { type RunState, TaskState } from "./task-state";
import { neighbours } from "./task-table";

const { waiting, ready, running, finished, skipped, migrating } = TaskState;

/** Where a task goes that is to run (again): it may have to wait for a predecessor that runs again. */
export function moveToRunnable(core: Core, run: Run, task: number): void {
  core.move(run, task, isRunnable(run, task) && !askForResult(core, run, task) ? ready : waiting);
}

/** A task that was not begun, of a run that is taken up again: meanwhile it may have turned out not to be on the branch. */
export function takeUpAgain(core: Core, run: Run, task: number): void {
  if (isRunnable(run, task) && !isTaken(run, task)) skip(core, run, task);
  else moveToRunnable(core, run, task);
}

/** A waiting task whose last predecessor is over: it is ready, or it is skipped and so may be others after it. */
export function becomeReady(core: Core, run: Run, task: number): void {
  if (!isTaken(run, task)) skip(core, run, task);
  else if (!askForResult(core, run, task)) core.move(run, task, ready);
}

function skip(core: Core, run: Run, task: number): void {
  core.move(run, task, skipped);
  // A list, not a recursion: what is not taken may be a chain of any length.
  const over = [task];
  for (let next = over.pop(); next !== undefined; next = over.pop()) {
    for (const successor of neighbours(run.plan.successors, next)) {
      run.tasks.remaining[successor]! -= 1;
      if (!mayBegin(run, successor)) continue;
      if (isTaken(run, successor)) becomeReady(core, run, successor);
      else {
        core.move(run, successor, skipped);
        over.push(successor);
      }
    }
  }
}

/** What depends on it need not wait for it any more. */
export function isOver({ tasks }: Run, task: number): boolean {
  return tasks.states[task] === finished || tasks.states[task] === skipped;
}

function mayBegin({ tasks, phase, plan }: Run, task: number): boolean {
  const isFirst = tasks.remaining[task] === 0 && tasks.states[task] === waiting && phase.is === "going";
  return isFirst && task !== plan.finalTask;
}

/** True if somebody looks for a result the task could take (reuse.ts): it waits for the answer. */
export function askForResult(core: Core, run: Run, task: number): boolean {
  const { reuse } = core.ports;
  if (!reuse || !run.plan.reuse || run.tasks.ordinals[task]! > 0 || run.reused.has(task)) return false;
  if (!run.checking.has(task)) reuse.ask(run.plan.id, task);
  run.checking.add(task);
  return true;
}

/** Nothing keeps it from running; the final task is kept until nothing else can happen. */
export function isRunnable(run: Run, task: number): boolean {
  return run.tasks.remaining[task] === 0 && task !== run.plan.finalTask;
}

/** `madeOn`: an agent that has large outputs of it, which draw the next tasks there (GR-9). */
export function finishTask(core: Core, run: Run, task: number, madeOn?: Agent): void {
  core.move(run, task, finished);
  const { tasks } = run;
  for (const successor of neighbours(run.plan.successors, task)) {
    tasks.remaining[successor]! -= 1;
    if (!mayBegin(run, successor)) continue;
    becomeReady(core, run, successor);
    if (madeOn && tasks.states[successor] !== skipped) {
      laneOf(core, run, successor).near.push({ task: successor, agent: madeOn });
    }
  }
}

/**
 * The outputs of a finished task are gone and somebody needs them: it runs again. Those who depend on it and have
 * not started wait again; those who run have their inputs already, or will say what they miss.
 */
export function unfinishTask(core: Core, run: Run, task: number): void {
  moveToRunnable(core, run, task);
  run.winners.delete(task);
  run.answers.delete(task);
  const { tasks } = run;
  for (const successor of neighbours(run.plan.successors, task)) {
    tasks.remaining[successor]! += 1;
    if (tasks.states[successor] === ready) core.move(run, successor, waiting);
  }
}

/** After any change: what its bag tells is true again, and it is over if nothing can happen any more. */
export function settle(core: Core, run: Run): void {
  if (run.phase.is === "over") return;
  noteProgress(core, run);
  if (run.tasks.count(running) + run.tasks.count(migrating) > 0) return;
  if (run.phase.is === "going" && run.tasks.count(ready) + run.checking.size > 0) return;
  if (startFinalTask(core, run)) return;
  endRun(core, run);
}

/** Whatever happened to the others, it runs last. */
function startFinalTask(core: Core, run: Run): boolean {
  const { finalTask } = run.plan;
  if (finalTask === undefined || run.phase.is !== "going" || run.tasks.states[finalTask] !== waiting) return false;
  core.move(run, finalTask, ready);
  return true;
}

function endRun(core: Core, run: Run): void {
  const at = core.now();
  const allDone = run.tasks.count(finished) + run.tasks.count(skipped) === run.plan.taskCount;
  const state: RunState = allDone ? "succeeded" : run.phase.is === "killing" ? "killed" : "failed";
  const { tasks } = run;
  core.ports.journal.append({ is: "run-state", run: run.plan.id, state, at });
  core.event(run, "run-ended", {
    state,
    finished: tasks.count(finished),
    failed: tasks.count(TaskState.failed),
    waiting: tasks.count(waiting),
    cancelled: tasks.count(TaskState.cancelled),
    skipped: tasks.count(skipped),
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

export function forgetRun(core: Core, run: Run): void {
  core.runs.delete(run.plan.id);
  if (run.policies.concurrency !== undefined) core.prefetching -= 1;
  for (const lane of run.lanes.values()) leaveShelf(core, lane);
}

/** Ended runs are let go after a while; a run that was reopened meanwhile stays. */
export function forgetEndedRuns(core: Core): void {
  const limit = core.now() - core.settings.keepEndedMs;
  for (let first = core.ended.peek(); first && first.end.at <= limit; first = core.ended.peek()) {
    core.ended.shift();
    const { run, end } = first;
    if (run.phase === end) forgetRun(core, run);
  }
}
