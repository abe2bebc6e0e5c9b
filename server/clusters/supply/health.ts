/** How clusters do, as this part sees it: for pages, and for the engine, which tells people why their tasks wait. */
import type { ClusterId } from "@/core/engine/ids";
import type { Database } from "@/server/journal/pool";
import type { Account } from "./agent-rows";

export interface Health {
  cluster: ClusterId;
  account: Account;
  ok: boolean;
  sentence: string;
  failures: number;
  /** It was spoken with; else what is told is known without that. */
  polled: boolean;
  nextPollAt?: number;
}

/** Told to the engine when it changes from good to bad or back, or the sentence does. */
export async function noteHealth(database: Database, health: Health): Promise<void> {
  const { cluster, account, ok, sentence, failures, polled, nextPollAt } = health;
  const { rows } = await database.query<{ changed: boolean }>(
    `WITH before AS (SELECT ok, sentence FROM portal.cluster_health WHERE cluster_id = $1 AND account = $2),
     now_known AS (
       INSERT INTO portal.cluster_health (cluster_id, account, ok, sentence, failures, polled_at, next_poll_at)
       SELECT $1, $2, $3, $4, $5, CASE WHEN $6 THEN now() END, to_timestamp($7::float8 / 1000)
       WHERE EXISTS (SELECT FROM portal.cluster WHERE id = $1)
       ON CONFLICT (cluster_id, account) DO UPDATE SET ok = excluded.ok, sentence = excluded.sentence,
         failures = excluded.failures, polled_at = coalesce(excluded.polled_at, cluster_health.polled_at),
         next_poll_at = excluded.next_poll_at
       RETURNING 1)
     SELECT NOT EXISTS (SELECT FROM before WHERE ok = $3 AND sentence = $4) AS changed FROM now_known`,
    [cluster, account ?? "service", ok, sentence.slice(0, 1000), failures, polled, nextPollAt ?? null],
  );
  if (rows[0]?.changed) await database.query("SELECT pg_notify('gridloom_cluster', $1)", [cluster]);
}

/** What was told of accounts that are no longer used says nothing about the cluster. */
export async function forgetHealth(
  database: Database,
  inUse: readonly { cluster: ClusterId; account: Account }[],
): Promise<void> {
  const { rowCount } = await database.query(
    `DELETE FROM portal.cluster_health WHERE NOT EXISTS
       (SELECT FROM unnest($1::text[], $2::text[]) AS used (cluster, account)
        WHERE used.cluster = cluster_id AND used.account = cluster_health.account)`,
    [inUse.map(({ cluster }) => cluster), inUse.map(({ account }) => account ?? "service")],
  );
  if (rowCount) await database.query("SELECT pg_notify('gridloom_cluster', '')");
}
