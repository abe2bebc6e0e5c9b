/**
 * How tasks are kept from the portal, from each other and from outliving themselves. Three ways, chosen by whoever
 * configures the agent; this is what each must be able to do.
 */
import type { Slot } from "../config";
import type { Process } from "../processes";
import type { Places } from "../task-environment";

export interface Account {
  uid: number;
  gid: number;
}

export interface Isolation {
  /** To be tried once at start: a sentence if it cannot work here. */
  check(): Promise<string | undefined>;
  /** Whose the task's files are, if not the agent's own account. */
  owner(slot: Slot): Account | undefined;
  /** If running under this account, without further rights, is all that shuts a task in. Else {@link words} do. */
  account(slot: Slot): Account | undefined;
  /** What the task is to believe about its places; `directory` is the real one. */
  places(slot: Slot, directory: string): Places;
  /** Directories that must exist in the task's directory before it starts. */
  readonly furniture: readonly string[];
  /** The most processes and threads a task may have; undefined where its account is also somebody else's. */
  readonly mostProcesses: number | undefined;
  /** Words to put before the program's own. */
  words(slot: Slot): string[];
  /** Those of the machine's processes that belong to the task. */
  members(slot: Slot, task: TaskProcesses, all: readonly Process[]): Process[];
  /** Files and directories of the task outside its own directory, which count as its output too, as far as they can be told. */
  elsewhere(slot: Slot, task: TaskProcesses): Promise<string[]>;
  /** Kills what runs of the task, without waiting for its end. */
  strike(slot: Slot, task: TaskProcesses): Promise<void>;
  /**
   * Returns when nothing the slot's last task started is left. `task` is absent when nothing is known of one (the agent has
   * just started).
   */
  clear(slot: Slot, task: TaskProcesses | undefined): Promise<void>;
}

export interface TaskProcesses {
  attempt: string;
  /** The shim's process number, and its start: after the shim's end the number may be somebody else's. */
  shimPid: number;
  shimStart: string;
  startedAt: number;
  /** The machine's youngest process just before the task was started, and when by the steady clock, if this agent started it. */
  before?: { youngest: number; at: number };
  /** The program's exit status, once there is one. */
  status?: number;
}
