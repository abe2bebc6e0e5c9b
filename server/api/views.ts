/**
 * What the API answers with, as the pages see it. Kept apart from the routers so that components can import
 * these types without touching server code.
 */

import type { CommandKind } from "@/core/engine/plan";
import type { Policies } from "@/core/engine/policy";
import type { Placement } from "@/core/engine/ports";
import type { RunState, TaskState, TaskStateName } from "@/core/engine/task-state";
import type { Problem } from "@/core/problem";
import type { Application } from "@/core/workflow/application";
import type { ClusteringAlgorithm } from "@/core/workflow/clustering";
import type { Command, ExternalInput, GraphClass } from "@/core/workflow/workflow";
import type { KeyView } from "@/server/api/clusters/views";
import type { Adaptation } from "@/server/journal/queries/adaptation-of-task";

export type Role = "scientist" | "admin";

export interface Me {
  id: string;
  email: string;
  name: string;
  role: Role;
}

/** A file a person brought, by the name the tasks know it under. The hash works only for its owner. */
export interface UploadedFile {
  name: string;
  sha256: string;
  size: number;
}

export interface WorkflowSummary {
  id: string;
  name: string;
  format: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface WorkflowDetail extends WorkflowSummary {
  source: string;
  /** The name of the file the text came in. */
  sourceName: string | null;
  files: UploadedFile[];
  /** Those of `files` that are part of the description (a DAG's submit files), with their text. */
  companions: CompanionText[];
}

export interface CompanionText {
  name: string;
  text: string;
}

export interface CheckResult {
  format: string;
  /** Absent if the text could not be read as a graph. */
  class?: GraphClass;
  tasks: number;
  edges: number;
  /** Files nobody in the workflow writes: to be uploaded. */
  externalInputs: ExternalInput[];
  problems: Problem[];
}

export interface RunSummary {
  id: string;
  name: string;
  state: RunState;
  /** Number of tasks in each state, in the order of `taskStateNames`. */
  counts: number[];
  taskCount: number;
  edgeCount: number;
  workflowId: string | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}

export interface RunDetail extends RunSummary {
  format: string;
  source: string;
  inputs: { name: string; size: number }[];
  /** A person asked to kill it or to retry, and the engine has not acted yet. */
  pending: CommandKind[];
  /** As they are now; the policies may be changed while it runs. */
  settings: RunOptions;
}

/** What a person may say about how a run is to go. */
export interface RunOptions {
  policies: Policies;
  priority: number;
  retries: number;
  clustering: { algorithm: ClusteringAlgorithm; granularity?: number | undefined } | null;
}

/** The engine's own word on why nothing of a run runs. */
export interface WaitingView {
  sentence: string;
  at: Date;
}

/** The folded application: `buildWorkflow(application)` in the browser gives names, edges and files of the tasks. */
export interface RunGraph {
  id: string;
  format: string;
  /** Of the application as it is here: tasks may be added while the run goes on. */
  taskCount: number;
  application: Application;
}

/**
 * A step of a watched run. Put `ranges` over the states first, then `changes`. The first update after a
 * connection brings everything newer than the last sequence number the watcher has (all of it if none).
 */
export interface LiveUpdate {
  seq: number;
  state: RunState;
  counts: number[];
  startedAt: Date | null;
  endedAt: Date | null;
  /** Stretches of states from task `from` on, one byte a task, base64. */
  ranges: { from: number; states: string }[];
  changes: [task: number, state: TaskState][];
}

/** All states at once: one byte a task, base64. */
export interface StatesSnapshot {
  seq: number;
  state: RunState;
  counts: number[];
  states: string;
}

export interface TaskDetail {
  index: number;
  name: string;
  state: TaskState;
  command: Command;
  weight: number;
  inputs: TaskFile[];
  outputs: TaskFile[];
  attempts: AttemptView[];
  adaptation: Adaptation;
  /** The end of both streams of the latest attempt. */
  output: { ordinal: number; stdout: OutputTail; stderr: OutputTail } | null;
}

export interface TaskFile {
  name: string;
  /** Known once the file exists. */
  size: number | null;
  transient: boolean;
  /** The task that writes it; -1: brought by the submitter. */
  producer: number;
}

export interface AttemptView {
  /** It ended so that its task goes on elsewhere. */
  moved: boolean;
  ordinal: number;
  cluster: string;
  host: string;
  because: Placement;
  /** Why there is this attempt, as a sentence. */
  placed: string;
  /** Of its host among those that matched; null where nothing distinguished them. */
  rank: number | null;
  /** When it counts as lost, by the run's Deadline. */
  deadlineAt: Date | null;
  sentAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  outcome: "succeeded" | "failed" | "lost" | "inputs-missing" | "cancelled" | null;
  exitCode: number | null;
  /** Why it ended, as a sentence; empty while it runs. */
  reason: string;
  peakMemoryBytes: number | null;
}

export interface OutputTail {
  /** Byte offset at which `text` starts, and the length of the whole stream. */
  offset: number;
  size: number;
  text: string;
}

/** A further stretch of a stream. Ask again from `next`. */
export interface OutputChunk {
  offset: number;
  next: number;
  text: string;
  /** The attempt has ended and this is all. */
  ended: boolean;
}

export interface RunEvent {
  id: string;
  task: number | null;
  code: string;
  sentence: string;
  at: Date;
}

export interface RunFile {
  name: string;
  size: number;
  /** The task that wrote it; null: an input brought by the submitter. */
  task: number | null;
  /** Transient files stay on the grid and cannot be downloaded. */
  transient: boolean;
}

/** A task as the monitoring directory lists it. */
export interface DirectoryEntry {
  run: { id: string; name: string };
  task: number;
  name: string;
  state: TaskStateName;
  /** Of its last attempt; null: it was never handed out. */
  host: string | null;
  /** What it does with the file that was looked for. */
  use: "makes" | "reads" | null;
  /** The first few, and how many there are. */
  predecessors: { task: number; name: string }[];
  predecessorCount: number;
  /** Whose run it is, in an admin's search. */
  user?: string;
}

export interface DirectoryPage {
  items: DirectoryEntry[];
  /** Ask again with it: an answer looks at a bounded number of runs, so even an empty one may have more behind it. */
  nextCursor: string | null;
  /** How many runs were looked at. */
  runs: number;
}

export interface ClusterView {
  id: string;
  name: string;
  driver: string;
  enabled: boolean;
  access: "everyone" | "admins";
  isolation: "accounts" | "namespaces" | "none";
  /** How programs are kept apart there, or why only admins may use it. */
  isolationNote: string;
  slots: number;
  /** No new agents; those that are there finish what they have. */
  draining: boolean;
  /** Its driver was tested against the vendor's documentation only. */
  untried: boolean;
  /** With whose account it is used. */
  accountPolicy: "own" | "service" | "either";
  /** Agents that were heard of in the last minute, their slots, and how many of these hold a task. */
  agents: number;
  liveSlots: number;
  busySlots: number;
  /** Hosts its driver found, and how many of them are up. */
  hosts: number;
  hostsUp: number;
  /** What came of speaking with it last; null: nobody did yet. */
  health: { ok: boolean; sentence: string; at: Date | null } | null;
  /** The key of the person who asks, where they use their own. */
  myKey: KeyView | null;
  /** May the person who asks run tasks there? If not, why. */
  usable: boolean;
  unusableBecause: string | null;
}

export interface SampleView {
  id: string;
  title: string;
  description: string;
  tasks: number;
  source: string;
}
