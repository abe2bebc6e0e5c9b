/** The workflow in figures: format, class, tasks, edges, problems; the problems lead to the first of them. */
import { counted } from "@/components/ui/format";
import type { Problem } from "@/core/problem";
import type { GraphClass, Workflow } from "@/core/workflow/workflow";

const classes: Record<GraphClass, { label: string; meaning: string }> = {
  independent: { label: "independent", meaning: "no task needs another one's output" },
  phases: { label: "loosely coupled, phases", meaning: "tasks work in phases that follow each other" },
  pipeline: { label: "loosely coupled, pipeline", meaning: "tasks form chains" },
  "tightly-coupled": { label: "tightly coupled", meaning: "tasks depend on each other in many ways" },
};

export function WorkflowBadge({
  format,
  workflow,
  problems,
  onShow,
}: {
  /** As people call it. */
  format?: string;
  workflow?: Workflow;
  problems: readonly Problem[];
  onShow: (problem: Problem) => void;
}) {
  const errors = problems.filter((problem) => problem.severity === "error");
  const warnings = problems.length - errors.length;
  const first = errors[0] ?? problems[0];
  return (
    <div
      className="num flex flex-wrap items-center gap-x-3 gap-y-0.5 text-[0.88rem] text-muted"
      data-testid="workflow-badge"
    >
      {format ? (
        <span className="text-ink" title="The format the text was read as" data-testid="workflow-format">
          {format}
        </span>
      ) : null}
      {workflow ? (
        <>
          <span title={classes[workflow.class].meaning} data-testid="workflow-class">
            {classes[workflow.class].label}
          </span>
          <span data-testid="workflow-tasks">{counted(workflow.taskCount, "task")}</span>
          <span data-testid="workflow-edges">{counted(workflow.successors.targets.length, "edge")}</span>
          <span>{counted(workflow.fileCount, "file")}</span>
        </>
      ) : (
        <span>no graph yet</span>
      )}
      {first ? (
        <button
          type="button"
          onClick={() => onShow(first)}
          className={`link ${errors.length > 0 ? "text-danger" : "text-caution"}`}
          data-testid="problem-count"
        >
          {[errors.length > 0 ? counted(errors.length, "error") : "", warnings > 0 ? counted(warnings, "warning") : ""]
            .filter(Boolean)
            .join(", ")}
        </button>
      ) : workflow ? (
        <span className="text-good">no problems</span>
      ) : null}
    </div>
  );
}
