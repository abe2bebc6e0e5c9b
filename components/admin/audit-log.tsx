"use client";
/** What admins did, and what people asked of runs and clusters, newest first. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { errorSentence, useTRPCClient } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { Moment } from "@/components/ui/moment";
import { Empty, Notice } from "@/components/ui/notice";
import { SelectField } from "@/components/ui/select-field";
import type { AuditEntry } from "@/server/api/clusters/views";

const pageSize = 100;
const abouts = [
  { value: "all", label: "Everything" },
  { value: "cluster", label: "Clusters" },
  { value: "key", label: "Keys" },
  { value: "account", label: "Accounts" },
  { value: "run", label: "Runs" },
] as const;
type About = (typeof abouts)[number]["value"];

export function AuditLog() {
  const client = useTRPCClient();
  const [about, setAbout] = useState<About>("all");
  const entries = useInfiniteQuery({
    queryKey: ["audit", about],
    queryFn: ({ pageParam }) =>
      client.people.audit.query({ limit: pageSize, before: pageParam, ...(about !== "all" && { about }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last.length < pageSize ? undefined : last.at(-1)?.id),
  });
  const all = entries.data?.pages.flat();
  return (
    <div className="grid gap-4">
      <div className="max-w-xs">
        <SelectField id="about" label="About" value={about} options={abouts} onChange={setAbout} />
      </div>
      {entries.error ? <Notice kind="danger">{errorSentence(entries.error)}</Notice> : null}
      {!all && !entries.error ? <p className="text-muted">Reading the log…</p> : null}
      {all?.length === 0 ? <Empty>Nothing of this kind was done yet.</Empty> : null}
      {all && all.length > 0 ? (
        <div className="overflow-x-auto border bg-surface">
          <table className="w-full text-left text-[0.92rem]">
            <thead className="text-[0.82rem] text-muted">
              <tr className="border-b">
                <th className="px-3 py-1.5 font-normal">When</th>
                <th className="px-3 font-normal">Who</th>
                <th className="px-3 font-normal">What</th>
                <th className="px-3 font-normal">To what</th>
                <th className="px-3 font-normal">Details</th>
              </tr>
            </thead>
            <tbody>
              {all.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      {entries.hasNextPage ? (
        <Button
          className="w-fit"
          onClick={() => void entries.fetchNextPage()}
          busy={entries.isFetchingNextPage}
          disabled={entries.isFetchingNextPage}
        >
          Older ones
        </Button>
      ) : null}
    </div>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  return (
    <tr className="border-b align-top last:border-b-0" data-testid="audit-entry" data-action={entry.action}>
      <td className="whitespace-nowrap px-3 py-1.5">
        <Moment at={entry.at} />
      </td>
      <td className="px-3 py-1.5">{entry.actor}</td>
      <td className="whitespace-nowrap px-3 py-1.5 font-mono text-[0.85rem]">{entry.action}</td>
      <td className="px-3 py-1.5">
        {entry.subjectName ?? <code className="break-all font-mono text-[0.8rem]">{entry.subject}</code>}
      </td>
      <td className="max-w-md px-3 py-1.5">
        {entry.details === "{}" ? null : (
          <details>
            <summary className="w-fit text-muted hover:text-ink">Details</summary>
            <code className="block whitespace-pre-wrap break-all font-mono text-[0.78rem]">{entry.details}</code>
          </details>
        )}
      </td>
    </tr>
  );
}
