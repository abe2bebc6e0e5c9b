/**
 * Runs, newest first, a page at a time.
 */
import type { RunId } from "@/core/engine/ids";
import type { Database } from "../pool";
import { type RunSummary, runSummaryColumns } from "./run-summary";

export interface RunListing {
  /** Absent: everybody's, for admins. */
  owner?: string;
  limit: number;
  /** The last run of the page before. */
  before?: RunId;
}

export async function listRuns(database: Database, listing: RunListing): Promise<RunSummary[]> {
  const { rows } = await database.query<RunSummary>(
    `SELECT ${runSummaryColumns} FROM engine.run
     WHERE ($1::text IS NULL OR owner = $1)
       AND ($2::uuid IS NULL OR (created_at, id) < (SELECT created_at, id FROM engine.run WHERE id = $2))
     ORDER BY created_at DESC, id DESC LIMIT $3`,
    [listing.owner ?? null, listing.before ?? null, listing.limit],
  );
  return rows;
}
