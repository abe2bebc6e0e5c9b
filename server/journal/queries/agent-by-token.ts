/**
 * Who presents this token? A token belongs to a cluster's agent, which may have had several identities: it takes
 * a new one when it lost its spool or was given up.
 */
import type { AgentId, AttemptId, ClusterId } from "@/core/engine/ids";
import type { Binding } from "@/core/engine/messages";
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
  /** What whoever holds the token may be given. */
  binding: Binding;
  /** Every identity under this token that is not revoked. */
  agents: AgentRow[];
}

export async function agentByToken(
  database: Database,
  token: string,
): Promise<TokenHolder | "unknown-token" | "revoked-token"> {
  const { rows } = await database.query<
    AgentRow & { revoked: boolean; owner: string | null; attempt: AttemptId | null }
  >(
    `SELECT id, cluster, state, host, slots, owner, attempt,
            revoked_at IS NOT NULL OR coalesce(expires_at <= now(), false) AS revoked
     FROM engine.agent WHERE token_hash = $1 ORDER BY created_at`,
    [tokenHash(token)],
  );
  const agents = rows.filter((row) => !row.revoked);
  const first = agents[0];
  if (first) {
    const { cluster, owner, attempt } = first;
    return {
      cluster,
      agents,
      binding: { ...(owner !== null && { owner }), ...(attempt !== null && { bound: attempt }) },
    };
  }
  return rows.length === 0 ? "unknown-token" : "revoked-token";
}
