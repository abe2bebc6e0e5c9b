/**
 * Runs, newest first, a page at a time, all of them or those in some state or with some words in their name. The page
 * begins after the last run of the one before (its time and id), so that page 300 costs what page 1 does.
 */
import type { RunId } from "@/core/engine/ids";
import type { RunState } from "@/core/engine/task-state";
import type { Database } from "../pool";
import { type RunSummary, runSummaryColumns } from "./run-summary";

export interface RunListing {
  /** Absent: everybody's, for admins. */
  owner?: string;
  limit: number;
  /** The last run of the page before. */
  before?: RunId;
  state?: RunState;
  /** Part of the name, whatever its case. */
  name?: string;
}

export async function listRuns(database: Database, listing: RunListing): Promise<RunSummary[]> {
  const { rows } = await database.query<RunSummary>(listRunsQuery(listing));
  return rows;
}

/** Only the conditions that are asked for: an index is chosen by them. */
export function listRunsQuery(listing: RunListing): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (value: unknown, condition: (place: string) => string) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  if (listing.owner !== undefined) add(listing.owner, (place) => `owner = ${place}`);
  if (listing.state !== undefined) add(listing.state, (place) => `state = ${place}`);
  if (listing.before !== undefined) {
    add(
      listing.before,
      (place) =>
        `(created_at, id) < (SELECT last.created_at, last.id FROM engine.run AS last WHERE last.id = ${place})`,
    );
  }
  if (listing.name !== undefined) add(`%${literal(listing.name)}%`, (place) => `name ILIKE ${place}`);
  values.push(listing.limit);
  // The page is found in an index alone, and then its few rows are read.
  const text = `SELECT ${runSummaryColumns} FROM engine.run JOIN (
       SELECT id AS chosen FROM engine.run ${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : ""}
       ORDER BY created_at DESC, id DESC LIMIT $${values.length}) AS page ON page.chosen = run.id
     ORDER BY created_at DESC, id DESC`;
  return { text, values };
}

/** What LIKE would read as a pattern. */
export function literal(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
