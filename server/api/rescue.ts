/** The rescue DAG of a run, from what the journal has of it. */
import type { RunId } from "@/core/engine/ids";
import { TaskState } from "@/core/engine/task-state";
import { printRescue } from "@/core/languages/dagman";
import type { Database } from "@/server/journal/pool";
import { getRun } from "@/server/journal/queries/get-run";
import { taskStatesSince } from "@/server/journal/queries/task-states-since";

/** Nothing if there is no such run. */
export async function rescueDag(database: Database, id: RunId): Promise<string | undefined> {
  const run = await getRun(database, id);
  const states = run && (await taskStatesSince(database, id, -1));
  if (!states) return undefined;
  const finished = new Uint8Array(states.taskCount);
  for (const { first, states: bytes } of states.chunks) {
    bytes.forEach((state, index) => {
      if (state === TaskState.finished) finished[first + index] = 1;
    });
  }
  return printRescue(run.application, (task) => finished[task] === 1).text;
}
