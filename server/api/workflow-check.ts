/** Reading a workflow's text on the server, in the form the pages want to know about it. */
import { checkWorkflow } from "@/core/workflow/check";
import type { CheckResult } from "./views";

/** A workflow's name is a person's choice, so its format is told by the text alone. */
export function checkText(text: string, providedFiles?: ReadonlySet<string>) {
  const checked = checkWorkflow(text, undefined, providedFiles);
  const { workflow } = checked;
  const result: CheckResult = {
    format: checked.format,
    class: workflow?.class,
    tasks: workflow?.taskCount ?? 0,
    edges: workflow?.successors.targets.length ?? 0,
    externalInputs: workflow ? [...workflow.externalInputs] : [],
    problems: checked.problems,
  };
  return { ...checked, result };
}
