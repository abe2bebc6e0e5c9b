"use client";
/** The grid: its clusters, how much of each is free, how it does, and what it finished in the last hour. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { count, counted, percent } from "@/components/ui/format";
import { Moment } from "@/components/ui/moment";
import { Empty, Notice } from "@/components/ui/notice";
import type { ActivityView } from "@/server/api/clusters/views";
import type { ClusterView } from "@/server/api/views";
import { KeyWarning } from "./key-warning";
import { StateMark } from "./state-mark";
import { Throughput, totals } from "./throughput";
import { driverTitle, stateOf } from "./words";

export function Clusters({ initial, admin }: { initial: ClusterView[]; admin: boolean }) {
  const trpc = useTRPC();
  const clusters = useQuery(
    trpc.clusters.list.queryOptions(undefined, { initialData: initial, refetchInterval: 5000 }),
  );
  const activity = useQuery(trpc.clusters.activity.queryOptions(undefined, { refetchInterval: 15_000 }));
  const problem = clusters.error ?? activity.error;
  return (
    <div className="grid gap-6">
      {problem ? <Notice kind="danger">{errorSentence(problem)}</Notice> : null}
      {clusters.data.length === 0 ? (
        <Empty>
          No cluster is registered yet. This machine registers itself when the portal starts
          {admin ? "; others are registered here." : "."}
        </Empty>
      ) : (
        <>
          <Totals clusters={clusters.data} activity={activity.data ?? []} />
          <ClusterTable clusters={clusters.data} activity={activity.data ?? []} />
        </>
      )}
      {admin ? <Removed /> : null}
    </div>
  );
}

function Totals({ clusters, activity }: { clusters: ClusterView[]; activity: ActivityView[] }) {
  const sum = (of: (cluster: ClusterView) => number) => clusters.reduce((total, cluster) => total + of(cluster), 0);
  const ended = activity.map(totals);
  const finished = ended.reduce((total, one) => total + one.finished, 0);
  const failed = ended.reduce((total, one) => total + one.failed, 0);
  const figures = [
    ["Slots ready", count(sum((cluster) => cluster.liveSlots))],
    ["Free now", count(sum((cluster) => cluster.liveSlots - cluster.busySlots))],
    ["Agents", count(sum((cluster) => cluster.agents))],
    ["Finished in the last hour", count(finished)],
    ["Failed", finished + failed === 0 ? "none" : `${count(failed)} (${percent(failed, finished + failed)})`],
  ];
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-3 border-t pt-3" data-testid="grid-totals">
      {figures.map(([term, value]) => (
        <div key={term} className="grid">
          <dt className="text-[0.82rem] text-muted">{term}</dt>
          <dd className="num text-[1.25rem] font-medium leading-tight">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function ClusterTable({ clusters, activity }: { clusters: ClusterView[]; activity: ActivityView[] }) {
  return (
    <ul className="grid border-t" aria-label="Clusters">
      {clusters.map((cluster) => (
        <ClusterRow
          key={cluster.id}
          cluster={cluster}
          activity={activity.find((view) => view.cluster === cluster.id)}
        />
      ))}
    </ul>
  );
}

function ClusterRow({ cluster, activity }: { cluster: ClusterView; activity: ActivityView | undefined }) {
  const { finished, failed } = totals(activity);
  const { state, word } = stateOf(cluster);
  const free = Math.max(0, cluster.liveSlots - cluster.busySlots);
  return (
    <li
      className="grid gap-x-8 gap-y-3 border-b py-4 md:grid-cols-[minmax(13rem,1.3fr)_minmax(13rem,1fr)_minmax(12rem,1fr)]"
      data-testid="cluster"
      data-cluster-id={cluster.id}
      data-enabled={cluster.enabled}
    >
      <div className="grid content-start gap-1">
        <h2 className="text-[1.05rem]">
          <Link href={`/clusters/${cluster.id}`} className="link" data-testid="open-cluster">
            {cluster.name}
          </Link>
        </h2>
        <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-[0.9rem] text-muted">
          <StateMark state={state} word={word} />
          <span>{driverTitle(cluster.driver)}</span>
          {cluster.untried ? <span className="text-caution">not yet tried on a real system</span> : null}
        </p>
        {state === "trouble" && cluster.health ? (
          <p className="text-[0.9rem] text-danger">{cluster.health.sentence}</p>
        ) : null}
        {cluster.usable ? (
          <KeyWarning cluster={cluster} />
        ) : (
          <p className="text-[0.9rem] text-caution" data-testid="cluster-unusable">
            {cluster.unusableBecause}
          </p>
        )}
      </div>
      <div className="grid content-start gap-1.5">
        <SlotBar live={cluster.liveSlots} busy={cluster.busySlots} />
        <p className="num text-[0.9rem] text-muted">
          {cluster.liveSlots === 0
            ? `no agent now, up to ${counted(cluster.slots, "slot")}`
            : `${count(free)} of ${counted(cluster.liveSlots, "slot")} free, ${counted(cluster.agents, "agent")}`}
        </p>
        {cluster.hosts > 0 ? (
          <p className="num text-[0.9rem] text-muted">
            {cluster.hostsUp === cluster.hosts
              ? `${counted(cluster.hosts, "host")} up`
              : `${count(cluster.hostsUp)} of ${counted(cluster.hosts, "host")} up`}
          </p>
        ) : null}
      </div>
      <div className="grid content-start gap-1.5">
        <Throughput activity={activity} />
        {finished + failed > 0 ? (
          <p className="num text-[0.9rem] text-muted">
            {count(finished)} finished in the last hour,{" "}
            <span className={failed > 0 ? "text-danger" : ""}>
              {failed === 0 ? "none failed" : `${count(failed)} failed (${percent(failed, finished + failed)})`}
            </span>
          </p>
        ) : null}
      </div>
    </li>
  );
}

/** Busy slots of those whose agents are here; one block a slot while they can be told apart. */
function SlotBar({ live, busy }: { live: number; busy: number }) {
  if (live === 0) return <div aria-hidden="true" className="h-2.5 w-full max-w-60 border border-dashed border-rule" />;
  const blocks = live <= 40 ? live : 40;
  const filled = Math.round((busy / live) * blocks);
  return (
    <div aria-hidden="true" className="flex h-2.5 w-full max-w-60 gap-px">
      {Array.from({ length: blocks }, (_, slot) => slot).map((slot) => (
        <span
          key={slot}
          className={`h-full flex-1 border ${slot < filled ? "border-transparent bg-(--state-running)" : "border-rule-strong/60 bg-surface"}`}
        />
      ))}
    </div>
  );
}

function Removed() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const removed = useQuery(trpc.clusters.removed.queryOptions());
  const restore = useMutation(
    trpc.clusters.restore.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.clusters.pathKey() }),
    }),
  );
  if (!removed.data || removed.data.length === 0) return null;
  return (
    <section aria-labelledby="removed" className="grid gap-2">
      <h2 id="removed">Removed</h2>
      {restore.error ? <Notice kind="danger">{errorSentence(restore.error)}</Notice> : null}
      <ul className="grid border-t">
        {removed.data.map((cluster) => (
          <li
            key={cluster.id}
            className="flex flex-wrap items-center justify-between gap-2 border-b py-2"
            data-testid="removed-cluster"
            data-cluster-id={cluster.id}
          >
            <span>
              {cluster.name}{" "}
              <span className="text-[0.9rem] text-muted">
                {driverTitle(cluster.driver)}, removed <Moment at={cluster.removedAt} style="ago" />
              </span>
            </span>
            <Button
              disabled={restore.isPending}
              onClick={() => restore.mutate({ id: cluster.id })}
              data-testid="restore-cluster"
              aria-label={`Bring back ${cluster.name}`}
            >
              Bring back
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
