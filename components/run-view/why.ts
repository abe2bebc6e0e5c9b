/** Why a task is in its state, as a sentence: what it waits for, what holds it back, what became of it. */
import { TaskState } from "@/core/engine/task-state";
import { printExitCodes } from "@/core/workflow/exit-codes";
import type { Workflow } from "@/core/workflow/workflow";

type Graph = Pick<Workflow, "predecessors" | "name" | "conditionsOf">;

/** `engine`: what the engine says of why nothing of the run runs, if it has said something. */
export function why(graph: Graph, stateOf: (task: number) => number, task: number, engine?: string): string {
  switch (stateOf(task)) {
    case TaskState.waiting:
      return whyWaiting(graph, stateOf, task);
    case TaskState.ready:
      return `All its inputs are there. ${engine ?? "It waits for a free slot on a cluster that may run it."}`;
    case TaskState.running:
      return "An agent has it.";
    case TaskState.migrating:
      return "It leaves its host to go on elsewhere.";
    case TaskState.finished:
      return "It ended well and all its outputs are there.";
    case TaskState.skipped:
      return whySkipped(graph, stateOf, task);
    case TaskState.failed:
      return "It failed and is out of retries. What depends on it stays waiting; the rest of the run goes on.";
    default:
      return "The run was killed before this task ended.";
  }
}

function whyWaiting(graph: Graph, stateOf: (task: number) => number, task: number): string {
  const { offsets, targets } = graph.predecessors;
  const missing = [...targets.subarray(offsets[task], offsets[task + 1])].filter(
    (other) => stateOf(other) !== TaskState.finished && stateOf(other) !== TaskState.skipped,
  );
  const stopped = missing.filter((other) => stateOf(other) === TaskState.failed);
  if (stopped.length > 0) return `Held back: ${names(graph, stopped)} failed, so its input cannot be made.`;
  if (missing.length === 0) return "Its inputs have just become complete.";
  return `Waits for the output of ${names(graph, missing)}.`;
}

function whySkipped(graph: Graph, stateOf: (task: number) => number, task: number): string {
  const { offsets, targets } = graph.predecessors;
  const before = [...targets.subarray(offsets[task], offsets[task + 1])];
  const skipped = before.filter((other) => stateOf(other) === TaskState.skipped);
  if (skipped.length > 0) return `Skipped with ${names(graph, skipped)}: another branch was taken.`;
  const asked = graph.conditionsOf(task).map(({ before: other, exits }) => {
    return `${graph.name(other)} ends with exit code ${printExitCodes(exits)}`;
  });
  return `Skipped: it runs only if ${asked.slice(0, 4).join(" and ")}, and another branch was taken.`;
}

function names(graph: Graph, tasks: number[]): string {
  const shown = tasks.slice(0, 4).map((task) => graph.name(task));
  if (tasks.length > 4) return `${shown.join(", ")} and ${tasks.length - 4} more`;
  return shown.length > 1 ? `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}` : (shown[0] ?? "");
}
