/**
 * Follows a run to its end. The engine's notifications wake us; looking every half second all the same means that a
 * lost one costs nothing. A database that went away is told to the caller, who may bring it back.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { PoolClient } from "pg";
import type { RunId } from "@/core/engine/ids";
import { describeEvent } from "@/core/engine/reasons";
import { type RunState, TaskState } from "@/core/engine/task-state";
import type { Pool } from "@/server/journal/pool";
import { lastWaiting } from "@/server/journal/queries/last-waiting";

export interface RunProgress {
  state: RunState;
  counts: number[];
}

/** At most this often, whatever the notifications. */
const leastPauseMs = 50;
const longestPauseMs = 500;
/** Agents need a moment to join: a shorter wait is not worth a word. */
const waitWorthAWordMs = 2000;

export interface Watcher {
  onProgress(progress: RunProgress): void;
  /** Tasks are ready and none runs: the engine's reason, each once. */
  onWaiting(sentence: string): void;
}

export async function watchRun(pool: Pool, run: RunId, { onProgress, onWaiting }: Watcher): Promise<RunState> {
  let stuckSince: number | undefined;
  let told = "";
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
      stuckSince = isStuck(progress) ? (stuckSince ?? performance.now()) : undefined;
      if (stuckSince !== undefined && performance.now() - stuckSince > waitWorthAWordMs) {
        const event = await lastWaiting(pool, run);
        const sentence = event ? describeEvent(event.code, event.args) : "";
        if (sentence !== "" && sentence !== told) onWaiting(sentence);
        told = sentence;
      }
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

function isStuck({ counts }: RunProgress): boolean {
  return (counts[TaskState.ready] ?? 0) > 0 && (counts[TaskState.running] ?? 0) === 0;
}

function isFinal(state: RunState): boolean {
  return state === "succeeded" || state === "failed" || state === "killed";
}
