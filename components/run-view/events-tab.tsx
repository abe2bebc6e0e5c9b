"use client";
/** What happened in a run, in order, each decision with its reason. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { errorSentence, useTRPCClient } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { Moment } from "@/components/ui/moment";
import { Empty, Notice } from "@/components/ui/notice";
import type { Workflow } from "@/core/workflow/workflow";

const pageSize = 200;

export function EventsTab({
  runId,
  workflow,
  updatedAt,
  onOpen,
}: {
  runId: string;
  workflow?: Workflow;
  updatedAt?: Date;
  onOpen: (task: number) => void;
}) {
  const client = useTRPCClient();
  const events = useInfiniteQuery({
    queryKey: ["events", runId],
    queryFn: ({ pageParam }) => client.runs.events.query({ id: runId, after: pageParam, limit: pageSize }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => (page.length === pageSize ? (page.at(-1)?.id ?? null) : null),
  });
  const { refetch } = events;
  const seen = useRef(updatedAt);
  useEffect(() => {
    if (seen.current === updatedAt) return;
    const timer = setTimeout(() => {
      seen.current = updatedAt;
      void refetch();
    }, 700);
    return () => clearTimeout(timer);
  }, [updatedAt, refetch]);

  if (events.error) return <Notice kind="danger">{errorSentence(events.error)}</Notice>;
  if (!events.data) return <p className="text-muted">Reading the events…</p>;
  const rows = events.data.pages.flat();
  if (rows.length === 0) return <Empty>Nothing has happened yet. The engine writes its decisions here.</Empty>;
  return (
    <div className="grid gap-3">
      <ol className="border bg-surface text-[0.92rem]" data-testid="events">
        {rows.map((event) => (
          <li key={event.id} className="flex flex-wrap gap-x-4 border-b border-rule/60 px-3 py-1.5 last:border-b-0">
            <span className="w-24 shrink-0 font-mono text-[0.82rem] leading-6 text-muted">
              <Moment at={event.at} />
            </span>
            <span className="min-w-0 flex-1 break-words">
              {event.task !== null && workflow && event.task < workflow.taskCount ? (
                <>
                  <TaskLink task={event.task} workflow={workflow} onOpen={onOpen} />{" "}
                </>
              ) : null}
              {event.sentence}
            </span>
          </li>
        ))}
      </ol>
      {events.hasNextPage ? (
        <Button
          onClick={() => void events.fetchNextPage()}
          busy={events.isFetchingNextPage}
          className="justify-self-start"
        >
          More events
        </Button>
      ) : null}
    </div>
  );
}

function TaskLink({ task, workflow, onOpen }: { task: number; workflow: Workflow; onOpen: (task: number) => void }) {
  return (
    <button type="button" className="link font-medium" onClick={() => onOpen(task)}>
      {workflow.name(task)}
    </button>
  );
}
