/**
 * The states of a run's tasks, one byte each, with listeners. It lives outside React: an update of a few hundred
 * tasks re-renders only the nodes whose state changed, and a canvas can read the bytes as they are.
 */
import type { TaskState } from "@/core/engine/task-state";

export interface StateChanges {
  /** Stretches of states from task `from` on; laid down before `changes`. */
  ranges: { from: number; states: string }[];
  changes: [task: number, state: TaskState][];
}

export class TaskStates {
  readonly bytes: Uint8Array;
  #version = 0;
  readonly #listeners = new Set<() => void>();

  constructor(taskCount: number) {
    this.bytes = new Uint8Array(taskCount);
  }

  /** Rises with each change; a snapshot for `useSyncExternalStore`. */
  get version(): number {
    return this.#version;
  }

  of(task: number): number {
    return this.bytes[task] ?? 0;
  }

  apply(update: StateChanges): void {
    if (update.ranges.length === 0 && update.changes.length === 0) return;
    for (const range of update.ranges) {
      const states = atob(range.states);
      const end = Math.min(states.length, this.bytes.length - range.from);
      for (let i = 0; i < end; i += 1) this.bytes[range.from + i] = states.charCodeAt(i);
    }
    for (const [task, state] of update.changes) if (task < this.bytes.length) this.bytes[task] = state;
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
