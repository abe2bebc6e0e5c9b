/**
 * Notes, now and then, when agents were last heard of, how their hosts do and how much they hold; for the pages that list
 * them. Silence is judged in memory.
 */
import type { AgentId } from "@/core/engine/ids";
import type { Facts } from "@/core/engine/live-ad";
import type { Database } from "../pool";
import { storableJson } from "../storable-text";

export interface SeenAgent {
  id: AgentId;
  held: number;
  readings?: Facts | undefined;
}

export async function noteAgentsSeen(database: Database, agents: readonly SeenAgent[]): Promise<void> {
  await database.query(
    `UPDATE engine.agent SET last_seen_at = now(), held = seen.held, readings = COALESCE(seen.readings, agent.readings)
     FROM unnest($1::uuid[], $2::int[], $3::jsonb[]) AS seen (id, held, readings) WHERE agent.id = seen.id`,
    [
      agents.map(({ id }) => id),
      agents.map(({ held }) => held),
      agents.map(({ readings }) => (readings ? storableJson(readings) : null)),
    ],
  );
}
