/** The agents of each cluster that were heard of lately, counted. */
import type { ClusterId } from "@/core/engine/ids";
import type { Database } from "@/server/journal/pool";

export interface LiveAgents {
  agents: number;
  slots: number;
  /** Slots that hold an attempt; what is fetched ahead of a slot is not counted. */
  busy: number;
}

export async function liveAgents(database: Database): Promise<Map<ClusterId, LiveAgents>> {
  const { rows } = await database.query<LiveAgents & { cluster: ClusterId }>(
    `SELECT cluster, count(*)::int AS agents, coalesce(sum(slots), 0)::int AS slots,
            coalesce(sum(least(held, slots)), 0)::int AS busy
     FROM engine.agent WHERE state = 'joined' AND last_seen_at > now() - interval '1 minute' GROUP BY cluster`,
  );
  return new Map(rows.map(({ cluster, ...counts }) => [cluster, counts]));
}
