/**
 * The states of a task and of a run, as everyone outside the engine sees them.
 * A task's state fits in a byte, because a run of a million tasks keeps a million of them (packed chunks
 * in the journal, a typed array in the reactor and in the browser). The colours are those of the thesis.
 */
export const TaskState = {
  /** Red: an input is not there yet. */
  waiting: 0,
  /** Yellow: could run, waits for a resource. */
  ready: 1,
  /** Green: an agent has it. */
  running: 2,
  /** Blue: done, its outputs are safe. */
  finished: 3,
  /** Permanent fault: out of retries. What depends on it stays waiting. */
  failed: 4,
  /** The run was killed before it finished. */
  cancelled: 5,
  /** Not on the branch that was taken (GW-13): it will not run, and nothing is wrong with that. */
  skipped: 6,
  /** It leaves its host to go on elsewhere: stopped there, not yet with another agent. */
  migrating: 7,
} as const;

export type TaskState = (typeof TaskState)[keyof typeof TaskState];
export type TaskStateName = keyof typeof TaskState;

export const taskStateNames = [
  "waiting",
  "ready",
  "running",
  "finished",
  "failed",
  "cancelled",
  "skipped",
  "migrating",
] as const satisfies readonly TaskStateName[];

/** `queued` until an engine takes it; the last three are final (but `retry` reopens a failed run). */
export type RunState = "queued" | "running" | "succeeded" | "failed" | "killed";
