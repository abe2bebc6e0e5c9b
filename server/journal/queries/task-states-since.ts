/**
 * What changed in a run since the reader last looked: its state and counts, and the chunks of task states
 * with a newer sequence number. One statement, so that all of it belongs to the same commit.
 */
import type { RunId } from "@/core/engine/ids";
import type { RunState } from "@/core/engine/task-state";
import { chunkSize } from "../pages";
import type { Database } from "../pool";

export interface TaskStates {
  /** Ask for what is newer than this next time. */
  seq: number;
  state: RunState;
  taskCount: number;
  counts: number[];
  startedAt: Date | null;
  endedAt: Date | null;
  /** States of the tasks from `first` on, a byte each. */
  chunks: { chunk: number; first: number; states: Buffer }[];
}

interface Row extends Omit<TaskStates, "chunks"> {
  chunk: number | null;
  states: Buffer | null;
}

/** `seq` -1 gives every chunk. */
export async function taskStatesSince(database: Database, run: RunId, seq: number): Promise<TaskStates | undefined> {
  const { rows } = await database.query<Row>(
    `SELECT run.seq::float8 AS seq, run.state, run.task_count AS "taskCount", run.counts,
            run.started_at AS "startedAt", run.ended_at AS "endedAt", part.chunk, part.states
     FROM engine.run LEFT JOIN engine.task_chunk AS part ON part.run = run.id AND part.seq > $2
     WHERE run.id = $1 ORDER BY part.chunk`,
    [run, seq],
  );
  const first = rows[0];
  if (!first) return undefined;
  const { chunk: _chunk, states: _states, ...summary } = first;
  const chunks = rows.flatMap(({ chunk, states }) =>
    chunk === null || states === null ? [] : [{ chunk, first: chunk * chunkSize, states }],
  );
  return { ...summary, chunks };
}
