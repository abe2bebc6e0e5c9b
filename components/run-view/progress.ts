/**
 * A run's progress as segments of one bar: what is over on the left (finished, skipped, failed, cancelled), then what moves, runs,
 * is ready, and waits. A state that has tasks is never drawn thinner than can be seen.
 */
import { type RunState, TaskState, type TaskStateName, taskStateNames } from "@/core/engine/task-state";

const order: TaskStateName[] = [
  "finished",
  "skipped",
  "failed",
  "cancelled",
  "migrating",
  "running",
  "ready",
  "waiting",
];
const leastShare = 0.008;

export interface Segment {
  state: TaskStateName;
  count: number;
  /** Of the bar's width; all together 1. */
  share: number;
}

export function progressSegments(counts: readonly number[]): Segment[] {
  const present = order
    .map((state) => ({ state, count: counts[TaskState[state]] ?? 0 }))
    .filter((segment) => segment.count > 0);
  const total = present.reduce((sum, segment) => sum + segment.count, 0);
  const widened = present.map((segment) => ({ ...segment, share: Math.max(leastShare, segment.count / total) }));
  const sum = widened.reduce((all, segment) => all + segment.share, 0);
  return widened.map((segment) => ({ ...segment, share: segment.share / sum }));
}

/** `3 finished, 1 failed`: the bar in words. */
export function progressWords(counts: readonly number[]): string {
  return progressSegments(counts)
    .map((segment) => `${segment.count} ${segment.state}`)
    .join(", ");
}

export function emptyCounts(): number[] {
  return taskStateNames.map(() => 0);
}

export function isOver(state: RunState): boolean {
  return state === "succeeded" || state === "failed" || state === "killed";
}

/** What failed tasks keep from running: what still waits when nothing is ready and nothing runs. */
export function heldBack(counts: readonly number[]): number {
  const failed = counts[TaskState.failed] ?? 0;
  const moving = [TaskState.ready, TaskState.running, TaskState.migrating].reduce(
    (sum, state) => sum + (counts[state] ?? 0),
    0,
  );
  return failed > 0 && moving === 0 ? (counts[TaskState.waiting] ?? 0) : 0;
}
