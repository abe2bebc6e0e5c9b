/** What other formats say and GRID-ADL has no words for, each kind once, with the first task it concerns. */
import type { Problem } from "@/core/problem";
import type { Application, TaskTemplate } from "@/core/workflow/application";
import { expandText } from "@/core/workflow/expand";

const ofTasks: readonly [keyof TaskTemplate, string][] = [
  ["stdin", "a file for standard input"],
  ["stdout", "a file for standard output"],
  ["stderr", "a file for standard error"],
  ["environment", "environment variables"],
  ["rank", "a rank of hosts"],
  ["retries", "a number of retries"],
  ["priority", "a priority"],
  ["category", "a category"],
  ["recorded", "recorded times and hosts"],
];

const ofApplications: readonly [keyof Application, string][] = [
  ["rank", "a rank of hosts"],
  ["fileSizes", "sizes of files"],
  ["categoryLimits", "limits on categories"],
  ["machines", "recorded hosts"],
  ["clusters", "clusters of tasks"],
];

export function unsayable(application: Application): Problem[] {
  const problems: Problem[] = [];
  const cannotSay = (key: string, what: string, rest: string): void => {
    const message = `GRID-ADL cannot say ${what}; left out${rest}.`;
    problems.push({ severity: "warning", code: `gridadl/cannot-say-${key}`, message });
  };
  for (const [key, what] of ofApplications) {
    const value = application[key];
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) cannotSay(key, what, "");
  }
  for (const [key, what] of ofTasks) {
    const tasks = application.groups.filter(({ task }) => isSaid(task[key])).map(({ task }) => task);
    const first = tasks[0];
    if (!first) continue;
    const more = tasks.length > 1 ? ` and ${tasks.length - 1} more` : "";
    cannotSay(`task-${key}`, what, ` for ${nameOf(first)}${more}`);
  }
  return problems;
}

function isSaid(value: TaskTemplate[keyof TaskTemplate]): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function nameOf({ name }: TaskTemplate): string {
  if (!name) return "a task without a name";
  const holes = new Map(
    name.flatMap((piece) => ("variable" in piece ? [[piece.variable, `\${${piece.variable}}`]] : [])),
  );
  return `task "${expandText(name, holes)}"`;
}
