/**
 * A run if it is this person's, without its text and application. Somebody else's run and no run at all give
 * the same answer.
 */
import type { RunId } from "@/core/engine/ids";
import type { Database } from "@/server/journal/pool";
import { type RunSummary, runSummaryColumns } from "@/server/journal/queries/run-summary";

export async function runOfOwner(database: Database, run: RunId, owner: string): Promise<RunSummary | undefined> {
  const { rows } = await database.query<RunSummary>(
    `SELECT ${runSummaryColumns} FROM engine.run WHERE id = $1 AND owner = $2`,
    [run, owner],
  );
  return rows[0];
}
