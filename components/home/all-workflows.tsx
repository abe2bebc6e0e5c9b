"use client";
/** All workflows of the person; one that is removed can be brought back at once. */
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import Link from "next/link";
import { useState } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { Empty, Notice } from "@/components/ui/notice";
import type { WorkflowSummary } from "@/server/api/views";
import { WorkflowList } from "./workflow-list";

export function AllWorkflows() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [removed, setRemoved] = useState<WorkflowSummary>();
  const workflows = useInfiniteQuery(
    trpc.workflows.list.infiniteQueryOptions({ limit: 50 }, { getNextPageParam: (page) => page.nextCursor }),
  );
  const refresh = () => queryClient.invalidateQueries({ queryKey: trpc.workflows.list.pathKey() });
  const remove = useMutation(trpc.workflows.remove.mutationOptions({ onSuccess: refresh }));
  const restore = useMutation(
    trpc.workflows.restore.mutationOptions({
      onSuccess: () => {
        setRemoved(undefined);
        return refresh();
      },
    }),
  );
  const problem = workflows.error ?? remove.error ?? restore.error;
  const items = workflows.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className="grid gap-3">
      {problem ? <Notice kind="danger">{errorSentence(problem)}</Notice> : null}
      {removed ? (
        <Notice>
          Removed “{removed.name}”. Its runs stay.{" "}
          <button type="button" className="link font-medium" onClick={() => restore.mutate({ id: removed.id })}>
            Undo
          </button>
        </Notice>
      ) : null}
      {workflows.data && items.length === 0 ? (
        <Empty>
          No workflow yet.{" "}
          <Link className="link" href="/workflows/new">
            Write or upload one
          </Link>
          , or run a sample from the{" "}
          <Link className="link" href="/">
            home page
          </Link>
          .
        </Empty>
      ) : null}
      {items.length > 0 ? (
        <WorkflowList
          workflows={items}
          action={(workflow) => (
            <button
              type="button"
              aria-label={`Remove ${workflow.name}`}
              title="Remove"
              className="rounded-md p-1.5 text-muted hover:bg-sunken hover:text-danger"
              onClick={() => remove.mutate({ id: workflow.id }, { onSuccess: () => setRemoved(workflow) })}
            >
              <Trash2 size={15} aria-hidden="true" />
            </button>
          )}
        />
      ) : null}
      {workflows.hasNextPage ? (
        <Button
          className="justify-self-start"
          onClick={() => void workflows.fetchNextPage()}
          busy={workflows.isFetchingNextPage}
        >
          More workflows
        </Button>
      ) : null}
    </div>
  );
}
