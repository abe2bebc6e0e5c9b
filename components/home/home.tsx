"use client";
/** Home: what runs now, the grid in one line, samples to start with, and what one worked on last. */
import Link from "next/link";
import type { ReactNode } from "react";
import { Legend } from "@/components/graph/legend";
import { isOver } from "@/components/run-view/progress";
import { ButtonLink } from "@/components/ui/button";
import { Empty, Notice } from "@/components/ui/notice";
import type { ClusterView, RunSummary, SampleView, WorkflowSummary } from "@/server/api/views";
import { GridStatus } from "./grid-status";
import { RunList } from "./run-list";
import { Samples } from "./samples";
import { useWatchedRuns } from "./use-watched-runs";
import { watchedRuns } from "./watched-runs";
import { WorkflowList } from "./workflow-list";

export function Home({
  runs: initialRuns,
  workflows,
  samples,
  clusters,
}: {
  runs: RunSummary[];
  workflows: WorkflowSummary[];
  samples: SampleView[];
  clusters: ClusterView[];
}) {
  const { runs, lost } = useWatchedRuns(initialRuns, watchedRuns);
  const active = runs.filter((run) => !isOver(run.state));
  const recent = runs.filter((run) => isOver(run.state)).slice(0, 6);
  const cannotRun = clusters.some((cluster) => cluster.usable)
    ? undefined
    : (clusters[0]?.unusableBecause ?? "No cluster is registered.");
  return (
    <div className="grid gap-8">
      <h1 className="sr-only">Home</h1>
      {lost ? (
        <Notice kind="caution">The connection is lost. The page catches up by itself when it is back.</Notice>
      ) : null}
      <section aria-labelledby="active" className="grid gap-2">
        <div className="flex flex-wrap items-end justify-between gap-3">
          <h2 id="active">In progress</h2>
          <GridStatus clusters={clusters} />
        </div>
        {active.length > 0 ? (
          <>
            <RunList runs={active} label="Runs in progress" />
            <Legend />
          </>
        ) : (
          <Empty>Nothing runs now. Start a sample below, or open a workflow and run it.</Empty>
        )}
      </section>
      <section aria-labelledby="samples" className="grid gap-2">
        <h2 id="samples">Samples</h2>
        {cannotRun ? <Notice kind="caution">{cannotRun}</Notice> : null}
        <Samples samples={samples} cannotRun={cannotRun} />
      </section>
      <div className="grid gap-8 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <Recent
          id="workflows"
          title="Workflows"
          all="/workflows"
          action={<ButtonLink href="/workflows/new">New workflow</ButtonLink>}
        >
          {workflows.length > 0 ? (
            <WorkflowList workflows={workflows} />
          ) : (
            <Empty>
              No workflow of yours yet.{" "}
              <Link className="link" href="/workflows/new">
                Write or upload one
              </Link>
              , or run a sample: it is kept here for you to change.
            </Empty>
          )}
        </Recent>
        <Recent id="runs" title="Ended lately" all="/runs">
          {recent.length > 0 ? (
            <RunList runs={recent} label="Runs that ended lately" />
          ) : (
            <Empty>No run has ended yet. Its results will be here.</Empty>
          )}
        </Recent>
      </div>
    </div>
  );
}

function Recent({
  id,
  title,
  all,
  action,
  children,
}: {
  id: string;
  title: string;
  all: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-labelledby={id} className="grid content-start gap-2">
      <div className="flex min-h-8 items-center gap-3">
        <h2 id={id}>{title}</h2>
        <Link href={all} className="link text-[0.88rem] text-muted">
          all<span className="sr-only"> {title.toLowerCase()}</span>
        </Link>
        <span className="ml-auto">{action}</span>
      </div>
      {children}
    </section>
  );
}
