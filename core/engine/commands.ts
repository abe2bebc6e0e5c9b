/**
 * What people ask of a run. A command may be told any number of times: it is known by its id, and it counts as done
 * in the same commit as its effects. `kill` is done only when nothing is in flight any more, so that a crash in
 * between brings it back and it goes on.
 */
import type { Command } from "./plan";
import { commandDone, moveToRunnable, settle } from "./progress";
import { type Core, type Run, refOf } from "./state";
import { TaskState } from "./task-state";

const { waiting, ready, failed, cancelled } = TaskState;

/** False if the run is not held here: it has to be recovered first. */
export function obey(core: Core, command: Command): boolean {
  if (core.doneCommands.has(command.id)) return true;
  const run = core.runs.get(command.run);
  if (!run) return false;
  if (command.kind === "kill") kill(core, run, command.id);
  else retryFailed(core, run, command.id);
  return true;
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
  const { tasks } = run;
  core.event(run, "run-killed", { running: tasks.count(TaskState.running) });
  for (let task = 0; task < tasks.taskCount; task += 1) {
    const state = tasks.states[task];
    if (state === waiting || state === ready) core.move(run, task, cancelled);
  }
  const since = core.now();
  for (const flight of run.inFlight.values()) {
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
    tasks.failures.fill(0);
    tasks.losses.fill(0);
    if (run.phase.is === "over") {
      run.phase = { is: "going" };
      core.ports.journal.append({ is: "run-state", run: run.plan.id, state: "running", at: core.now() });
    }
    for (let task = 0; task < tasks.taskCount; task += 1) {
      const state = tasks.states[task];
      if (state === failed || state === cancelled) moveToRunnable(core, run, task);
    }
  }
  commandDone(core, command);
  settle(core, run);
}
