/** Runs as rows: name, state, progress, time. The home page and the list of all runs show them alike. */
import Link from "next/link";
import { isOver } from "@/components/run-view/progress";
import { ProgressBar } from "@/components/run-view/progress-bar";
import { RunState } from "@/components/run-view/run-state";
import { count, counted } from "@/components/ui/format";
import { Elapsed, Moment } from "@/components/ui/moment";
import { TaskState } from "@/core/engine/task-state";
import type { RunSummary } from "@/server/api/views";

export function RunList({ runs, label }: { runs: RunSummary[]; label: string }) {
  return (
    <ul aria-label={label} className="border-t">
      {runs.map((run) => (
        <li
          key={run.id}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-5 gap-y-1 border-b py-2 sm:grid-cols-[minmax(0,1fr)_7rem_minmax(6rem,14rem)_5.5rem]"
          data-testid="run-row"
          data-run-id={run.id}
        >
          <div className="min-w-0">
            <Link href={`/runs/${run.id}`} className="link block truncate font-medium">
              {run.name}
            </Link>
            <p className="num text-[0.83rem] text-muted">
              <Moment at={run.createdAt} style="ago" /> · {progress(run)}
            </p>
          </div>
          <span className="text-[0.9rem]">
            <RunState state={run.state} />
          </span>
          <div className="max-sm:col-span-2">
            <ProgressBar counts={run.counts} taskCount={run.taskCount} />
          </div>
          <span className="text-right font-mono text-[0.82rem] text-muted max-sm:hidden">
            {run.startedAt ? (
              <Elapsed from={run.startedAt} to={isOver(run.state) ? (run.endedAt ?? run.startedAt) : null} />
            ) : (
              "not started"
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function progress(run: RunSummary): string {
  const finished = run.counts[TaskState.finished] ?? 0;
  const failed = run.counts[TaskState.failed] ?? 0;
  const done =
    finished === run.taskCount
      ? counted(run.taskCount, "task")
      : `${count(finished)} of ${counted(run.taskCount, "task")}`;
  return failed > 0 ? `${done}, ${count(failed)} failed` : done;
}
