/**
 * What a poll means: the jobs the cluster tells of, held against the agents we expect there. Pure, and the same after a
 * restart as before it, because all it knows is in the two lists.
 *
 *   agent, job lives            its state is noted; what waits or stands still for too long is taken back
 *   agent, job ended            the agent is over, with the batch system's reason
 *   agent, no job               not submitted yet, or never was, or the cluster forgot it
 *   job of ours, no agent       surplus: left over from a crash, or from an agent that was given up. It is cancelled
 */
import type { AgentId } from "@/core/engine/ids";
import { type ClusterJob, hasEnded, type JobState } from "../driver";
import type { AskedAgent, EndedJob, SeenJob } from "./agent-rows";

export interface PollRules {
  /** After so long without a trace a submission counts as never made. */
  traceMs: number;
  /** A job the cluster no longer lists is over if its agent was not heard of for so long either. */
  silentMs: number;
  suspendedMs: number;
  heldMs: number;
  /** A job that runs, and whose agent never came. */
  joinMs: number;
  /** An agent that said goodbye, or was refused, and whose job goes on for so long. */
  lingerMs: number;
}

export const defaultPollRules: PollRules = {
  traceMs: 60_000,
  silentMs: 30_000,
  suspendedMs: 600_000,
  heldMs: 600_000,
  joinMs: 300_000,
  lingerMs: 120_000,
};

export interface Poll {
  now: number;
  agents: readonly AskedAgent[];
  jobs: readonly ClusterJob[];
  /** Committed, but not yet given to the cluster by us. */
  unsent: ReadonlySet<AgentId>;
  /** Nobody needs them any more, and why. */
  unwanted: ReadonlyMap<AgentId, string>;
  /** Whether the id is one of this portal's. Others may use the same account. */
  isOurs(agent: AgentId): boolean;
  /** Since when a state lasts, where the scheduler does not tell. */
  since: Map<AgentId, { state: string; at: number }>;
  rules: PollRules;
}

export interface Verdict {
  seen: SeenJob[];
  ended: EndedJob[];
  /** The cluster's names of jobs. */
  cancel: string[];
}

export function reconcile(poll: Poll): Verdict {
  const verdict: Verdict = { seen: [], ended: [], cancel: [] };
  const byAgent = new Map<AgentId, ClusterJob[]>();
  for (const job of poll.jobs) {
    if (!job.agent) continue;
    const jobs = byAgent.get(job.agent);
    if (jobs) jobs.push(job);
    else byAgent.set(job.agent, [job]);
  }
  const expected = new Set<AgentId>();
  for (const agent of poll.agents) {
    expected.add(agent.id);
    const jobs = byAgent.get(agent.id) ?? [];
    const job = chosen(agent, jobs);
    if (!job) withoutJob(poll, agent, verdict);
    else if (hasEnded(job.state)) verdict.ended.push({ agent: agent.id, state: job.state, reason: endOf(job) });
    else withJob(poll, agent, job, verdict);
    for (const other of jobs) if (other !== job && !hasEnded(other.state)) verdict.cancel.push(other.job);
  }
  for (const [agent, jobs] of byAgent) {
    if (expected.has(agent) || !poll.isOurs(agent)) continue;
    for (const { job, state } of jobs) if (!hasEnded(state)) verdict.cancel.push(job);
  }
  for (const agent of poll.since.keys()) if (!expected.has(agent)) poll.since.delete(agent);
  return verdict;
}

/** Of several jobs of one name the one we know, else one that lives. */
function chosen({ job }: AskedAgent, jobs: readonly ClusterJob[]): ClusterJob | undefined {
  return jobs.find((one) => one.job === job) ?? jobs.find(({ state }) => !hasEnded(state)) ?? jobs[0];
}

function withoutJob(poll: Poll, agent: AskedAgent, { ended }: Verdict): void {
  const { now, rules, unsent, unwanted } = poll;
  const { id } = agent;
  const why = unwanted.get(id);
  if (unsent.has(id)) {
    if (why !== undefined) ended.push({ agent: id, state: "cancelled", reason: why });
    return;
  }
  if (agent.job === null) {
    if (now - agent.askedAt <= rules.traceMs) return;
    ended.push({ agent: id, state: "gone", reason: "Its job was never seen on the cluster." });
    return;
  }
  // Once may be a slow scheduler.
  const missing = lasting(poll, id, "missing");
  if (missing === 0) return;
  const heardLately = agent.lastSeenAt !== null && now - agent.lastSeenAt < rules.silentMs && agent.state === "joined";
  if (heardLately) return;
  const state = agent.state === "left" || why !== undefined ? "completed" : "gone";
  ended.push({ agent: id, state, reason: why ?? "The cluster does not know its job any more." });
}

function withJob(poll: Poll, agent: AskedAgent, job: ClusterJob, verdict: Verdict): void {
  const { now, rules, unwanted } = poll;
  const { id, state } = agent;
  const lasted = Math.max(lasting(poll, id, job.state), job.since === undefined ? 0 : now - job.since);
  const takeBack = (as: JobState, reason: string) => {
    verdict.cancel.push(job.job);
    verdict.ended.push({ agent: id, state: as, reason });
  };
  const why = unwanted.get(id);
  if (why !== undefined) {
    takeBack("cancelled", why);
    return;
  }
  if (job.state === "suspended" && lasted > rules.suspendedMs) {
    takeBack("suspended", `The cluster kept its job suspended for ${minutes(lasted)}.`);
    return;
  }
  if (job.state === "held" && lasted > rules.heldMs) {
    takeBack("held", `The cluster kept its job held for ${minutes(lasted)}${job.reason ? ` (${job.reason})` : ""}.`);
    return;
  }
  if (job.state === "running" && state === "expected" && lasted > rules.joinMs) {
    takeBack(
      "failed",
      `Its job ran for ${minutes(lasted)}, but the agent was not heard of: the host may not reach the portal.`,
    );
    return;
  }
  if ((state === "left" || state === "refused") && now - (agent.lastSeenAt ?? agent.askedAt) > rules.lingerMs) {
    takeBack("completed", "The agent had left, and its job went on.");
    return;
  }
  verdict.seen.push({ agent: id, job: job.job, state: job.state });
}

/** How long it is known to be so, in milliseconds; 0 the first time. */
function lasting({ since, now }: Poll, agent: AgentId, state: string): number {
  const known = since.get(agent);
  if (known?.state === state) return now - known.at;
  since.set(agent, { state, at: now });
  return 0;
}

const ends: Partial<Record<JobState, string>> = {
  completed: "Its job ended.",
  failed: "Its job failed",
  "cancelled-by-owner": "Its job was cancelled on the cluster.",
  cancelled: "Its job was cancelled.",
  "node-lost": "The cluster lost the host its job ran on.",
  "timed-out": "Its job reached its time limit.",
  gone: "The cluster does not know its job any more.",
};

function endOf({ state, exitCode, signal, reason }: ClusterJob): string {
  const how = [
    exitCode === undefined ? "" : `exit code ${exitCode}`,
    signal === undefined ? "" : `signal ${signal}`,
    reason ?? "",
  ].filter(Boolean);
  const sentence = (ends[state] ?? "Its job ended.").replace(/\.$/, "");
  return `${sentence}${how.length > 0 ? ` (${how.join(", ")})` : ""}.`;
}

function minutes(ms: number): string {
  const count = Math.round(ms / 60_000);
  return count < 2 ? `${Math.round(ms / 1000)} seconds` : `${count} minutes`;
}
