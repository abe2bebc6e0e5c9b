/**
 * Who presents this token? A token belongs to a cluster's agent, which may have had several identities: it takes
 * a new one when it lost its spool or was given up.
 */
import type { AgentId, ClusterId } from "@/core/engine/ids";
import type { HostFacts } from "@/core/protocol/agent";
import type { Database } from "../pool";
import { tokenHash } from "./agent-token";

export interface AgentRow {
  id: AgentId;
  cluster: ClusterId;
  state: "expected" | "joined" | "left" | "refused";
  /** Null until its first hello. */
  host: HostFacts | null;
  slots: number | null;
}

export interface TokenHolder {
  cluster: ClusterId;
  /** Every identity under this token that is not revoked. */
  agents: AgentRow[];
}

export async function agentByToken(
  database: Database,
  token: string,
): Promise<TokenHolder | "unknown-token" | "revoked-token"> {
  const { rows } = await database.query<AgentRow & { revoked: boolean }>(
    `SELECT id, cluster, state, host, slots, revoked_at IS NOT NULL AS revoked
     FROM engine.agent WHERE token_hash = $1 ORDER BY created_at`,
    [tokenHash(token)],
  );
  const agents = rows.filter((row) => !row.revoked);
  const first = agents[0];
  if (first) return { cluster: first.cluster, agents };
  return rows.length === 0 ? "unknown-token" : "revoked-token";
}
