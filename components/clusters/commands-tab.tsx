"use client";
/** Every command the portal ran on the cluster, newest first (DI-11). */
import { useInfiniteQuery } from "@tanstack/react-query";
import { errorSentence, useTRPCClient } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { Moment } from "@/components/ui/moment";
import { Empty, Notice } from "@/components/ui/notice";
import { CommandBlock } from "./command-block";

const pageSize = 50;

export function CommandsTab({ id }: { id: string }) {
  const client = useTRPCClient();
  const commands = useInfiniteQuery({
    queryKey: ["cluster-commands", id],
    queryFn: ({ pageParam }) => client.clusters.commands.query({ id, limit: pageSize, before: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last.length < pageSize ? undefined : last.at(-1)?.id),
  });
  if (commands.error) return <Notice kind="danger">{errorSentence(commands.error)}</Notice>;
  if (!commands.data) return <p className="text-muted">Reading the list of commands…</p>;
  const all = commands.data.pages.flat();
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-[0.93rem] text-muted">
          The last thousand commands are kept, with the beginning and end of their output.
        </p>
        <Button onClick={() => void commands.refetch()} busy={commands.isRefetching} disabled={commands.isRefetching}>
          Look again
        </Button>
      </div>
      {all.length === 0 ? (
        <Empty>No command was run on it yet.</Empty>
      ) : (
        <ul className="grid gap-3" aria-label="Commands">
          {all.map((command) => (
            <li key={command.id} className="grid gap-1" data-testid="command">
              <p className="flex flex-wrap gap-x-3 text-[0.88rem]">
                <span className="font-medium">{command.purpose}</span>
                <span className="text-muted">
                  <Moment at={command.at} />
                </span>
              </p>
              <CommandBlock command={command} />
            </li>
          ))}
        </ul>
      )}
      {commands.hasNextPage ? (
        <Button
          className="w-fit"
          onClick={() => void commands.fetchNextPage()}
          busy={commands.isFetchingNextPage}
          disabled={commands.isFetchingNextPage}
        >
          Older ones
        </Button>
      ) : null}
    </div>
  );
}
