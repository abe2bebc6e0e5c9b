/**
 * Which of these attempts were handed to this agent? What an agent says of other agents' attempts is not taken.
 */
import type { AgentId, AttemptRef } from "@/core/engine/ids";
import type { Database } from "../pool";

export interface OwnAttempt extends AttemptRef {
  /** The most of each of its output streams that is kept. */
  streamBytes: number;
}

export async function attemptsOfAgent(
  database: Database,
  agent: AgentId,
  attempts: readonly AttemptRef[],
): Promise<OwnAttempt[]> {
  const { rows } = await database.query<OwnAttempt>(
    `SELECT attempt.run, attempt.task, attempt.ordinal, (run.settings ->> 'streamBytes')::float8 AS "streamBytes"
     FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS asked (run, task, ordinal)
     JOIN engine.attempt ON attempt.run = asked.run AND attempt.task = asked.task AND attempt.ordinal = asked.ordinal
     JOIN engine.run ON run.id = attempt.run
     WHERE attempt.agent = $1`,
    [
      agent,
      attempts.map((attempt) => attempt.run),
      attempts.map((attempt) => attempt.task),
      attempts.map((attempt) => attempt.ordinal),
    ],
  );
  return rows;
}
