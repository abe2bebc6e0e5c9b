"use client";
/** A run, live: header, and the tabs Graph, Tasks, Files, Policies and Events, with the opened task at the right. */
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { Tabs } from "radix-ui";
import { useEffect, useMemo, useRef, useState } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { graphModel } from "@/components/graph/graph-model";
import { GraphPanel } from "@/components/graph/graph-panel";
import { count } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { useInBrowser } from "@/components/ui/use-in-browser";
import { TaskState } from "@/core/engine/task-state";
import { buildWorkflow } from "@/core/workflow/build";
import type { RunDetail, RunGraph, StatesSnapshot } from "@/server/api/views";
import { EventsTab } from "./events-tab";
import { FilesTab } from "./files-tab";
import { PoliciesTab } from "./policies-tab";
import { isOver } from "./progress";
import { RunHeader } from "./run-header";
import { TaskPanel } from "./task-panel";
import { TaskTable } from "./task-table";
import { useLiveRun } from "./use-live-run";
import { useWaiting } from "./use-waiting";

const tabs = ["graph", "tasks", "files", "policies", "events"] as const;
type Tab = (typeof tabs)[number];
const labels: Record<Tab, string> = {
  graph: "Graph",
  tasks: "Tasks",
  files: "Files",
  policies: "Policies",
  events: "Events",
};

export function RunView({
  initial,
  graph,
  snapshot,
  openTask,
}: {
  initial: RunDetail;
  graph: RunGraph;
  snapshot: StatesSnapshot;
  /** The task the page's address names. */
  openTask?: number;
}) {
  const trpc = useTRPC();
  const detail = useQuery(trpc.runs.get.queryOptions({ id: initial.id }, { initialData: initial }));
  const run = detail.data;
  const live = useLiveRun(run, snapshot, graph.taskCount);
  const waiting = useWaiting(run.id, live);
  const { refetch } = detail;
  const lastState = useRef(live.state);
  useEffect(() => {
    if (lastState.current === live.state) return;
    lastState.current = live.state;
    void refetch();
  }, [live.state, refetch]);
  const router = useRouter();
  const drawn = graph.taskCount;
  const known = live.counts.reduce((sum, some) => sum + some, 0);
  useEffect(() => {
    // A task handed in others: the page gets the larger graph, and its states, from the server.
    if (known <= drawn) return;
    router.refresh();
    void refetch();
  }, [known, drawn, router, refetch]);
  const alive = useInBrowser();
  const [tab, setTab] = useState<Tab>("graph");
  const [opened, setOpened] = useState<number | undefined>(openTask);
  const model = useMemo(() => {
    const { workflow } = buildWorkflow(graph.application);
    return graphModel(workflow);
  }, [graph.application]);
  const { workflow } = model;
  // Closing a task gives the focus back to where it was opened from.
  const openedFrom = useRef<Element>(null);
  const open = (task: number) => {
    if (opened === undefined) openedFrom.current = document.activeElement;
    setOpened(task);
  };
  const close = () => {
    setOpened(undefined);
    if (openedFrom.current instanceof HTMLElement) openedFrom.current.focus({ preventScroll: true });
  };
  const panel = opened !== undefined && opened < workflow.taskCount && (tab === "graph" || tab === "tasks");
  const openFromList = (task: number) => {
    open(task);
    if (tab !== "graph") setTab("tasks");
  };

  return (
    <div className="flex min-h-[calc(100dvh-7rem)] flex-col gap-4" data-testid="run" data-run-id={run.id}>
      <RunHeader run={run} live={live} />
      {waiting ? (
        <Notice kind="caution" testId="waiting">
          <span className="font-medium">Nothing runs.</span> {waiting.sentence}{" "}
          <button type="button" className="link" onClick={() => setTab("policies")}>
            See the policies
          </button>
        </Notice>
      ) : null}
      {detail.error ? <Notice kind="danger">{errorSentence(detail.error)}</Notice> : null}
      <Tabs.Root
        value={tab}
        onValueChange={(value) => setTab(tabs.find((name) => name === value) ?? "graph")}
        className="flex min-h-0 flex-1 flex-col gap-3"
      >
        <Tabs.List aria-label="Parts of the run" className="flex flex-wrap gap-x-5 border-b">
          {tabs.map((name) => (
            <Tabs.Trigger
              key={name}
              value={name}
              disabled={!alive}
              data-testid={`tab-${name}`}
              className="-mb-px border-b-2 border-transparent px-0.5 pb-1.5 text-muted hover:text-ink data-[state=active]:border-ink data-[state=active]:font-medium data-[state=active]:text-ink"
            >
              {labels[name]}
              {name === "tasks" ? (
                <span className="num ml-1.5 font-mono text-[0.8rem] text-faint">{count(run.taskCount)}</span>
              ) : null}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <div className={`grid min-h-0 flex-1 gap-4 ${panel ? "lg:grid-cols-[minmax(0,1fr)_24rem]" : ""}`}>
          <div className="flex min-h-0 min-w-0 flex-col">
            <Tabs.Content value="graph" className="flex min-h-[26rem] flex-1 flex-col" tabIndex={-1}>
              <GraphPanel
                model={model}
                states={live.states}
                opened={opened}
                onOpen={open}
                onClose={close}
                className="flex-1"
              />
            </Tabs.Content>
            <Tabs.Content value="tasks" className="flex min-h-0 flex-1 flex-col" tabIndex={-1}>
              <TaskTable workflow={workflow} states={live.states} opened={opened} onOpen={open} />
            </Tabs.Content>
            <Tabs.Content value="files" tabIndex={-1}>
              <FilesTab
                runId={run.id}
                workflow={workflow}
                finished={live.counts[TaskState.finished] ?? 0}
                onOpen={openFromList}
              />
            </Tabs.Content>
            {/* Kept while another tab is looked at: what was typed is not lost. */}
            <Tabs.Content value="policies" forceMount className="data-[state=inactive]:hidden" tabIndex={-1}>
              <PoliciesTab run={run} over={isOver(live.state)} />
            </Tabs.Content>
            <Tabs.Content value="events" tabIndex={-1}>
              <EventsTab runId={run.id} workflow={workflow} updatedAt={live.updatedAt} onOpen={openFromList} />
            </Tabs.Content>
          </div>
          {panel ? (
            <TaskPanel
              runId={run.id}
              workflow={workflow}
              task={opened}
              states={live.states}
              waiting={waiting?.sentence}
              onOpen={open}
              onClose={close}
            />
          ) : null}
        </div>
      </Tabs.Root>
    </div>
  );
}
