/**
 * The decisions the engine took in a run, oldest first, a page at a time.
 */
import type { RunId } from "@/core/engine/ids";
import type { EventCode } from "@/core/engine/ports";
import type { Database } from "../pool";

export interface EventRow {
  id: number;
  task: number | null;
  code: EventCode;
  args: Record<string, string | number>;
  at: Date;
}

export async function eventsOfRun(
  database: Database,
  run: RunId,
  page: { after?: number; limit: number },
): Promise<EventRow[]> {
  const { rows } = await database.query<EventRow>(
    `SELECT id::float8 AS id, task, code, args, at FROM engine.event
     WHERE run = $1 AND id > $2 ORDER BY id LIMIT $3`,
    [run, page.after ?? 0, page.limit],
  );
  return rows;
}
