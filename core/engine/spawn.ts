/**
 * Tasks that hand in further tasks (GW-13, DI-2). What a task handed in is read when its success is accepted, and becomes
 * part of the run in the same commit as that success: a crash before it leaves neither, and the report comes again. A task
 * adds to its run once; when it has to run again, what it hands in then is not looked at. If what it handed in
 * cannot be added, the attempt has failed and says why.
 */
import type { Outcome } from "./outcome";
import type { Extension } from "./ports";
import { becomeReady, isOver, isRunnable } from "./progress";
import { type Core, type Flight, refOf } from "./state";
import { TaskState } from "./task-state";
import { neighbours } from "./task-table";

export function extensionBy(core: Core, flight: Flight, outcome: Outcome): Extension | undefined {
  const { run, task } = flight;
  const { spawner } = core.ports;
  if (outcome.is !== "succeeded" || !spawner || !run.plan.spawns?.(task) || run.spawned.has(task)) return undefined;
  return spawner.extend(refOf(flight));
}

export function refused(detail: string): Outcome {
  return { is: "failed", reason: "spawn-refused", detail };
}

export function addTasks(core: Core, flight: Flight, extension: Extract<Extension, { is: "extended" }>): void {
  const { run, task } = flight;
  const { plan, addition } = extension;
  const first = run.plan.taskCount;
  run.plan = plan;
  run.spawned.add(task);
  run.tasks.grow(plan.taskCount, plan.predecessors);
  for (const lane of run.lanes.values()) lane.ready.grow(plan.taskCount);
  const edges = plan.successors.targets.length;
  const by = refOf(flight);
  core.ports.journal.append({ is: "spawned", by, first, tasks: plan.taskCount, edges, addition, at: core.now() });
  core.event(run, "tasks-spawned", { tasks: plan.taskCount - first }, task);
  const { tasks } = run;
  for (let added = first; added < plan.taskCount; added += 1) {
    for (const before of neighbours(plan.predecessors, added)) if (isOver(run, before)) tasks.remaining[added]! -= 1;
  }
  for (let added = first; added < plan.taskCount; added += 1) {
    if (run.phase.is === "killing") core.move(run, added, TaskState.cancelled);
    else if (tasks.states[added] === TaskState.waiting && isRunnable(run, added)) becomeReady(core, run, added);
  }
}
