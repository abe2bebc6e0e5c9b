/** What there is to do, as the engine wrote it down: the demand, and agents wanted for one attempt each. */
import { z } from "zod";
import type { Demand } from "@/core/engine/demand";
import type { WantedResources } from "@/core/engine/early";
import { type AgentId, type AttemptId, attemptId, type ClusterId } from "@/core/engine/ids";
import type { Database } from "@/server/journal/pool";

const count = z.number().nonnegative();
const demandRow: z.ZodType<Demand> = z.object({
  run: z.string(),
  owner: z.string(),
  ownerAdmin: z.boolean(),
  ready: count,
  asks: z.object({ cores: count, memoryBytes: count, diskBytes: count, named: z.record(z.string(), count) }),
  wallSeconds: count.optional(),
  clusters: z.array(z.string()),
});

/** Undefined: the engine has told nothing for a while, and what it told last may no longer be so. */
export async function readDemand(
  database: Database,
  freshSeconds: number,
): Promise<{ groups: Demand[]; toldAt: number } | undefined> {
  const { rows } = await database.query<{ groups: unknown; told: number; fresh: boolean }>(
    `SELECT groups, extract(epoch FROM at)::float8 * 1000 AS told, at > now() - make_interval(secs => $1) AS fresh
     FROM engine.demand`,
    [freshSeconds],
  );
  const [row] = rows;
  if (!row?.fresh) return undefined;
  const groups = z.array(demandRow).safeParse(row.groups);
  return groups.success ? { groups: groups.data, toldAt: row.told } : undefined;
}

export interface WantedAgent {
  id: string;
  attempt: AttemptId;
  cluster: ClusterId;
  owner: string;
  asks: WantedResources;
  askedAt: number;
  /** The agent that is on its way for it, if there is one. */
  agent: AgentId | null;
}

const resources = z.object({
  cores: z.number().int().min(1),
  memoryBytes: count.optional(),
  wallSeconds: count.optional(),
  gpus: count.optional(),
  processes: z.number().int().min(1).optional(),
});

/** Requests that are neither served (the attempt was handed out) nor over. */
export async function wantedAgents(database: Database): Promise<WantedAgent[]> {
  const { rows } = await database.query<Omit<WantedAgent, "attempt"> & { run: string; task: number; ordinal: number }>(
    `SELECT r.id, r.run, r.task, r.ordinal, r.cluster, r.owner, r.asks,
            extract(epoch FROM r.asked_at)::float8 * 1000 AS "askedAt",
            (SELECT a.id FROM engine.agent a WHERE a.attempt = r.run || '.' || r.task || '.' || r.ordinal
               AND a.asked_at IS NOT NULL AND a.ended_at IS NULL LIMIT 1) AS agent
     FROM engine.agent_request r JOIN engine.run ON run.id = r.run
     WHERE r.closed_at IS NULL AND run.state IN ('queued', 'running')
       AND NOT EXISTS (SELECT FROM engine.attempt t WHERE t.run = r.run AND t.task = r.task AND t.ordinal >= r.ordinal)
     ORDER BY r.asked_at LIMIT 5000`,
  );
  return rows.flatMap(({ run, task, ordinal, ...row }) => {
    const asks = resources.safeParse(row.asks);
    return asks.success ? [{ ...row, asks: asks.data, attempt: attemptId({ run, task, ordinal }) }] : [];
  });
}

/** Those that were served, or whose runs are over, are wanted no more. */
export async function closeServed(database: Database): Promise<void> {
  await database.query(
    `UPDATE engine.agent_request r SET closed_at = now() FROM engine.run
     WHERE run.id = r.run AND r.closed_at IS NULL AND (run.state NOT IN ('queued', 'running')
       OR EXISTS (SELECT FROM engine.attempt t WHERE t.run = r.run AND t.task = r.task AND t.ordinal >= r.ordinal))`,
  );
}

/** No agent comes of it; the engine is told why and may want one elsewhere. */
export async function failRequest(database: Database, id: string, problem: string): Promise<void> {
  await database.query(
    "UPDATE engine.agent_request SET closed_at = now(), problem = $2 WHERE id = $1 AND closed_at IS NULL",
    [id, problem.slice(0, 1000)],
  );
  await database.query("SELECT pg_notify('gridloom_agent', '')");
}

/** How people are named in jobs: by the account's name, or as the command line said it. */
export async function userNames(database: Database, owners: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await database.query<{ id: string; name: string }>(
    `SELECT id::text AS id, name FROM portal."user" WHERE id::text = ANY ($1)`,
    [owners],
  );
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return new Map(owners.map((owner) => [owner, names.get(owner) ?? owner.replace(/^cli:/, "")]));
}
