"use client";
/** The clusters: what each is, how programs are kept apart there, who may use it; admins change it here. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { Confirm } from "@/components/ui/confirm";
import { counted } from "@/components/ui/format";
import { Empty, Notice } from "@/components/ui/notice";
import type { ClusterView } from "@/server/api/views";
import { isolationWords } from "./isolation";

export function Clusters({ initial, admin }: { initial: ClusterView[]; admin: boolean }) {
  const trpc = useTRPC();
  const clusters = useQuery(
    trpc.clusters.list.queryOptions(undefined, { initialData: initial, refetchInterval: 5000 }),
  );
  if (clusters.data.length === 0)
    return <Empty>No cluster is registered yet. This machine registers itself when the portal starts.</Empty>;
  return (
    <div className="grid gap-8">
      {clusters.error ? <Notice kind="danger">{errorSentence(clusters.error)}</Notice> : null}
      {clusters.data.map((cluster) => (
        <Cluster key={cluster.id} cluster={cluster} admin={admin} />
      ))}
    </div>
  );
}

function Cluster({ cluster, admin }: { cluster: ClusterView; admin: boolean }) {
  const state = !cluster.enabled ? "Switched off" : cluster.agents > 0 ? "Ready" : "No agent";
  const facts = [
    ["State", state],
    ["Slots", String(cluster.slots)],
    [
      "Agents",
      cluster.agents > 0
        ? `${counted(cluster.agents, "agent")} heard of in the last minute`
        : "none heard of in the last minute",
    ],
    ["Driver", cluster.driver],
    ["May be used by", cluster.access === "everyone" && cluster.isolation !== "none" ? "everyone" : "admins only"],
    ["Isolation", isolationWords[cluster.isolation].title],
  ];
  return (
    <section
      aria-label={cluster.name}
      className="grid gap-3"
      data-testid="cluster"
      data-cluster-id={cluster.id}
      data-enabled={cluster.enabled}
    >
      <h2 className="text-[1.1rem]">{cluster.name}</h2>
      {cluster.usable ? null : (
        <Notice kind="caution" testId="cluster-unusable">
          {cluster.unusableBecause ?? "You cannot run tasks here."}
        </Notice>
      )}
      <dl className="grid border-t sm:grid-cols-2 sm:gap-x-8 lg:grid-cols-3">
        {facts.map(([term, value]) => (
          <div key={term} className="flex justify-between gap-4 border-b py-1.5">
            <dt className="text-muted">{term}</dt>
            <dd className="num text-right">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="max-w-3xl text-[0.95rem] text-muted">
        {isolationWords[cluster.isolation].meaning} {cluster.isolationNote}
      </p>
      {admin ? <Controls cluster={cluster} /> : null}
    </section>
  );
}

function Controls({ cluster }: { cluster: ClusterView }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const refresh = { onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.clusters.list.queryKey() }) };
  const setEnabled = useMutation(trpc.clusters.setEnabled.mutationOptions(refresh));
  const setAccess = useMutation(trpc.clusters.setAccess.mutationOptions(refresh));
  const problem = setEnabled.error ?? setAccess.error;
  return (
    <div className="grid gap-3">
      {problem ? <Notice kind="danger">{errorSentence(problem)}</Notice> : null}
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <fieldset className="flex items-center gap-4" disabled={setAccess.isPending || cluster.isolation === "none"}>
          <legend className="float-left mr-4 text-muted">Who may use it</legend>
          {(["everyone", "admins"] as const).map((access) => (
            <label key={access} className="flex items-center gap-1.5">
              <input
                type="radio"
                name={`access-${cluster.id}`}
                className="accent-(--thread)"
                checked={cluster.isolation === "none" ? access === "admins" : cluster.access === access}
                onChange={() => setAccess.mutate({ id: cluster.id, access })}
                data-testid={`access-${access}`}
              />
              {access === "everyone" ? "Everyone" : "Admins only"}
            </label>
          ))}
        </fieldset>
        {cluster.enabled ? (
          <Confirm
            trigger={
              <Button rank="danger" disabled={setEnabled.isPending} data-testid="disable-cluster">
                Switch off
              </Button>
            }
            title={`Switch off ${cluster.name}?`}
            action="Switch it off"
            onConfirm={() => setEnabled.mutate({ id: cluster.id, enabled: false })}
          >
            <p>
              It gets no further tasks. Tasks that run there now end by themselves; runs that need it wait until it is
              switched on again.
            </p>
          </Confirm>
        ) : (
          <Button
            rank="primary"
            disabled={setEnabled.isPending}
            onClick={() => setEnabled.mutate({ id: cluster.id, enabled: true })}
            data-testid="enable-cluster"
          >
            Switch on
          </Button>
        )}
      </div>
      {cluster.isolation === "none" ? (
        <p className="text-[0.9rem] text-muted">
          Without isolation only admins may run tasks here, whatever is chosen.
        </p>
      ) : null}
    </div>
  );
}
