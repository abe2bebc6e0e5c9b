/** Workflows as rows, newest change first. */
import Link from "next/link";
import type { ReactNode } from "react";
import { Moment } from "@/components/ui/moment";
import type { WorkflowSummary } from "@/server/api/views";

export function WorkflowList({
  workflows,
  action,
}: {
  workflows: WorkflowSummary[];
  action?: (workflow: WorkflowSummary) => ReactNode;
}) {
  return (
    <ul aria-label="Workflows" className="border-t">
      {workflows.map((workflow) => (
        <li
          key={workflow.id}
          className="flex items-center gap-4 border-b py-2"
          data-testid="workflow-row"
          data-workflow-id={workflow.id}
        >
          <Link href={`/workflows/${workflow.id}`} className="link min-w-0 flex-1 truncate font-medium">
            {workflow.name}
          </Link>
          <span className="shrink-0 text-[0.83rem] text-muted">
            changed <Moment at={workflow.updatedAt} style="ago" />
          </span>
          {action ? action(workflow) : null}
        </li>
      ))}
    </ul>
  );
}
