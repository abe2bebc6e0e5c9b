/**
 * Agents that were asked of clusters, in the journal's table of agents. A row is committed before its job is submitted, and the
 * job's name carries the row's id; so whatever happens in between, the job is found again, or found to be nobody's.
 */
import type { AgentId, AttemptId, ClusterId } from "@/core/engine/ids";
import type { Database, Pool } from "@/server/journal/pool";
import { tokenHash } from "@/server/journal/queries/agent-token";
import type { JobState } from "../driver";

/** Whose account the job runs under: a person's id, or null for the service account. */
export type Account = string | null;

export interface AskedAgent {
  id: AgentId;
  cluster: ClusterId;
  owner: string;
  account: Account;
  state: "expected" | "joined" | "left" | "refused";
  job: string | null;
  jobState: JobState | null;
  attempt: AttemptId | null;
  askedAt: number;
  expiresAt: number | null;
  lastSeenAt: number | null;
  endedAt: number | null;
  endReason: string | null;
}

export interface NewAgent {
  id: AgentId;
  cluster: ClusterId;
  owner: string;
  account: Account;
  token: string;
  slots: number;
  attempt?: AttemptId;
}

/** A stolen token is of use for so long after the job it was made for is gone and could not be revoked. */
export const tokenSeconds = 3600;
const renewBelowSeconds = 2400;

const columns = `id, cluster, owner, account, state, job, job_state AS "jobState", attempt,
  extract(epoch FROM asked_at)::float8 * 1000 AS "askedAt", extract(epoch FROM expires_at)::float8 * 1000 AS "expiresAt",
  extract(epoch FROM last_seen_at)::float8 * 1000 AS "lastSeenAt", extract(epoch FROM ended_at)::float8 * 1000 AS "endedAt",
  end_reason AS "endReason"`;

/** In one transaction: these agents are expected, or none of them is. */
export async function expectAgents(database: Database, agents: readonly NewAgent[]): Promise<void> {
  if (agents.length === 0) return;
  await database.query(
    `INSERT INTO engine.agent (id, cluster, owner, account, token_hash, slots, attempt, asked_at, expires_at)
     SELECT id, cluster, owner, account, token_hash, slots, attempt, now(), now() + make_interval(secs => $8)
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::int[], $7::text[])
       AS b (id, cluster, owner, account, token_hash, slots, attempt)`,
    [
      agents.map(({ id }) => id),
      agents.map(({ cluster }) => cluster),
      agents.map(({ owner }) => owner),
      agents.map(({ account }) => account),
      agents.map(({ token }) => tokenHash(token)),
      agents.map(({ slots }) => slots),
      agents.map(({ attempt }) => attempt ?? null),
      tokenSeconds,
    ],
  );
}

/** Everything that lives, and what ended within the time the factory remembers. */
export async function rememberedAgents(database: Database, windowSeconds: number): Promise<AskedAgent[]> {
  const { rows } = await database.query<AskedAgent>(
    `SELECT ${columns} FROM engine.agent
     WHERE asked_at IS NOT NULL AND (ended_at IS NULL OR ended_at > now() - make_interval(secs => $1))
     ORDER BY asked_at DESC LIMIT 20000`,
    [windowSeconds],
  );
  return rows;
}

export async function openAgents(database: Database, cluster: ClusterId, account: Account): Promise<AskedAgent[]> {
  const { rows } = await database.query<AskedAgent>(
    `SELECT ${columns} FROM engine.agent
     WHERE asked_at IS NOT NULL AND ended_at IS NULL AND cluster = $1 AND account IS NOT DISTINCT FROM $2`,
    [cluster, account],
  );
  return rows;
}

export interface SeenJob {
  agent: AgentId;
  job: string;
  state: JobState;
}

export interface EndedJob {
  agent: AgentId;
  state: JobState;
  reason: string;
}

/** What the cluster says of living jobs; their agents' tokens stay good. */
export async function noteJobs(database: Database, jobs: readonly SeenJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await database.query(
    `UPDATE engine.agent SET job = b.job, job_state = b.state,
       expires_at = CASE WHEN expires_at < now() + make_interval(secs => $5)
                         THEN now() + make_interval(secs => $4) ELSE expires_at END
     FROM unnest($1::uuid[], $2::text[], $3::text[]) AS b (id, job, state)
     WHERE agent.id = b.id AND ended_at IS NULL
       AND (agent.job IS DISTINCT FROM b.job OR job_state IS DISTINCT FROM b.state
            OR expires_at < now() + make_interval(secs => $5))`,
    [
      jobs.map(({ agent }) => agent),
      jobs.map(({ job }) => job),
      jobs.map(({ state }) => state),
      tokenSeconds,
      renewBelowSeconds,
    ],
  );
}

/** Over: the token is revoked, and the engine is woken to send what the agent had elsewhere. */
export async function endAgents(pool: Pool, ended: readonly EndedJob[]): Promise<void> {
  if (ended.length === 0) return;
  await pool.query(
    `UPDATE engine.agent SET ended_at = now(), job_state = b.state, end_reason = b.reason, revoked_at = coalesce(revoked_at, now())
     FROM unnest($1::uuid[], $2::text[], $3::text[]) AS b (id, state, reason)
     WHERE agent.id = b.id AND ended_at IS NULL`,
    [
      ended.map(({ agent }) => agent),
      ended.map(({ state }) => state),
      ended.map(({ reason }) => reason.slice(0, 2000)),
    ],
  );
  await pool.query("SELECT pg_notify('gridloom_agent', '')");
}
