/**
 * What a driver remembers between two looks at the queue: jobs that had not ended, so that one that vanishes is noticed and
 * its end is asked for; what we cancelled ourselves; which agents an array was made of.
 *
 *   shown ──not shown any more──▶ missing ──accounting knows it──▶ ended
 *                                   └──it does not, for a while──▶ cancelled by its owner (never ran) or gone
 */
import type { AgentId } from "@/core/engine/ids";
import { agentOfJobName, type ClusterJob, hasEnded, jobName } from "../driver";
import type { ToldJob } from "./dialect";

/** Accounting is written some seconds after a job has ended. */
const graceMs = 20_000;
/** How long an end is told again that the scheduler itself does not show: whoever asked may not have got the answer. */
const toldAgainMs = 15 * 60_000;
const mostRemembered = 50_000;

export class JobMemory {
  /** Not ended when last seen, by job. */
  private readonly alive = new Map<string, { job: ClusterJob; missingSince?: number }>();
  private readonly cancelled = new Set<string>();
  private readonly arrays = new Map<string, readonly AgentId[]>();
  private readonly neverRan = new Set<string>();
  private readonly ended = new Map<string, { job: ClusterJob; until: number }>();

  noteArray(array: string, agents: readonly AgentId[]): void {
    remember(this.arrays, array, agents);
  }

  noteCancelled(jobs: readonly string[]): void {
    for (const job of jobs) {
      this.cancelled.add(job);
      if (this.cancelled.size > mostRemembered) dropFirst(this.cancelled);
    }
  }

  unknownArrays(told: readonly ToldJob[]): string[] {
    const ids = told.flatMap(({ array, agent }) => (array && !agent && !this.arrays.has(array.id) ? [array.id] : []));
    return [...new Set(ids)];
  }

  /** The job with its agent, and with "cancelled" if it was us. */
  complete(told: ToldJob, firstIndex: number): ClusterJob {
    const { array, ...job } = told;
    const agent =
      job.agent ?? agentOfJobName(job.name) ?? (array && this.arrays.get(array.id)?.[array.index - firstIndex]);
    const ours = this.cancelled.has(job.job) && job.state !== "completed" && hasEnded(job.state);
    return {
      ...job,
      ...(agent !== undefined && { agent, name: jobName(agent) }),
      ...(ours && { state: "cancelled" as const }),
    };
  }

  take(jobs: readonly ClusterJob[]): void {
    for (const job of jobs) {
      if (hasEnded(job.state)) {
        this.forget(job.job);
        continue;
      }
      remember(this.alive, job.job, { job });
      if (job.state === "queued" || job.state === "held") this.neverRan.add(job.job);
      else this.neverRan.delete(job.job);
    }
  }

  /** Those that had not ended and are not shown now. */
  missing(shown: ReadonlySet<string>, now: number): ClusterJob[] {
    const missing: ClusterJob[] = [];
    for (const [id, entry] of this.alive) {
      if (shown.has(id)) continue;
      entry.missingSince ??= now;
      missing.push(entry.job);
    }
    return missing;
  }

  /** Of a missing job whose end is not known: what to say about it now. */
  judge(job: ClusterJob, now: number): ClusterJob {
    const entry = this.alive.get(job.job);
    const { state, host, exitCode, signal, since, ...rest } = job;
    if (this.cancelled.has(job.job)) {
      this.forget(job.job);
      return { ...rest, ...(host !== undefined && { host }), state: "cancelled" };
    }
    if (entry && now - (entry.missingSince ?? now) < graceMs) return job;
    const neverRan = this.neverRan.has(job.job);
    this.forget(job.job);
    if (neverRan) return { ...rest, state: "cancelled-by-owner", reason: "removed from the queue before it ran" };
    return {
      ...rest,
      ...(host !== undefined && { host }),
      state: "gone",
      reason: "the scheduler does not know it any more",
    };
  }

  /** Keeps these ends and returns all that are kept, without those the scheduler shows itself. */
  endedLately(jobs: readonly ClusterJob[], shown: ReadonlySet<string>, now: number): ClusterJob[] {
    for (const job of jobs) {
      if (hasEnded(job.state)) remember(this.ended, job.job, { job, until: now + toldAgainMs });
    }
    for (const [id, { until }] of this.ended) if (until < now || shown.has(id)) this.ended.delete(id);
    return [...this.ended.values()].map(({ job }) => job);
  }

  private forget(job: string): void {
    this.alive.delete(job);
    this.neverRan.delete(job);
  }
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.set(key, value);
  if (map.size <= mostRemembered) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

function dropFirst(set: Set<string>): void {
  const [oldest] = set;
  if (oldest !== undefined) set.delete(oldest);
}
