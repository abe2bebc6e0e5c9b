/**
 * Follows a run to its end. The engine's notifications wake us; looking every half second all the same means that a
 * lost one costs nothing. A database that went away is told to the caller, who may bring it back.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { PoolClient } from "pg";
import type { RunId } from "@/core/engine/ids";
import type { RunState } from "@/core/engine/task-state";
import type { Pool } from "@/server/journal/pool";

export interface RunProgress {
  state: RunState;
  counts: number[];
}

/** At most this often, whatever the notifications. */
const leastPauseMs = 50;
const longestPauseMs = 500;

export async function watchRun(pool: Pool, run: RunId, onProgress: (progress: RunProgress) => void): Promise<RunState> {
  const listener = await pool.connect();
  // A broken connection is reported by the next query.
  listener.on("error", () => {});
  try {
    await listener.query("LISTEN gridloom_run");
    for (;;) {
      const { rows } = await listener.query<RunProgress>("SELECT state, counts FROM engine.run WHERE id = $1", [run]);
      const progress = rows[0];
      if (!progress) throw new Error(`The run ${run} is no longer in the database.`);
      onProgress(progress);
      if (isFinal(progress.state)) return progress.state;
      await sleep(leastPauseMs);
      await wakened(listener);
    }
  } finally {
    listener.release(true);
  }
}

/** A notification, or the end of the pause. */
function wakened(listener: PoolClient): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      listener.off("notification", wake);
      resolve();
    };
    const timer = setTimeout(wake, longestPauseMs);
    listener.on("notification", wake);
  });
}

function isFinal(state: RunState): boolean {
  return state === "succeeded" || state === "failed" || state === "killed";
}
