/**
 * What the reactor needs from the world. In production these are real (`server/engine`), in tests and in the
 * simulator they are simulated from one seed (`core/simulation`). The reactor never awaits: it appends
 * records and sends messages, and the ports keep one promise:
 *
 *   A message is released only after every record appended before it is committed.
 *
 * So whatever the outside hears (a task handed out, a result acknowledged) is already safe, and a crash
 * between the two loses only messages, which the agents' inventories bring back. And a second one:
 *
 *   Records appended during one call of the reactor are committed together or not at all.
 *
 * So a task's outcome and its new state never part, and a command is done exactly when its effects are there.
 */

import type { ProfileSample, RestartFile } from "@/core/protocol/agent";
import type { Application } from "@/core/workflow/application";
import type { WantedResources } from "./early";
import type { AgentId, AttemptRef, ClusterId, RunId } from "./ids";
import type { MoveReason, Outcome, OutputFile, Usage } from "./outcome";
import type { RunPlan } from "./plan";
import type { RunState, TaskState } from "./task-state";

export interface Ports {
  clock: Clock;
  random: Random;
  journal: Journal;
  agents: Agents;
  /** Without it every task runs. */
  reuse?: Reuse;
  /** Without it no task can hand in others. */
  spawner?: Spawner;
}

export interface Spawner {
  /** The run with what this attempt, which has just succeeded, handed in. Called once for each attempt that counts. */
  extend(attempt: AttemptRef): Extension;
}

export type Extension =
  /** Tasks keep their numbers; those added follow them, and nobody has to wait for them who did not before. */
  { is: "extended"; plan: RunPlan; addition: Application } | { is: "refused"; problem: string };

export interface Reuse {
  /** Is there a result this task could take? The answer comes as `onReuseAnswer`, once and not within this call. */
  ask(run: RunId, task: number): void;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}

export interface Journal {
  append(record: JournalRecord): void;
  /**
   * Runs the action once everything appended before is committed. With it the reactor keeps an ended run at hand
   * until the journal knows of its end, however long that takes; without it, for `keepEndedMs` only.
   */
  afterCommit?(action: () => void): void;
}

export interface Agents {
  send(agent: AgentId, message: ToAgent): void;
}

/** Append-only facts. Applying them in order to an empty state gives the engine's state back. */
export type JournalRecord =
  | { is: "run-state"; run: RunId; state: RunState; at: number }
  /** Packed by the journal into chunks; the last state of a task in a batch wins. */
  | { is: "task-state"; run: RunId; task: number; state: TaskState }
  /** Work intent: written before the task leaves the process. */
  | {
      is: "attempt";
      attempt: AttemptRef;
      agent: AgentId;
      cluster: ClusterId;
      host: string;
      because: Placement;
      /** The rank of the host for the task, where one decided. */
      rank?: number;
      /** When it counts as lost, if its bag sets a deadline. */
      deadlineAt?: number;
      at: number;
    }
  /** A task finished without an attempt: its files are those of an earlier one. */
  | { is: "reused"; run: RunId; task: number; from: AttemptRef; outputs: OutputFile[]; at: number }
  /** Tasks that a task handed in are part of the run from here on: `tasks` and `edges` are those of the whole run. */
  | { is: "spawned"; by: AttemptRef; first: number; tasks: number; edges: number; addition: Application; at: number }
  | { is: "attempt-started"; attempt: AttemptRef; at: number }
  /** The last complete set of restart files of a task; none: what there was is of no use. */
  | { is: "checkpoint"; attempt: AttemptRef; number: number; files: RestartFile[]; at: number }
  /** The attempt is to end so that its task goes on elsewhere. */
  | { is: "move"; attempt: AttemptRef; reason: MoveReason; at: number }
  /** What a task needs otherwise than its description says, or that it waits for a person. The last one counts. */
  | { is: "task-change"; run: RunId; task: number; requirement?: string; rank?: string; held: boolean; at: number }
  | { is: "samples"; attempt: AttemptRef; samples: ProfileSample[] }
  | { is: "outcome"; attempt: AttemptRef; outcome: Outcome; usage: Usage; at: number }
  /** A decision with its reason as a code and arguments, worded only when shown. */
  | { is: "event"; run: RunId; task?: number; code: EventCode; args: Record<string, string | number>; at: number }
  /** Early binding: an agent is to be started for this attempt. The later one for the same attempt counts. */
  | { is: "agent-wanted"; attempt: AttemptRef; cluster: ClusterId; owner: string; asks: WantedResources; at: number }
  | { is: "command-done"; command: string; at: number };

/** Why there is this attempt: the first, after a failure or loss, beside another one, because a deadline passed, or because it moved. */
export type Placement = "first" | "again" | "replica" | "deadline" | "moved";

export type EventCode =
  | "run-submitted"
  | "run-started"
  | "run-ended"
  | "run-killed"
  | "run-retried"
  | "attempt-failed"
  | "attempt-lost"
  | "attempt-retried"
  | "task-failed"
  | "inputs-missing"
  | "agent-joined"
  | "agent-lost"
  | "waiting-for-cluster"
  | "replica-wanted"
  | "deadline-passed"
  | "memory-raised"
  | "failed-over"
  | "host-avoided"
  | "policies-changed"
  | "tail-begun"
  | "migration-wanted"
  | "migration-begun"
  | "migration-needless"
  | "requirement-changed"
  | "checkpoint-dropped"
  | "task-held"
  | "task-resumed"
  | "task-reused"
  | "task-not-reused"
  | "tasks-spawned"
  | "agent-not-started";

export type ToAgent =
  /** `memoryBytes`: more than the task itself asks for, because that was too little. */
  /** `epoch` is the one in which the attempt was first handed out, also when it is sent again by a later engine. */
  /** `restart`: the files it goes on from. */
  | { is: "assign"; attempt: AttemptRef; epoch: number; memoryBytes?: number; restart?: RestartFile[] }
  /** The outcome is committed: the agent may forget the attempt. */
  | { is: "acknowledge"; attempt: AttemptRef }
  /** Stop it, clean up, and report `cancelled`; `checkpoint`: after its restart files are safe. */
  | { is: "cancel"; attempt: AttemptRef; checkpoint?: boolean }
  /** Stale: nobody waits for this attempt. Stop it, clean up, forget it without reporting. */
  | { is: "discard"; attempt: AttemptRef }
  /** This agent was given up: it must forget everything and come back under a new identity. */
  | { is: "refuse" }
  /** The engine does not know this agent (it restarted): have it join again. */
  | { is: "who-is" };
