"use client";
/**
 * Which hosts the expressions let in, as one types: best rank first with what the rank is made of, and for the others the
 * clause that keeps each out. Evaluated here, from what the portal tells of the hosts this person may use.
 */
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { useTRPC } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { counted } from "@/components/ui/format";
import { HostMatcher, type MatchedHost, type MatchTerms, type RefusedHost } from "@/core/engine/match-hosts";

const firstShown = 12;

/** `terms` must be the same object as long as nothing in it changes. */
export function HostPanel({ terms }: { terms: MatchTerms }) {
  const trpc = useTRPC();
  const hosts = useQuery(trpc.hosts.toMatch.queryOptions(undefined, { refetchInterval: 15_000 }));
  const matcher = useMemo(() => new HostMatcher(hosts.data ?? []), [hosts.data]);
  // What is typed comes first, the list follows.
  const deferred = useDeferredValue(terms);
  const found = useMemo(() => matcher.match(deferred, Date.now), [matcher, deferred]);
  const [all, setAll] = useState(false);
  if (!hosts.data) {
    return <p className="text-muted">{hosts.error ? "Hosts cannot be shown now." : "Looking for hosts…"}</p>;
  }
  const { matching, refused, freeSlots } = found;
  const shown = (count: number) => (all ? count : Math.min(count, firstShown));
  return (
    <section aria-label="Hosts that match" className="grid content-start gap-2" data-testid="host-panel">
      <p role="status" data-testid="host-count" className="text-[0.9rem]">
        <strong className="num font-medium">
          {matching.length} of {counted(hosts.data.length, "host")}
        </strong>{" "}
        {matching.length === 1 ? "matches" : "match"}
        <span className="text-muted">, {counted(freeSlots, "free slot")}.</span>
      </p>
      {hosts.data.length > 0 && matching.length === 0 ? (
        <p className="border-l-4 border-caution pl-2 text-[0.88rem]" data-testid="no-host">
          No host matches: tasks would wait until one does.
        </p>
      ) : null}
      {hosts.data.length === 0 ? (
        <p className="text-[0.88rem] text-muted">No agent is connected now, so there is nothing to match with.</p>
      ) : null}
      {matching.length > 0 ? (
        <ol className="divide-y border-y text-[0.88rem]">
          {matching.slice(0, shown(matching.length)).map((one) => (
            <Matching key={one.host.id} {...one} />
          ))}
        </ol>
      ) : null}
      {refused.length > 0 ? (
        <>
          <h4 className="label-caps">Not these</h4>
          <ul className="divide-y border-y text-[0.88rem]">
            {refused.slice(0, shown(refused.length)).map((one) => (
              <Refused key={one.host.id} {...one} />
            ))}
          </ul>
        </>
      ) : null}
      {matching.length > firstShown || refused.length > firstShown ? (
        <Button onClick={() => setAll(!all)}>{all ? "Show fewer" : "Show all hosts"}</Button>
      ) : null}
    </section>
  );
}

function Matching({ host, rank, terms }: MatchedHost) {
  return (
    <li className="py-1" data-testid="host-matching">
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 truncate font-mono">{host.host}</span>
        <span className="truncate text-[0.8rem] text-muted">{host.cluster}</span>
        <span className="num ml-auto shrink-0 text-muted">
          {host.free}/{host.slots} free
        </span>
        {terms.length > 0 ? <span className="num shrink-0 font-medium">{readable(rank)}</span> : null}
      </span>
      {terms.length > 1 ? (
        <span className="block truncate font-mono text-[0.78rem] text-faint">
          {terms.map(({ text, contribution }) => `${text} = ${readable(contribution)}`).join("   ")}
        </span>
      ) : null}
    </li>
  );
}

function Refused({ host, failing }: RefusedHost) {
  return (
    <li className="py-1" data-testid="host-refused">
      <span className="flex items-baseline gap-2">
        <span className="min-w-0 truncate font-mono">{host.host}</span>
        <span className="truncate text-[0.8rem] text-muted">{host.cluster}</span>
      </span>
      {failing.map((clause) => (
        <span key={clause} className="block font-mono text-[0.8rem] text-danger">
          {clause}
        </span>
      ))}
    </li>
  );
}

function readable(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString("en-US") : value.toPrecision(4);
}
