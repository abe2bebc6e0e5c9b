/**
 * A text checked from end to end: read, built, and every problem found, in the order of the text. The editor does this
 * as one types, the server again when a run is submitted, the command line with `gridloom check`.
 */
import { type ParsedWorkflow, parseWorkflow, type Surroundings } from "@/core/languages";
import { hasErrors, type Problem } from "@/core/problem";
import { ProblemList } from "@/core/problem-list";
import type { Application } from "./application";
import { buildWorkflow } from "./build";
import { couldBe } from "./run-time-variables";
import type { Workflow } from "./workflow";

export interface CheckedWorkflow {
  /** The name of the format it was read as. */
  format: string;
  application: Application;
  /** There to be shown whenever there is a task, also with errors; it may be run only if there are none. */
  workflow?: Workflow;
  problems: Problem[];
}

/**
 * `providedFiles` are the names of the files that come with the text, as written or as staged; without it, inputs
 * that no task writes are taken to come later. `readFile` gives the text of files that are part of the description.
 */
export function checkWorkflow(
  text: string,
  fileName?: string,
  providedFiles?: ReadonlySet<string>,
  readFile?: Surroundings["readFile"],
): CheckedWorkflow {
  return checkParsed(parseWorkflow(text, fileName, readFile), providedFiles);
}

/** The same for a text that has been read already. */
export function checkParsed(
  { format, application, problems: parseProblems }: ParsedWorkflow,
  providedFiles?: ReadonlySet<string>,
): CheckedWorkflow {
  const { workflow, problems: buildProblems } = buildWorkflow(application);
  const unreadable = hasErrors(parseProblems);
  const problems = new ProblemList();
  for (const problem of parseProblems) problems.add(problem);
  // A task that could not be read is not there, and what the others lack because of it is no news.
  for (const problem of buildProblems) if (!unreadable || problem.severity === "error") problems.add(problem);
  if (!unreadable && providedFiles) reportMissingInputs(workflow, providedFiles, problems);
  if (!unreadable && workflow.taskCount === 0) problems.add(nothingToDo());
  const checked: CheckedWorkflow = { format, application, problems: problems.toArray() };
  if (workflow.taskCount > 0) checked.workflow = workflow;
  return checked;
}

function reportMissingInputs(workflow: Workflow, provided: ReadonlySet<string>, problems: ProblemList): void {
  for (const { source, name, neededBy } of workflow.externalInputs) {
    if (provided.has(source) || provided.has(name) || couldBe(name, provided)) continue;
    const task = workflow.name(neededBy);
    const producer = workflow.producerOf(name);
    const why =
      producer < 0
        ? "no task writes it, and it is not provided"
        : `task "${workflow.name(producer)}", which writes it, is marked done, and the file is not provided`;
    problems.add({
      severity: "error",
      code: "workflow/missing-input",
      message: `The input "${source}" of task "${task}" is missing: ${why}.`,
      at: workflow.placeOf(neededBy),
      task,
    });
  }
}

function nothingToDo(): Problem {
  const at = { line: 1, column: 1, endLine: 1, endColumn: 1 };
  return { severity: "error", code: "workflow/empty", message: "There is no task in this workflow.", at };
}
