/**
 * What people ask of a run. A command may be told any number of times: it is known by its id, and it counts as done
 * in the same commit as its effects. `kill` is done only when nothing is in flight any more, so that a crash in
 * between brings it back and it goes on.
 */
import { reshelve } from "./lanes";
import { moveTask } from "./migrate";
import type { Command } from "./plan";
import type { Policies } from "./policy";
import { commandDone, isRunnable, settle, takeUpAgain } from "./progress";
import { type Core, type Run, refOf } from "./state";
import { noteProgress } from "./tail";
import { changeTask } from "./task-change";
import { TaskState } from "./task-state";

const { waiting, ready, failed, cancelled } = TaskState;

/** False if the run is not held here: it has to be recovered first. */
export function obey(core: Core, command: Command): boolean {
  if (core.doneCommands.has(command.id)) return true;
  const run = core.runs.get(command.run);
  if (!run) return false;
  switch (command.kind) {
    case "kill":
      kill(core, run, command.id);
      break;
    case "retry-failed":
      retryFailed(core, run, command.id);
      break;
    case "change-policies":
      changePolicies(core, run, command.policies, command.id);
      break;
    case "migrate":
      moveTask(core, run, command.task, command.id);
      break;
    case "resume":
      resume(core, run, command.task, command.id);
  }
  return true;
}

/** A task that waits for a person gets another try (GW-11). */
function resume(core: Core, run: Run, task: number, command: string): void {
  const { tasks } = run;
  if (run.particulars.get(task)?.held && tasks.states[task] === ready) {
    core.move(run, task, waiting);
    changeTask(core, run, task, { held: false });
    core.event(run, "task-resumed", {}, task);
    // The last task of a run waits for its turn again.
    if (isRunnable(run, task)) core.move(run, task, ready);
    settle(core, run);
  }
  commandDone(core, command);
}

function kill(core: Core, run: Run, command: string): void {
  if (run.phase.is === "over") {
    commandDone(core, command);
    return;
  }
  if (run.phase.is === "killing") {
    run.phase.kills.add(command);
    return;
  }
  run.phase = { is: "killing", kills: new Set([command]), retries: new Set() };
  run.checking.clear();
  const { tasks } = run;
  core.event(run, "run-killed", { running: tasks.count(TaskState.running) });
  for (let task = 0; task < tasks.taskCount; task += 1) {
    const state = tasks.states[task];
    if (state === waiting || state === ready) core.move(run, task, cancelled);
  }
  const since = core.now();
  for (const flight of [...run.flights.values()].flat()) {
    flight.phase = { is: "cancelling", since };
    core.send(flight.agent.id, { is: "cancel", attempt: refOf(flight) });
  }
  settle(core, run);
}

/** Failed tasks, and those a kill had cancelled, get all their retries again; so does every other task of the run. */
function retryFailed(core: Core, run: Run, command: string): void {
  if (run.phase.is === "killing") {
    run.phase.retries.add(command);
    return;
  }
  const { tasks } = run;
  const again = tasks.count(failed) + tasks.count(cancelled);
  if (again > 0) {
    core.event(run, "run-retried", { tasks: again });
    forgetFailures(run);
    if (run.phase.is === "over") {
      run.phase = { is: "going" };
      core.ports.journal.append({ is: "run-state", run: run.plan.id, state: "running", at: core.now() });
    }
    for (let task = 0; task < tasks.taskCount; task += 1) {
      const state = tasks.states[task];
      if (state === failed || state === cancelled) takeUpAgain(core, run, task);
    }
    for (const lane of run.lanes.values()) core.wake(lane);
  }
  commandDone(core, command);
  settle(core, run);
}

/** What tasks got for failing is theirs no more; those that are ready must leave the lane it gave them first. */
function forgetFailures(run: Run): void {
  const { tasks } = run;
  const exceptional = new Set([...run.raised.keys(), ...run.failedOver]);
  const standing = [...exceptional].filter((task) => tasks.states[task] === ready);
  for (const task of standing) tasks.set(task, waiting);
  run.raised.clear();
  run.failedOver.clear();
  tasks.failures.fill(0);
  tasks.losses.fill(0);
  for (const task of standing) tasks.set(task, ready);
}

/** GB-2: the bag's policies may change while it runs. What is under way stays; every later decision follows the new ones. */
function changePolicies(core: Core, run: Run, policies: Policies, command: string): void {
  const before = run.policies;
  run.policies = policies;
  // If it still waits, that is told again, now that the policies are others.
  run.told = "";
  core.prefetching += (policies.concurrency === undefined ? 0 : 1) - (before.concurrency === undefined ? 0 : 1);
  run.replicasWanted.clear();
  for (const lane of run.lanes.values()) reshelve(core, lane);
  const changed = [...new Set([...Object.keys(before), ...Object.keys(policies)])].filter(
    (name) => Reflect.get(before, name) !== Reflect.get(policies, name),
  );
  core.event(run, "policies-changed", { policies: changed.sort().join(", ") });
  commandDone(core, command);
  noteProgress(core, run);
  // Agents without a free slot may take something now, or may no longer.
  for (const agent of core.agents.values()) core.offer(agent);
  core.unblockAll();
}
