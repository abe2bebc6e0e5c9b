/** Where tasks ran: the machine of each one's last attempt, and which tasks were tried on a machine. */
import type { RunId } from "@/core/engine/ids";
import type { Database } from "@/server/journal/pool";
import { literal } from "@/server/journal/queries/list-runs";

export async function hostsOfTasks(
  database: Database,
  run: RunId,
  tasks: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await database.query<{ task: number; host: string }>(
    `SELECT DISTINCT ON (task) task, host FROM engine.attempt
     WHERE run = $1 AND task = ANY ($2) ORDER BY task, ordinal DESC`,
    [run, tasks],
  );
  return new Map(rows.map(({ task, host }) => [task, host]));
}

/** From task `from` on, in order; at most `limit` of them. */
export async function tasksOnHost(
  database: Database,
  run: RunId,
  host: string,
  { from, limit }: { from: number; limit: number },
): Promise<number[]> {
  const { rows } = await database.query<{ task: number }>(
    `SELECT DISTINCT task FROM engine.attempt
     WHERE run = $1 AND task >= $3 AND host ILIKE $2 ORDER BY task LIMIT $4`,
    [run, `%${literal(host)}%`, from, limit],
  );
  return rows.map((row) => row.task);
}
