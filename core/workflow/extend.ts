/**
 * A run that goes on growing (GW-13, DI-2): the application with what one of its tasks handed in. Tasks there were keep their
 * numbers; those added follow them and may read anything the run has. Nothing that was there may come to depend on
 * what is added, or be written by it.
 */
import { hasErrors, type Problem } from "@/core/problem";
import type { Application, TaskGroup } from "./application";
import { buildWorkflow } from "./build";
import { productSize } from "./loops";
import { bothHold } from "./tasks";
import type { Adjacency, Workflow } from "./workflow";

export type Extended =
  | { is: "extended"; application: Application; workflow: Workflow }
  /** A sentence for whoever wrote the task. */
  | { is: "refused"; problem: string };

export function extendWorkflow(base: Application, before: Workflow, addition: Application): Extended {
  const application = extendApplication(base, addition);
  const { workflow, problems } = buildWorkflow(application);
  if (hasErrors(problems)) return { is: "refused", problem: firstError(problems) };
  const hindered = changedTask(before, workflow);
  if (hindered !== undefined) {
    return {
      is: "refused",
      problem: `Task "${before.name(hindered)}" would have to wait for a task that is only added now.`,
    };
  }
  const provided = new Set(before.externalInputs.map(({ name }) => name));
  const unknown = workflow.externalInputs.find(({ name }) => !provided.has(name));
  if (unknown) {
    const reader = workflow.name(unknown.neededBy);
    return { is: "refused", problem: `Task "${reader}" reads "${unknown.name}", which nobody provides or writes.` };
  }
  return { is: "extended", application, workflow };
}

/** In the order in which they were added, the additions of a stored run give it back. */
export function extendApplication(base: Application, addition: Application): Application {
  const first = base.groups.reduce((sum, { loops }) => sum + productSize(loops), 0);
  const { requirement, rank } = addition;
  const groups = addition.groups.map(({ loops, task, numbering }): TaskGroup => {
    const needs = bothHold(requirement?.text, task.requirement?.text);
    return {
      loops,
      task: {
        ...task,
        ...(needs !== undefined && { requirement: { text: needs } }),
        ...(rank && !task.rank && { rank: { text: rank.text } }),
      },
      ...(numbering && { numbering: { ...numbering, first: numbering.first + first } }),
    };
  });
  return {
    ...base,
    groups: [...base.groups, ...groups],
    transient: [...base.transient, ...addition.transient],
    ...((base.dependencies ?? addition.dependencies) && {
      dependencies: [...(base.dependencies ?? []), ...(addition.dependencies ?? [])],
    }),
  };
}

function firstError(problems: readonly Problem[]): string {
  const found = problems.find(({ severity }) => severity === "error");
  const place = found?.at ? `line ${found.at.line}: ` : "";
  return `${place}${found?.message ?? ""}`;
}

/** The first task there was that has other predecessors now. */
function changedTask(before: Workflow, after: Workflow): number | undefined {
  for (let task = 0; task < before.taskCount; task++) {
    const old = listOf(before.predecessors, task);
    const now = listOf(after.predecessors, task);
    if (old.length !== now.length || old.some((other, index) => other !== now[index])) return task;
  }
  return undefined;
}

function listOf({ offsets, targets }: Adjacency, task: number): Uint32Array {
  return targets.subarray(offsets[task], offsets[task + 1]);
}
