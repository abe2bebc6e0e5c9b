"use client";
/** The hosts of a cluster: what they are, how they are now, and every attribute that expressions can use. */
import { useQuery } from "@tanstack/react-query";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { bytes, counted } from "@/components/ui/format";
import { Moment } from "@/components/ui/moment";
import { Empty, Notice } from "@/components/ui/notice";
import type { Attribute, HostView } from "@/server/api/clusters/views";
import { StateMark } from "./state-mark";

const shownHosts = 500;

export function HostsTab({ id, initial, remote }: { id: string; initial: HostView[]; remote: boolean }) {
  const trpc = useTRPC();
  const hosts = useQuery(trpc.clusters.hosts.queryOptions({ id }, { initialData: initial, refetchInterval: 10_000 }));
  if (hosts.error) return <Notice kind="danger">{errorSentence(hosts.error)}</Notice>;
  if (hosts.data.length === 0) {
    return (
      <Empty>
        {remote
          ? "No host is known yet. They are asked for when the cluster is first spoken with, and every five minutes."
          : "No agent of this machine was heard of in the last minute."}
      </Empty>
    );
  }
  return (
    <div className="grid gap-2">
      <div className="overflow-x-auto border bg-surface">
        <table className="w-full text-left text-[0.92rem]" data-testid="hosts">
          <thead className="text-[0.82rem] text-muted">
            <tr className="border-b">
              <th className="px-3 py-1.5 font-normal">Host</th>
              <th className="px-3 font-normal">State</th>
              <th className="px-3 text-right font-normal">Cores free</th>
              <th className="px-3 text-right font-normal">Load</th>
              <th className="px-3 text-right font-normal">Memory free</th>
              <th className="px-3 font-normal max-sm:hidden">System</th>
              <th className="px-3 font-normal">Attributes</th>
            </tr>
          </thead>
          <tbody>
            {hosts.data.slice(0, shownHosts).map((host) => (
              <HostRow key={host.name} host={host} />
            ))}
          </tbody>
        </table>
      </div>
      {hosts.data.length > shownHosts ? (
        <p className="text-[0.9rem] text-muted">
          The first {shownHosts} of {counted(hosts.data.length, "host")} are shown.
        </p>
      ) : null}
    </div>
  );
}

function HostRow({ host }: { host: HostView }) {
  const of = (free: string | null, all: string | null) => (
    <>
      {free ?? "–"}
      {all === null ? null : <span className="text-faint"> / {all}</span>}
    </>
  );
  return (
    <tr className="border-b align-top last:border-b-0" data-testid="host" data-host={host.name} data-up={host.up}>
      <td className="break-words px-3 py-1.5 font-mono text-[0.85rem]">{host.name}</td>
      <td className="px-3 py-1.5">
        <StateMark state={host.up ? "ready" : "trouble"} word={host.up ? "up" : "down"} />
        {host.reason ? <p className="max-w-60 text-[0.85rem] text-muted">{host.reason}</p> : null}
      </td>
      <td className="num whitespace-nowrap px-3 py-1.5 text-right">
        {of(host.freeCpus === null ? null : String(host.freeCpus), host.cpus === null ? null : String(host.cpus))}
      </td>
      <td className="num px-3 py-1.5 text-right">{host.load === null ? "–" : host.load.toFixed(2)}</td>
      <td className="num whitespace-nowrap px-3 py-1.5 text-right">
        {of(
          host.freeMemoryBytes === null ? null : bytes(host.freeMemoryBytes),
          host.memoryBytes === null ? null : bytes(host.memoryBytes),
        )}
      </td>
      <td className="px-3 py-1.5 text-muted max-sm:hidden">{[host.os, host.arch].filter(Boolean).join(" ") || "–"}</td>
      <td className="px-3 py-1.5">
        <HostAttributes host={host} />
      </td>
    </tr>
  );
}

function HostAttributes({ host }: { host: HostView }) {
  const all = host.staticAttributes.length + host.dynamicAttributes.length;
  if (all === 0) return <span className="text-faint">none</span>;
  return (
    <details>
      <summary className="w-fit whitespace-nowrap text-muted hover:text-ink">{counted(all, "attribute")}</summary>
      <div className="mt-1 grid gap-2">
        <AttributeList title="Static" attributes={host.staticAttributes} at={host.discoveredAt} />
        <AttributeList title="Dynamic" attributes={host.dynamicAttributes} at={host.readAt} />
      </div>
    </details>
  );
}

function AttributeList({ title, attributes, at }: { title: string; attributes: Attribute[]; at: Date | null }) {
  if (attributes.length === 0) return null;
  return (
    <div>
      <p className="label-caps">
        {title}
        {at ? (
          <>
            , <Moment at={at} style="ago" />
          </>
        ) : null}
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 font-mono text-[0.8rem]">
        {attributes.map(({ name, value }) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
