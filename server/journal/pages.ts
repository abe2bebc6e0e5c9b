/**
 * The task states of one active run as they are (or are about to be) in PostgreSQL: a byte a task, in chunks.
 * The writer changes them while it builds a batch and writes whole chunks, so a run of a million tasks is
 * 245 rows, and writing the same batch twice gives the same bytes.
 */
import { TaskState, taskStateNames } from "@/core/engine/task-state";

export const chunkSize = 4096;

export class RunPages {
  states: Uint8Array;
  /** Tasks in each state. */
  readonly counts: number[];
  seq: number;
  private readonly dirty = new Set<number>();

  constructor(states: Uint8Array, seq: number) {
    this.states = states;
    this.seq = seq;
    this.counts = countStates(states);
  }

  /** Tasks are added at the end, waiting. Returns the numbers of chunks there were none of. */
  grow(taskCount: number): number[] {
    const before = this.states.length;
    const longer = new Uint8Array(taskCount);
    longer.set(this.states);
    this.states = longer;
    this.counts[TaskState.waiting]! += taskCount - before;
    const added: number[] = [];
    const chunks = Math.ceil(taskCount / chunkSize);
    for (let chunk = Math.floor(before / chunkSize); chunk < chunks; chunk++) {
      this.dirty.add(chunk);
      if (chunk * chunkSize >= before) added.push(chunk);
    }
    return added;
  }

  set(task: number, state: TaskState): void {
    const before = this.states[task];
    if (before === undefined) throw new Error(`task ${task} is outside its run of ${this.states.length} tasks`);
    if (before === state) return;
    this.counts[before]!--;
    this.counts[state]!++;
    this.states[task] = state;
    this.dirty.add(Math.floor(task / chunkSize));
  }

  /** The chunks changed since the last call. The bytes stay valid until the next `set`. */
  takeDirty(): { chunk: number; bytes: Uint8Array }[] {
    const chunks = [...this.dirty].map((chunk) => ({ chunk, bytes: this.bytes(chunk) }));
    this.dirty.clear();
    return chunks;
  }

  private bytes(chunk: number): Uint8Array {
    return this.states.subarray(chunk * chunkSize, (chunk + 1) * chunkSize);
  }
}

export function countStates(states: Uint8Array): number[] {
  const counts = taskStateNames.map(() => 0);
  for (const state of states) counts[state]!++;
  return counts;
}
