/** The agents of a cluster: those that live, those on the way, and the last that ended. */
import type { ClusterId } from "@/core/engine/ids";
import type { Database } from "@/server/journal/pool";
import type { AgentView, FitnessView } from "./views";

const most = 200;

/** `owner`: only this person's agents. */
export async function agentsOfCluster(
  database: Database,
  cluster: ClusterId,
  owner: string | undefined,
): Promise<AgentView[]> {
  const { rows } = await database.query<AgentView>(
    `SELECT agent.id, host ->> 'name' AS host, slots, held AS busy, state, job, job_state AS "jobState", attempt, log,
            coalesce(state = 'joined' AND last_seen_at > now() - interval '1 minute', false) AS live,
            coalesce(person.name, agent.owner) AS owner, coalesce(asked_at, agent.created_at) AS "askedAt",
            last_seen_at AS "lastSeenAt", ended_at AS "endedAt", end_reason AS "endReason"
     FROM engine.agent LEFT JOIN portal.user person ON person.id::text = agent.owner
     WHERE cluster = $1 AND ($2::text IS NULL OR agent.owner = $2)
     ORDER BY ended_at IS NOT NULL, coalesce(ended_at, asked_at, agent.created_at) DESC, agent.id LIMIT ${most}`,
    [cluster, owner ?? null],
  );
  return rows;
}

/** DI-12. Of the agents asked for in the last day; null if there were none. */
export async function fitnessOfCluster(database: Database, cluster: ClusterId): Promise<FitnessView | null> {
  const { rows } = await database.query<Omit<FitnessView, "fitness">>(
    `SELECT count(*)::int AS total,
            count(*) FILTER (WHERE ended_at IS NULL AND state = 'joined')::int AS running,
            count(*) FILTER (WHERE ended_at IS NULL AND state = 'expected')::int AS pending,
            count(*) FILTER (WHERE ended_at IS NOT NULL AND job_state = 'completed')::int AS completed
     FROM engine.agent WHERE cluster = $1 AND asked_at > now() - interval '1 day'`,
    [cluster],
  );
  const [counts] = rows;
  if (!counts || counts.total === 0) return null;
  return { ...counts, fitness: (counts.running + counts.completed) / counts.total };
}
