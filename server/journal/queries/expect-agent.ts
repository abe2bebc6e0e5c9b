/**
 * Announces an agent before it is started: whoever presents this token speaks for an agent of this cluster.
 * Used by cluster drivers. Doing it again for the same id replaces the token and lifts a revocation.
 */
import type { AgentId, ClusterId } from "@/core/engine/ids";
import type { Database } from "../pool";
import { tokenHash } from "./agent-token";

export async function expectAgent(
  database: Database,
  agent: { id: AgentId; cluster: ClusterId; token: string },
): Promise<void> {
  await database.query(
    `INSERT INTO engine.agent (id, cluster, token_hash) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO UPDATE SET cluster = excluded.cluster, token_hash = excluded.token_hash, revoked_at = NULL`,
    [agent.id, agent.cluster, tokenHash(agent.token)],
  );
}
