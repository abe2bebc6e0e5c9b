/**
 * Notes that an agent left, or was given up and must not come back under this identity.
 */
import type { AgentId } from "@/core/engine/ids";
import type { Database } from "../pool";

export async function noteAgentState(database: Database, agent: AgentId, state: "left" | "refused"): Promise<void> {
  await database.query("UPDATE engine.agent SET state = $2 WHERE id = $1", [agent, state]);
}
