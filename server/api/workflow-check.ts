/** Reading a workflow's text on the server, in the form the pages want to know about it. */
import { checkWorkflow } from "@/core/workflow/check";
import type { CheckResult } from "./views";

export function checkText(text: string, fileName?: string, providedFiles?: ReadonlySet<string>) {
  const checked = checkWorkflow(text, fileName, providedFiles);
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
