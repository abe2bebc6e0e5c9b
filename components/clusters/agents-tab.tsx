"use client";
/** The agents of a cluster: their job, their host, what they hold, how they ended and the end of what they printed; and its fitness (DI-12). */
import { useQuery } from "@tanstack/react-query";
import { errorSentence, useTRPC } from "@/components/api/provider";
import { counted } from "@/components/ui/format";
import { Moment } from "@/components/ui/moment";
import { Empty, Notice } from "@/components/ui/notice";
import type { AgentView, ClusterDetail, FitnessView } from "@/server/api/clusters/views";

export function AgentsTab({ cluster, admin }: { cluster: ClusterDetail; admin: boolean }) {
  const trpc = useTRPC();
  const agents = useQuery(trpc.clusters.agents.queryOptions({ id: cluster.id }, { refetchInterval: 3000 }));
  if (agents.error) return <Notice kind="danger">{errorSentence(agents.error)}</Notice>;
  if (!agents.data) return <p className="text-muted">Reading the list of agents…</p>;
  return (
    <div className="grid gap-3">
      {cluster.fitness ? <Fitness fitness={cluster.fitness} /> : null}
      {agents.data.length === 0 ? (
        <Empty>
          {admin
            ? "No agent yet. They are asked for when a run has tasks the cluster may take."
            : "No agent works for you alone here. Agents come when a run of yours has tasks the cluster may take."}
        </Empty>
      ) : (
        <ul className="grid border-t" aria-label="Agents">
          {agents.data.map((agent) => (
            <Agent key={agent.id} agent={agent} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Fitness({ fitness }: { fitness: FitnessView }) {
  const { running, completed, pending, total } = fitness;
  return (
    <p className="text-[0.93rem] text-muted" data-testid="fitness">
      <span className="font-medium text-ink">Fitness {fitness.fitness.toFixed(2)}</span>: of {counted(total, "agent")}{" "}
      asked for in the last day {running} {running === 1 ? "runs" : "run"}, {completed} ended well, {pending}{" "}
      {pending === 1 ? "is" : "are"} on the way. The fitter a cluster, the more agents are asked of it.
    </p>
  );
}

function Agent({ agent }: { agent: AgentView }) {
  const { state, tone } = stateOfAgent(agent);
  return (
    <li className="grid gap-1 border-b py-2.5" data-testid="agent" data-agent-id={agent.id} data-state={state}>
      <p className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5">
        <span className={`font-medium ${tone}`}>{state}</span>
        <span className="font-mono text-[0.85rem]">{agent.host ?? "no host yet"}</span>
        {agent.job ? (
          <span>
            job <code className="font-mono text-[0.85rem]">{agent.job}</code>
            {agent.jobState ? <span className="text-muted"> {agent.jobState}</span> : null}
          </span>
        ) : null}
        {agent.live && agent.slots !== null ? (
          <span className="num text-muted">
            {agent.busy === null
              ? counted(agent.slots, "slot")
              : `${Math.min(agent.busy, agent.slots)} of ${counted(agent.slots, "slot")} busy`}
          </span>
        ) : null}
        <span className="text-muted">for {agent.owner ?? "everyone"}</span>
        {agent.attempt ? <span className="text-muted">for one task alone</span> : null}
      </p>
      <p className="flex flex-wrap gap-x-4 text-[0.88rem] text-muted">
        <span>
          asked for <Moment at={agent.askedAt} style="ago" />
        </span>
        {agent.lastSeenAt ? (
          <span>
            heard of <Moment at={agent.lastSeenAt} style="ago" />
          </span>
        ) : null}
        {agent.endedAt ? (
          <span>
            ended <Moment at={agent.endedAt} style="ago" />
            {agent.endReason ? `: ${agent.endReason}` : ""}
          </span>
        ) : null}
        <code className="font-mono text-[0.78rem] text-faint">{agent.id}</code>
      </p>
      {agent.log ? (
        <details className="text-[0.88rem]">
          <summary className="w-fit text-muted hover:text-ink">Log</summary>
          <AgentLog text={agent.log} />
        </details>
      ) : null}
    </li>
  );
}

/** What scrolls must be reached by keyboard. */
const tabStop = { tabIndex: 0 };

function AgentLog({ text }: { text: string }) {
  return (
    <section
      {...tabStop}
      aria-label="End of the agent's log"
      className="mt-1 max-h-72 overflow-auto border bg-sunken p-2.5"
    >
      <pre className="whitespace-pre-wrap break-words font-mono text-[0.8rem]" data-testid="agent-log">
        {text.trimEnd()}
      </pre>
    </section>
  );
}

function stateOfAgent({ state, live, endedAt, busy }: AgentView): { state: string; tone: string } {
  if (state === "refused") return { state: "refused", tone: "text-danger" };
  if (endedAt || state === "left") return { state: "ended", tone: "text-muted" };
  if (state === "expected") return { state: "on the way", tone: "" };
  if (!live) return { state: "silent", tone: "text-caution" };
  return { state: busy ? "busy" : "idle", tone: "text-good" };
}
