/** What the part that speaks with clusters has to tell the engine: agents whose jobs are over, and agents that never came. */
import type { AgentId, AttemptRef } from "@/core/engine/ids";
import type { JobLoss } from "@/core/engine/outcome";
import type { Database } from "../pool";

export interface EndedAgent {
  id: AgentId;
  reason: JobLoss;
}

/** By the job's last state. The text is the driver's word (JobState); whatever is not listed just ended. */
const reasons: Readonly<Record<string, JobLoss>> = {
  "cancelled-by-owner": "job-cancelled",
  cancelled: "job-cancelled",
  "timed-out": "job-timed-out",
  "node-lost": "node-lost",
  suspended: "job-suspended",
};

/** Those that ended in the last seconds; asked with some overlap, because telling it twice is harmless. */
export async function endedAgents(database: Database, withinSeconds: number): Promise<EndedAgent[]> {
  const { rows } = await database.query<{ id: AgentId; job_state: string | null }>(
    `SELECT id, job_state FROM engine.agent
     WHERE asked_at IS NOT NULL AND ended_at > now() - make_interval(secs => $1) AND state <> 'left'`,
    [withinSeconds],
  );
  return rows.map(({ id, job_state }) => ({ id, reason: reasons[job_state ?? ""] ?? "job-ended" }));
}

/** How the batch systems have the jobs of agents that work; the reactor knows what is news. */
export async function jobStates(database: Database): Promise<{ id: AgentId; state: string }[]> {
  const { rows } = await database.query<{ id: AgentId; state: string }>(
    `SELECT id, job_state AS state FROM engine.agent
     WHERE asked_at IS NOT NULL AND ended_at IS NULL AND job_state IS NOT NULL AND state = 'joined'`,
  );
  return rows;
}

export interface FailedRequest {
  attempt: AttemptRef;
  askedAt: number;
  problem: string;
}

export async function failedRequests(database: Database, withinSeconds: number): Promise<FailedRequest[]> {
  const { rows } = await database.query<{
    run: string;
    task: number;
    ordinal: number;
    asked: number;
    problem: string;
  }>(
    `SELECT run, task, ordinal, round(extract(epoch FROM asked_at) * 1000)::float8 AS asked, problem
     FROM engine.agent_request
     WHERE closed_at > now() - make_interval(secs => $1) AND problem IS NOT NULL`,
    [withinSeconds],
  );
  return rows.map(({ run, task, ordinal, asked, problem }) => ({
    attempt: { run, task, ordinal },
    askedAt: asked,
    problem,
  }));
}
