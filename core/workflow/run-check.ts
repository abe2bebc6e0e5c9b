/**
 * What a workflow says and a run does not honour yet. What would change a task's results is an error: it must not run as
 * if it had not been said. What only changes where or how often it runs is a warning.
 */
import type { Problem } from "@/core/problem";
import type { Application, TaskTemplate } from "./application";

type Said = { what: string; severity: Problem["severity"]; by(task: TaskTemplate): boolean };

const ofTasks: Said[] = [
  {
    what: "standard input, output or error in a file",
    severity: "error",
    by: ({ stdin, stdout, stderr }) => (stdin ?? stdout ?? stderr) !== undefined,
  },
  { what: "environment variables", severity: "error", by: ({ environment }) => (environment ?? []).length > 0 },
  {
    what: "commands before or after a task",
    severity: "error",
    by: ({ before, afterwards }) => (before ?? afterwards) !== undefined,
  },
  {
    what: "requirement or rank",
    severity: "warning",
    by: ({ requirement, rank }) => (requirement ?? rank) !== undefined,
  },
  { what: "retries of a single task", severity: "warning", by: ({ retries }) => retries !== undefined },
  {
    what: "priority or category",
    severity: "warning",
    by: ({ priority, category }) => (priority ?? category) !== undefined,
  },
  { what: "resources", severity: "warning", by: ({ resources }) => resources !== undefined },
];

export function runProblems(application: Application): Problem[] {
  const problems = ofTasks.flatMap(({ what, severity, by }) => {
    const group = application.groups.find(({ task }) => by(task));
    return group ? [problem(what, severity, group.task)] : [];
  });
  if (application.finalTask !== undefined) problems.push(problem("a task that runs last whatever happened", "error"));
  if (application.categoryLimits) problems.push(problem("limits of categories", "warning"));
  return problems;
}

function problem(what: string, severity: Problem["severity"], task?: TaskTemplate): Problem {
  const consequence =
    severity === "error" ? "so this workflow can be shown and converted, but not run" : "it runs without";
  return {
    severity,
    code: "workflow/not-yet-run",
    message: `Runs do not honour ${what} yet: ${consequence}.`,
    ...(task?.at && { at: task.at }),
  };
}
