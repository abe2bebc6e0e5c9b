/** Why a workflow cannot be started now, as a sentence; nothing if it can. */
import { counted } from "@/components/ui/format";
import { hasErrors } from "@/core/problem";
import type { Description } from "./description";
import type { FileOverview } from "./input-files";
import type { Checked } from "./use-checked-workflow";

export function whyNotRun(
  description: Description,
  checked: Checked,
  overview: FileOverview,
  clusterProblem?: string,
): string | undefined {
  if (description.text.trim() === "") return "There is no workflow yet: type it, or drop a file.";
  if (checked.description !== description) return "The text is being checked.";
  if (hasErrors(checked.problems)) {
    const errors = checked.problems.filter((problem) => problem.severity === "error").length;
    return `There ${errors === 1 ? "is" : "are"} ${counted(errors, "error")}.`;
  }
  if (!checked.workflow || checked.workflow.taskCount === 0) return "The text describes no task.";
  if (overview.uploading > 0) return `${counted(overview.uploading, "file")} still being sent.`;
  if (overview.missing.length > 0) return missingSentence(overview.missing);
  return clusterProblem;
}

function missingSentence(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  if (names.length === 1) return `the input file ${shown} is missing.`;
  return `${counted(names.length, "input file")} are missing: ${shown}${names.length > 3 ? ", …" : "."}`;
}
