"use client";
/** What an admin may do to a cluster: who uses it, switch it off and on, drain it, remove it (which can be undone). */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { Button } from "@/components/ui/button";
import { Confirm } from "@/components/ui/confirm";
import { counted } from "@/components/ui/format";
import { Notice } from "@/components/ui/notice";
import { useInBrowser } from "@/components/ui/use-in-browser";
import type { ClusterDetail } from "@/server/api/clusters/views";

export function ClusterActions({ cluster }: { cluster: ClusterDetail }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const alive = useInBrowser();
  const refresh = { onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.clusters.pathKey() }) };
  const setEnabled = useMutation(trpc.clusters.setEnabled.mutationOptions(refresh));
  const setAccess = useMutation(trpc.clusters.setAccess.mutationOptions(refresh));
  const setDraining = useMutation(trpc.clusters.setDraining.mutationOptions(refresh));
  const remove = useMutation(
    trpc.clusters.remove.mutationOptions({ ...refresh, onSuccess: () => router.push("/clusters") }),
  );
  const busy = !alive || setEnabled.isPending || setDraining.isPending || remove.isPending;
  const problem = setEnabled.error ?? setAccess.error ?? setDraining.error ?? remove.error;
  const { id } = cluster;
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <fieldset
          className="flex items-center gap-3 text-[0.93rem]"
          disabled={!alive || setAccess.isPending || cluster.isolation === "none"}
        >
          <legend className="sr-only">Who may use it</legend>
          {(["everyone", "admins"] as const).map((access) => (
            <label key={access} className="flex items-center gap-1.5">
              <input
                type="radio"
                name={`access-${id}`}
                className="accent-(--thread)"
                checked={cluster.isolation === "none" ? access === "admins" : cluster.access === access}
                onChange={() => setAccess.mutate({ id, access })}
                data-testid={`access-${access}`}
              />
              {access === "everyone" ? "Everyone" : "Admins only"}
            </label>
          ))}
        </fieldset>
        <div className="flex flex-wrap gap-2">
          {cluster.driver === "local" || !cluster.enabled ? null : cluster.draining ? (
            <Button
              rank="primary"
              disabled={busy}
              onClick={() => setDraining.mutate({ id, draining: false })}
              data-testid="resume-cluster"
            >
              Use it again
            </Button>
          ) : (
            <Button
              disabled={busy}
              onClick={() => setDraining.mutate({ id, draining: true })}
              data-testid="drain-cluster"
              title="It finishes what it has and takes nothing new"
            >
              Drain
            </Button>
          )}
          {cluster.enabled ? (
            <Confirm
              trigger={
                <Button rank="danger" disabled={busy} data-testid="disable-cluster">
                  Switch off
                </Button>
              }
              title={`Switch off ${cluster.name}?`}
              action="Switch it off"
              onConfirm={() => setEnabled.mutate({ id, enabled: false })}
            >
              <p>
                It gets no further tasks. Tasks that run there now end by themselves; runs that need it wait until it is
                switched on again.
              </p>
            </Confirm>
          ) : (
            <Button
              rank="primary"
              disabled={busy}
              onClick={() => setEnabled.mutate({ id, enabled: true })}
              data-testid="enable-cluster"
            >
              Switch on
            </Button>
          )}
          {cluster.driver === "local" ? null : (
            <Confirm
              trigger={
                <Button rank="danger" disabled={busy} data-testid="remove-cluster">
                  Remove
                </Button>
              }
              title={`Remove ${cluster.name}?`}
              action="Remove it"
              onConfirm={() => remove.mutate({ id })}
            >
              <RemovalLosses cluster={cluster} />
            </Confirm>
          )}
        </div>
      </div>
      {cluster.isolation === "none" ? (
        <p className="text-[0.88rem] text-muted">Without isolation only admins may run tasks here.</p>
      ) : null}
      {problem ? <Notice kind="danger">{errorSentence(problem)}</Notice> : null}
    </div>
  );
}

function RemovalLosses({ cluster }: { cluster: ClusterDetail }) {
  const keys = (cluster.personalKeys ?? 0) + (cluster.serviceKey ? 1 : 0);
  return (
    <div className="grid gap-2">
      <p>
        {cluster.agents === 0
          ? "No agent works there now."
          : `${counted(cluster.agents, "agent")} there ${cluster.agents === 1 ? "is" : "are"} stopped; ${
              cluster.busySlots === 0
                ? "none of them holds a task."
                : `the ${cluster.busySlots === 1 ? "task" : `${cluster.busySlots} tasks`} they hold begin again elsewhere.`
            }`}
      </p>
      <p>
        {keys === 0 ? "" : `${counted(keys, "stored key")} ${keys === 1 ? "is" : "are"} no longer used. `}
        It can be brought back from the list of clusters, as it was.
      </p>
    </div>
  );
}
