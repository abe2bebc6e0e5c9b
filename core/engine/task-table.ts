/**
 * The tasks of one run in columns: some 13 bytes a task and no objects, so that a million waiting or finished
 * tasks cost megabytes. Every change of a state goes through `move`, which knows the one table of legal
 * transitions and keeps the counters and the ready queue in step.
 *
 *   waiting    an input is not there     → ready      the last predecessor finished
 *                                        → finished   an earlier result was taken (reuse.ts)
 *                                        → skipped    a predecessor ended on another branch (branches.ts)
 *   ready      could run                 → running    handed to an agent
 *                                        → waiting    a predecessor has to run again
 *   running    an agent has it           → finished, failed
 *                                        → ready      failed with retries left, or lost
 *                                        → waiting    the same, or its inputs are gone, and a predecessor runs again
 *                                        → migrating  it leaves its host (migrate.ts)
 *   migrating  leaves its host           → as running, but for migrating
 *   finished   its outputs are safe      → ready, waiting  its outputs are gone and somebody needs them
 *   failed     out of retries            → ready, waiting, skipped  a person asked to retry
 *   cancelled  the run was killed        → ready, waiting, skipped  a person asked to retry
 *   skipped    another branch was taken, for good
 *   any of waiting, ready, running       → cancelled  the run is killed
 */
import type { Adjacency } from "@/core/workflow/workflow";
import type { ReadyTasks } from "./ready-queue";
import { TaskState, taskStateNames } from "./task-state";

const { waiting, ready, running, finished, failed, cancelled, skipped, migrating } = TaskState;

const legal: Readonly<Record<TaskState, readonly TaskState[]>> = {
  [waiting]: [ready, finished, cancelled, skipped],
  [ready]: [running, waiting, cancelled],
  [running]: [finished, failed, ready, waiting, cancelled, migrating],
  [migrating]: [finished, failed, ready, waiting, cancelled],
  [finished]: [ready, waiting],
  [failed]: [ready, waiting, skipped],
  [cancelled]: [ready, waiting, skipped],
  [skipped]: [],
};

export function isLegalTransition(from: TaskState, to: TaskState): boolean {
  return legal[from].includes(to);
}

/** One bit a target state: the same table, for a check that costs nothing on the hot path. */
const legalBits = taskStateNames.map((name) =>
  legal[TaskState[name]].reduce<number>((bits, to) => bits | (1 << to), 0),
);

export class TaskTable {
  states: Uint8Array;
  /** Predecessors that are neither finished nor skipped, whatever the state of the task itself. */
  remaining: Uint32Array;
  /** Ordinal of the last attempt, 0 before the first. */
  ordinals: Uint32Array;
  /** Failures and losses since the start or the last time a person asked to retry. */
  failures: Uint16Array;
  losses: Uint16Array;
  /** How many tasks are in each state. */
  readonly counts: Int32Array;

  constructor(
    public taskCount: number,
    predecessors: Adjacency,
    /** Where a task stands while it is ready; must not change in that time. */
    private readonly queueOf: (task: number) => ReadyTasks,
  ) {
    this.states = new Uint8Array(taskCount);
    this.remaining = new Uint32Array(taskCount);
    this.ordinals = new Uint32Array(taskCount);
    this.failures = new Uint16Array(taskCount);
    this.losses = new Uint16Array(taskCount);
    this.counts = new Int32Array(taskStateNames.length);
    this.counts[waiting] = taskCount;
    for (let task = 0; task < taskCount; task += 1) {
      this.remaining[task] = predecessors.offsets[task + 1]! - predecessors.offsets[task]!;
    }
  }

  /** Tasks are added at the end, waiting for all their predecessors. */
  grow(taskCount: number, predecessors: Adjacency): void {
    const before = this.taskCount;
    this.states = longer(this.states, new Uint8Array(taskCount));
    this.remaining = longer(this.remaining, new Uint32Array(taskCount));
    this.ordinals = longer(this.ordinals, new Uint32Array(taskCount));
    this.failures = longer(this.failures, new Uint16Array(taskCount));
    this.losses = longer(this.losses, new Uint16Array(taskCount));
    this.counts[waiting]! += taskCount - before;
    this.taskCount = taskCount;
    for (let task = before; task < taskCount; task += 1) {
      this.remaining[task] = predecessors.offsets[task + 1]! - predecessors.offsets[task]!;
    }
  }

  state(task: number): TaskState {
    return toTaskState(this.states[task]);
  }

  count(state: TaskState): number {
    return this.counts[state]!;
  }

  /** An illegal transition is a fault of the program: better to stop and recover than to write it down. */
  move(task: number, to: TaskState): void {
    const from = this.state(task);
    if ((legalBits[from]! & (1 << to)) === 0) {
      throw new Error(`task ${task} cannot go from ${taskStateNames[from]} to ${taskStateNames[to]}`);
    }
    this.set(task, to);
  }

  /** Takes a state over without asking where it came from: the start of a run, and recovery. */
  set(task: number, to: TaskState): void {
    const from = this.state(task);
    this.states[task] = to;
    this.counts[from]! -= 1;
    this.counts[to]! += 1;
    if (from === ready) this.queueOf(task).delete(task);
    if (to === ready) this.queueOf(task).add(task);
  }
}

function longer<T extends Uint8Array | Uint16Array | Uint32Array>(column: T, room: T): T {
  room.set(column);
  return room;
}

const byByte: readonly TaskState[] = taskStateNames.map((name) => TaskState[name]);

export function toTaskState(byte: number | undefined): TaskState {
  const state = byte === undefined ? undefined : byByte[byte];
  if (state === undefined) throw new Error(`${byte} is not a task state`);
  return state;
}

/** The neighbours of a task in a compressed adjacency, without copying. */
export function neighbours(adjacency: Adjacency, task: number): Uint32Array {
  return adjacency.targets.subarray(adjacency.offsets[task]!, adjacency.offsets[task + 1]!);
}
