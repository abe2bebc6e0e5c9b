/**
 * What a run honours, but not as somebody might expect from the format it was said in: warnings, so that nobody has to find
 * out from the results.
 */
import type { Problem } from "@/core/problem";
import type { Application, TaskTemplate } from "./application";
import { isSetByTheRun } from "./run-time-variables";

const otherwise: { message: string; by(task: TaskTemplate): boolean }[] = [
  {
    message: "Variables named GRIDLOOM_… and GW_… have the values the run gives them; the workflow's are not used.",
    by: ({ environment }) => (environment ?? []).some(({ name }) => isSetByTheRun(name)),
  },
];

export function runProblems(application: Application): Problem[] {
  return otherwise.flatMap(({ message, by }) => {
    const group = application.groups.find(({ task }) => by(task));
    return group ? [warning(message, group.task)] : [];
  });
}

function warning(message: string, task: TaskTemplate): Problem {
  return { severity: "warning", code: "workflow/run-differs", message, ...(task.at && { at: task.at }) };
}
