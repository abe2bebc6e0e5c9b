"use client";
/** One cluster: how it does, its hosts and agents, one's own key to it; for admins its commands, its settings and what may be done to it. */
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { Tabs } from "radix-ui";
import { useState } from "react";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { count, counted } from "@/components/ui/format";
import { Moment } from "@/components/ui/moment";
import { Notice } from "@/components/ui/notice";
import { useInBrowser } from "@/components/ui/use-in-browser";
import type { ClusterDetail, HostView } from "@/server/api/clusters/views";
import { AgentsTab } from "./agents-tab";
import { ClusterActions } from "./cluster-actions";
import { ClusterForm } from "./cluster-form";
import { CommandsTab } from "./commands-tab";
import { HostsTab } from "./hosts-tab";
import { isolationWords } from "./isolation";
import { KeyWarning } from "./key-warning";
import { MyAccess } from "./my-access";
import { StateMark } from "./state-mark";
import { driverTitle, policyWords, stateOf } from "./words";

const labels = {
  hosts: "Hosts",
  agents: "Agents",
  access: "My access",
  commands: "Commands",
  settings: "Settings",
} as const;
type Tab = keyof typeof labels;

export function ClusterPage({ initial, hosts, admin }: { initial: ClusterDetail; hosts: HostView[]; admin: boolean }) {
  const trpc = useTRPC();
  const { id } = initial;
  const detail = useQuery(trpc.clusters.get.queryOptions({ id }, { initialData: initial, refetchInterval: 5000 }));
  const cluster = detail.data;
  const alive = useInBrowser();
  const remote = cluster.address !== null;
  const ownKeys = remote && cluster.accountPolicy !== "service";
  const tabs: Tab[] = [
    "hosts",
    "agents",
    ...(ownKeys ? (["access"] as const) : []),
    ...(admin && cluster.driver !== "local" ? (["commands", "settings"] as const) : []),
  ];
  const [chosen, setTab] = useState<Tab>("hosts");
  const tab = tabs.includes(chosen) ? chosen : "hosts";
  const { state, word } = stateOf(cluster);
  return (
    <div className="grid gap-5" data-testid="cluster-page" data-cluster-id={id}>
      <header className="grid gap-3">
        <p className="text-[0.9rem] text-muted">
          <Link href="/clusters" className="link">
            Clusters
          </Link>
        </p>
        <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          <div className="grid gap-1">
            <h1 className="break-words">{cluster.name}</h1>
            <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted">
              <StateMark state={state} word={word} />
              <span>
                {driverTitle(cluster.driver)}
                {cluster.untried ? <span className="text-caution"> (not yet tried on a real system)</span> : null}
              </span>
              <code className="font-mono text-[0.85rem]">{cluster.id}</code>
            </p>
          </div>
          {admin ? <ClusterActions cluster={cluster} /> : null}
        </div>
        {detail.error ? <Notice kind="danger">{errorSentence(detail.error)}</Notice> : null}
        {cluster.health && !cluster.health.ok ? (
          <Notice kind="danger" testId="cluster-trouble">
            {cluster.health.sentence}
            {cluster.health.at ? (
              <span className="text-muted">
                {" "}
                (<Moment at={cluster.health.at} style="ago" />)
              </span>
            ) : null}
          </Notice>
        ) : null}
        {cluster.usable ? null : (
          <Notice kind="caution" testId="cluster-unusable">
            {cluster.unusableBecause}{" "}
            {ownKeys && cluster.enabled && !cluster.draining && tab !== "access" ? (
              <button type="button" className="link" onClick={() => setTab("access")}>
                My access
              </button>
            ) : null}
          </Notice>
        )}
        <KeyWarning cluster={cluster} />
        <Facts cluster={cluster} />
      </header>
      <Tabs.Root
        value={tab}
        onValueChange={(value) => setTab(tabs.find((name) => name === value) ?? "hosts")}
        className="grid gap-4"
      >
        <Tabs.List aria-label="Parts of the cluster" className="flex flex-wrap gap-x-5 border-b">
          {tabs.map((name) => (
            <Tabs.Trigger
              key={name}
              value={name}
              disabled={!alive}
              data-testid={`tab-${name}`}
              className="-mb-px border-b-2 border-transparent px-0.5 pb-1.5 text-muted hover:text-ink data-[state=active]:border-ink data-[state=active]:font-medium data-[state=active]:text-ink"
            >
              {labels[name]}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <Tabs.Content value="hosts" tabIndex={-1}>
          <HostsTab id={id} initial={hosts} remote={remote || cluster.driver !== "local"} />
        </Tabs.Content>
        <Tabs.Content value="agents" tabIndex={-1}>
          <AgentsTab cluster={cluster} admin={admin} />
        </Tabs.Content>
        {ownKeys ? (
          <Tabs.Content value="access" tabIndex={-1}>
            <MyAccess cluster={cluster} />
          </Tabs.Content>
        ) : null}
        {admin && cluster.driver !== "local" ? (
          <>
            <Tabs.Content value="commands" tabIndex={-1}>
              <CommandsTab id={id} />
            </Tabs.Content>
            {/* Kept while another tab is looked at: what was typed is not lost. */}
            <Tabs.Content value="settings" forceMount className="data-[state=inactive]:hidden" tabIndex={-1}>
              {cluster.registration ? (
                <ClusterForm cluster={cluster} />
              ) : (
                <Notice kind="danger">The stored settings cannot be read.</Notice>
              )}
            </Tabs.Content>
          </>
        ) : null}
      </Tabs.Root>
    </div>
  );
}

function Facts({ cluster }: { cluster: ClusterDetail }) {
  const free = Math.max(0, cluster.liveSlots - cluster.busySlots);
  const facts: [string, string][] = [
    [
      "Slots",
      cluster.liveSlots > 0
        ? `${count(free)} of ${count(cluster.liveSlots)} free`
        : `none now, up to ${count(cluster.slots)}`,
    ],
    ["Agents", cluster.agents > 0 ? `${counted(cluster.agents, "agent")} heard of in the last minute` : "none"],
    ...(cluster.address ? ([["Address", cluster.address]] as [string, string][]) : []),
    ...(cluster.queue ? ([["Queue", cluster.queue]] as [string, string][]) : []),
    ["May be used by", cluster.access === "everyone" && cluster.isolation !== "none" ? "everyone" : "admins only"],
    cluster.address === null
      ? ["Isolation", isolationWords[cluster.isolation].title]
      : ["Account", policyWords[cluster.accountPolicy].title],
  ];
  const about = cluster.driver === "local" ? isolationWords[cluster.isolation].meaning : "";
  return (
    <>
      <dl className="grid border-t sm:grid-cols-2 sm:gap-x-8 lg:grid-cols-3">
        {facts.map(([term, value]) => (
          <div key={term} className="flex justify-between gap-4 border-b py-1.5">
            <dt className="text-muted">{term}</dt>
            <dd className="num min-w-0 break-words text-right">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="max-w-3xl text-[0.95rem] text-muted">
        {about} {cluster.isolationNote}
      </p>
    </>
  );
}
