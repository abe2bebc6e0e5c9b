/**
 * Notes an agent's hello under its token: a new identity gets its row, a known one its present facts.
 * Answers false if the identity belongs to another token, was revoked, or was given up.
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

export async function joinAgent(database: Database, agent: JoiningAgent): Promise<boolean> {
  const { rowCount } = await database.query(
    `INSERT INTO engine.agent AS known (id, cluster, token_hash, host, slots, state, last_seen_at)
     VALUES ($1, $2, $3, $4, $5, 'joined', now())
     ON CONFLICT (id) DO UPDATE
       SET host = excluded.host, slots = excluded.slots, state = 'joined', last_seen_at = now()
       WHERE known.token_hash = excluded.token_hash AND known.revoked_at IS NULL AND known.state <> 'refused'`,
    [agent.id, agent.cluster, tokenHash(agent.token), storableJson(agent.host), agent.slots],
  );
  return rowCount === 1;
}
