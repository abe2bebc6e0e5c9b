/**
 * Notes an agent's hello under its token: a new identity gets its row, a known one its present facts. One that was given up
 * stays given up. An agent that was started by a cluster's job is the one it was started as, and no other: what it may
 * be given, and how long its token counts, is in that row.
 */
import type { AgentId, ClusterId } from "@/core/engine/ids";
import type { HostFacts } from "@/core/protocol/agent";
import type { Database } from "../pool";
import { storableJson } from "../storable-text";
import { tokenHash } from "./agent-token";

export interface JoiningAgent {
  id: AgentId;
  cluster: ClusterId;
  token: string;
  host: HostFacts;
  slots: number;
}

/** `foreign`: the identity belongs to another token, or was revoked. */
export async function joinAgent(database: Database, agent: JoiningAgent): Promise<"joined" | "refused" | "foreign"> {
  const { rows } = await database.query<{ state: "joined" | "refused" }>(
    `INSERT INTO engine.agent AS known (id, cluster, token_hash, host, slots, state, last_seen_at)
     SELECT $1::uuid, $2, $3::bytea, $4::jsonb, $5::int, 'joined', now()
     WHERE NOT EXISTS (SELECT FROM engine.agent WHERE token_hash = $3 AND asked_at IS NOT NULL AND id <> $1::uuid)
     ON CONFLICT (id) DO UPDATE
       SET host = excluded.host, slots = excluded.slots, last_seen_at = now(),
           state = CASE WHEN known.state = 'refused' THEN known.state ELSE 'joined' END
       WHERE known.token_hash = excluded.token_hash AND known.revoked_at IS NULL
     RETURNING state`,
    [agent.id, agent.cluster, tokenHash(agent.token), storableJson(agent.host), agent.slots],
  );
  return rows[0]?.state ?? "foreign";
}
