/**
 * The rescue DAG of a run that did not get through (GR-10): the whole DAG with its finished nodes marked DONE. Submitted
 * again, together with what those have written, it does the rest. Transient files are not brought back from a run, so
 * a node that wrote one for somebody who still has to run is not marked: it runs again.
 */
import type { PrintedWorkflow } from "@/core/languages/format";
import type { Application } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import { levelsOf } from "@/core/workflow/levels";
import type { Workflow } from "@/core/workflow/workflow";
import { printDag } from "./print";

export function printRescue(application: Application, finished: (task: number) => boolean): PrintedWorkflow {
  const { workflow } = buildWorkflow(application);
  const done = new Uint8Array(workflow.taskCount);
  // Backwards: whether a task has to run again depends only on those that read its files.
  for (const task of levelsOf(workflow).order.toReversed()) {
    if (finished(task) && !(isAwaited(workflow, task, done) && writesTransient(workflow, task))) done[task] = 1;
  }
  const names = new Set<string>();
  done.forEach((isDone, task) => {
    if (isDone) names.add(workflow.name(task));
  });
  return printDag(application, (name) => names.has(name));
}

function isAwaited({ successors }: Workflow, task: number, done: Uint8Array): boolean {
  const { offsets, targets } = successors;
  return targets.subarray(offsets[task], offsets[task + 1]).some((successor) => !done[successor]);
}

function writesTransient(workflow: Workflow, task: number): boolean {
  return workflow.task(task).outputs.some((file) => workflow.isTransient(file));
}
