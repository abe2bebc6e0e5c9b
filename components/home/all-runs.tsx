"use client";
/** All runs of the person, a page at a time, newest first. */
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Legend } from "@/components/graph/legend";
import { isOver } from "@/components/run-view/progress";
import { Button } from "@/components/ui/button";
import { Empty, Notice } from "@/components/ui/notice";
import { RunList } from "./run-list";

const refreshMs = 3000;

export function AllRuns() {
  const trpc = useTRPC();
  const runs = useInfiniteQuery(
    trpc.runs.list.infiniteQueryOptions(
      { limit: 30 },
      {
        getNextPageParam: (page) => page.nextCursor,
        refetchInterval: (query) =>
          query.state.data?.pages.some((page) => page.items.some((run) => !isOver(run.state))) ? refreshMs : false,
      },
    ),
  );
  if (runs.error) return <Notice kind="danger">{errorSentence(runs.error)}</Notice>;
  if (!runs.data) return <p className="text-muted">Reading the runs…</p>;
  const items = runs.data.pages.flatMap((page) => page.items);
  if (items.length === 0) {
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
      <Legend />
      <RunList runs={items} label="Runs" />
      {runs.hasNextPage ? (
        <Button
          className="justify-self-start"
          onClick={() => void runs.fetchNextPage()}
          busy={runs.isFetchingNextPage}
          data-testid="more-runs"
        >
          Older runs
        </Button>
      ) : null}
    </div>
  );
}
