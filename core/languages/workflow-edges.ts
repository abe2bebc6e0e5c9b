/**
 * All edges of a workflow, those of its files and those that are only said, by the numbers of the tasks: formats that
 * have to name every dependency are written from these.
 */
import type { Application } from "@/core/workflow/application";
import type { Workflow } from "@/core/workflow/workflow";

/** The successors of each task, in order, each once. */
export function edgesOf(application: Application, workflow: Workflow): number[][] {
  const { offsets, targets } = workflow.successors;
  const successors: Set<number>[] = Array.from({ length: workflow.taskCount }, (_, task) => {
    return new Set(targets.subarray(offsets[task]!, offsets[task + 1]!));
  });
  const { dependencies = [] } = application;
  if (dependencies.length > 0) {
    const numberOf = new Map<string, number>();
    for (let task = 0; task < workflow.taskCount; task++) numberOf.set(workflow.name(task), task);
    for (const { before, after } of dependencies) {
      const from = numberOf.get(before);
      const to = numberOf.get(after);
      if (from !== undefined && to !== undefined && from !== to) successors[from]!.add(to);
    }
  }
  return successors.map((set) => [...set].sort((a, b) => a - b));
}
