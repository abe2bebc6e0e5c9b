/** How many agents of each cluster were heard of lately. */
import type { ClusterId } from "@/core/engine/ids";
import type { Database } from "@/server/journal/pool";

export async function liveAgents(database: Database): Promise<Map<ClusterId, number>> {
  const { rows } = await database.query<{ cluster: ClusterId; agents: number }>(
    `SELECT cluster, count(*)::int AS agents FROM engine.agent
     WHERE state = 'joined' AND last_seen_at > now() - interval '1 minute' GROUP BY cluster`,
  );
  return new Map(rows.map((row) => [row.cluster, row.agents]));
}
