/**
 * The engine's last word on why a run waits, if it still holds: nothing was handed out since, and the policies are
 * the same.
 */
import type { RunId } from "@/core/engine/ids";
import type { Database } from "../pool";
import type { EventRow } from "./events-of-run";

export async function lastWaiting(database: Database, run: RunId): Promise<EventRow | undefined> {
  const { rows } = await database.query<EventRow>(
    `WITH told AS (
       SELECT id, task, code, args, at FROM engine.event
       WHERE run = $1 AND code IN ('waiting-for-cluster', 'policies-changed') ORDER BY id DESC LIMIT 1)
     SELECT id::float8 AS id, task, code, args, at FROM told
     WHERE code = 'waiting-for-cluster'
       AND NOT EXISTS (SELECT 1 FROM engine.attempt WHERE attempt.run = $1 AND attempt.sent_at > told.at)`,
    [run],
  );
  return rows[0];
}
