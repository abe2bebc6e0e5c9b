/**
 * May this agent fetch this content? Only if it is a file of a run of which the agent has an open attempt. The
 * gateway asks when it does not remember handing out the attempt, after a restart of its own.
 */
import type { AgentId } from "@/core/engine/ids";
import type { Database } from "../pool";

export async function agentMayRead(database: Database, agent: AgentId, sha256: string): Promise<boolean> {
  const { rows } = await database.query<{ may: boolean }>(
    `WITH open_runs AS (
       SELECT DISTINCT attempt.run FROM engine.attempt JOIN engine.run ON run.id = attempt.run AND run.state = 'running'
       WHERE attempt.agent = $1 AND NOT EXISTS (
         SELECT FROM engine.outcome AS ended
         WHERE ended.run = attempt.run AND ended.task = attempt.task AND ended.ordinal = attempt.ordinal))
     SELECT EXISTS (SELECT FROM engine.run_input JOIN open_runs USING (run) WHERE sha256 = decode($2, 'hex'))
         OR EXISTS (SELECT FROM engine.output JOIN open_runs USING (run) WHERE sha256 = decode($2, 'hex') AND NOT transient)
         OR EXISTS (SELECT FROM engine.checkpoint JOIN open_runs USING (run) WHERE files @> $3::jsonb)
         AS may`,
    [agent, sha256, JSON.stringify([{ sha256 }])],
  );
  return rows[0]?.may ?? false;
}
