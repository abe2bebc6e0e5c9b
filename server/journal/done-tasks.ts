/**
 * The tasks the submitter marked `done`: counted as finished, never run.
 */
import type { Application } from "@/core/workflow/application";
import type { Workflow } from "@/core/workflow/workflow";

export function doneTasks(application: Application, workflow: Workflow): number[] {
  // Unfolding a task costs; most applications mark none.
  if (!application.groups.some((group) => group.task.done)) return [];
  const done: number[] = [];
  for (let task = 0; task < workflow.taskCount; task++) if (workflow.task(task).done) done.push(task);
  return done;
}
