/**
 * What the reactor knows of a run: its shape and its rules, not what its tasks do. The host builds it from
 * the stored workflow; the columns are shared, never copied.
 */
import type { Adjacency } from "@/core/workflow/workflow";
import type { AgentId, AttemptRef, ClusterId, RunId } from "./ids";
import type { RunState } from "./task-state";

export interface RunPlan {
  readonly id: RunId;
  readonly ownerId: string;
  readonly ownerAdmin: boolean;
  readonly taskCount: number;
  readonly successors: Adjacency;
  readonly predecessors: Adjacency;
  /** Marked `done` by the author: they count as finished from the start. */
  readonly doneTasks: readonly number[];
  /** How often a task may fail and be tried again. 0: the first failure is final. */
  readonly retries: number;
  /** The tasks that write these inputs of the task; files the submitter provided have none. */
  producers(task: number, files: readonly string[]): number[];
}

/** A run as the journal has it. Handing it to the reactor gives exactly the behaviour from before the crash. */
export interface RecoveredRun {
  state: RunState;
  /** One byte a task, see task-state.ts. */
  states: Uint8Array;
  /** Tasks that were tried at least once. */
  attempts: Iterable<TaskHistory>;
  /** Attempts without an outcome. */
  open: Iterable<RecoveredAttempt>;
}

export interface TaskHistory {
  task: number;
  /** Of the last attempt; ordinals have no gaps. */
  ordinal: number;
  /** Attempts that ended `failed`, counted since the run's last `run-retried` event. */
  failures: number;
  /** Attempts that ended `lost`, `cancelled` or `inputs-missing`, counted the same way. */
  losses?: number;
}

export interface RecoveredAttempt {
  attempt: AttemptRef;
  epoch: number;
  agent: AgentId;
  cluster: ClusterId;
  host: string;
  startedAt?: number;
}

export type CommandKind = "kill" | "retry-failed";

export interface Command {
  id: string;
  run: RunId;
  kind: CommandKind;
}

/** `isolation: none` is folded into `access: "admins"` by the caller. */
export interface ClusterPolicy {
  cluster: ClusterId;
  enabled: boolean;
  access: "everyone" | "admins";
}

export interface JoiningAgent {
  id: AgentId;
  cluster: ClusterId;
  /** The host's name. */
  host: string;
  slots: number;
}
