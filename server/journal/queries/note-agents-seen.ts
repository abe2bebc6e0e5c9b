/**
 * Notes, now and then, when agents were last heard of; for the pages that list them. Silence is judged in memory.
 */
import type { AgentId } from "@/core/engine/ids";
import type { Database } from "../pool";

export async function noteAgentsSeen(database: Database, agents: readonly AgentId[]): Promise<void> {
  await database.query("UPDATE engine.agent SET last_seen_at = now() WHERE id = ANY ($1)", [agents]);
}
