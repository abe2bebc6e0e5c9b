/** The state of one task, out of its packed chunk. */
import type { RunId } from "@/core/engine/ids";
import type { TaskState } from "@/core/engine/task-state";
import { chunkSize } from "@/server/journal/pages";
import type { Database } from "@/server/journal/pool";

export async function stateOfTask(database: Database, run: RunId, task: number): Promise<TaskState | undefined> {
  const { rows } = await database.query<{ state: TaskState }>(
    `SELECT get_byte(states, $3) AS state FROM engine.task_chunk
     WHERE run = $1 AND chunk = $2 AND length(states) > $3`,
    [run, Math.floor(task / chunkSize), task % chunkSize],
  );
  return rows[0]?.state;
}
