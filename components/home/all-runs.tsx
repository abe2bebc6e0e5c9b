"use client";
/** All runs of the person, a page at a time, newest first; by name and by state. */
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useDeferredValue, useState } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Legend } from "@/components/graph/legend";
import { isOver } from "@/components/run-view/progress";
import { Button } from "@/components/ui/button";
import { Empty, Notice } from "@/components/ui/notice";
import { RunFilter, type RunFilterQuery } from "./run-filter";
import { RunList } from "./run-list";

const refreshMs = 3000;

export function AllRuns() {
  const trpc = useTRPC();
  const [filter, setFilter] = useState<RunFilterQuery>({ name: "" });
  const { name, state } = useDeferredValue(filter);
  const runs = useInfiniteQuery(
    trpc.runs.list.infiniteQueryOptions(
      { limit: 30, ...(name.trim() !== "" && { name }), ...(state && { state }) },
      {
        placeholderData: keepPreviousData,
        getNextPageParam: (page) => page.nextCursor,
        refetchInterval: (query) =>
          query.state.data?.pages.some((page) => page.items.some((run) => !isOver(run.state))) ? refreshMs : false,
      },
    ),
  );
  if (runs.error) return <Notice kind="danger">{errorSentence(runs.error)}</Notice>;
  if (!runs.data) return <p className="text-muted">Reading the runs…</p>;
  const items = runs.data.pages.flatMap((page) => page.items);
  const filtered = name.trim() !== "" || state !== undefined;
  if (items.length === 0 && !filtered) {
    return (
      <Empty>
        No run yet. Run a sample from the{" "}
        <Link className="link" href="/">
          home page
        </Link>
        , or{" "}
        <Link className="link" href="/workflows/new">
          write a workflow
        </Link>
        .
      </Empty>
    );
  }
  return (
    <div className="grid gap-3">
      <RunFilter query={filter} onQuery={setFilter} />
      <Legend />
      {items.length === 0 ? <Empty>No run is like this.</Empty> : null}
      <RunList runs={items} label="Runs" />
      {runs.hasNextPage ? (
        <Button
          className="justify-self-start"
          onClick={() => void runs.fetchNextPage()}
          busy={runs.isFetchingNextPage}
          data-testid="more-runs"
        >
          Show more
        </Button>
      ) : null}
    </div>
  );
}
