/**
 * What the reactor knows of a run: its shape and its rules, not what its tasks do. The host builds it from
 * the stored workflow; the columns are shared, never copied.
 */
import type { ProfileSample, RestartFile } from "@/core/protocol/agent";
import type { Contract, MigrationWish, TroubleWish } from "@/core/workflow/adaptive";
import type { Adjacency, Condition } from "@/core/workflow/workflow";
import type { AgentId, AttemptRef, ClusterId, RunId } from "./ids";
import type { Facts } from "./live-ad";
import type { MoveReason } from "./outcome";
import type { Policies } from "./policy";
import type { Placement } from "./ports";
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
  /** Which of its owner's runs goes first; between owners, shares decide. 0 if not given. */
  readonly priority?: number;
  /** How much its owner gets beside others, 1 if not given. */
  readonly ownerShare?: number;
  /** What its bag asks of hosts and of the engine (GB-2); changed while it runs by `onPoliciesChanged`. */
  readonly policies?: Policies;
  /** What tasks ask for, each kind once; one kind that asks for a core if not given. */
  readonly profiles?: readonly TaskProfile[];
  /** Index into `profiles`; 0 for all if not given. */
  profileOf?(task: number): number;
  /** The most tasks of a category that may be with agents at a time (DAGMan's MAXJOBS). */
  readonly categoryLimits?: Readonly<Record<string, number>>;
  /** Runs when nothing else can, whatever happened to the others (DAGMan's FINAL). */
  readonly finalTask?: number;
  /** Take results of tasks that are unchanged since they last succeeded. */
  readonly reuse?: boolean;
  /** The memory a task may use that does not say so itself: where doubling starts when it was too little. */
  readonly memoryBytes?: number;
  /** The cluster of tasks (GR-4) each task is handed out with, or -1. */
  readonly unitOf?: Int32Array | Uint32Array;
  /** After which answers of its predecessors the task runs (GW-13); after any, where nothing is said of one. */
  conditionsOf?(task: number): readonly Condition[];
  /** Tasks for which one predecessor on the branch that was taken is enough. */
  isJoin?(task: number): boolean;
  /** Whether the task hands in further tasks when it succeeds (GW-13, DI-2). */
  spawns?(task: number): boolean;
  /** Bytes of a task's inputs, as far as known: what a move has to bring along. */
  inputBytes?(task: number): number;
  /** The tasks that write these inputs of the task; files the submitter provided have none. */
  producers(task: number, files: readonly string[]): number[];
}

/** Tasks with the same profile are identical for scheduling. */
export interface TaskProfile {
  /** ClassAd expressions over the host; `rank` orders hosts, not bags. */
  requirement?: string;
  rank?: string;
  priority?: number;
  category?: string;
  /** Slots of one host; 1 if not given. */
  cores?: number;
  memoryBytes?: number;
  diskBytes?: number;
  wallSeconds?: number;
  /** Countable things of a host by name: GPUs, licences. */
  named?: Readonly<Record<string, number>>;
  /** Names that must be in the host's `Software` list. */
  software?: readonly string[];
  /** An agent is started for each task through a cluster's queue; else tasks wait for agents that are there. */
  binding?: "early";
  /** MPI: how many processes of it run at a time, on one host or several. */
  processes?: number;
  /** Instead of the run's retries; none after the exit code `unlessExit`. */
  retries?: { times: number; unlessExit?: number };
  adaptive?: AdaptiveProfile;
}

/** What the engine has to know of tasks that may move (GW-2). */
export interface AdaptiveProfile {
  /** There are restart files. */
  restart: boolean;
  contract?: Contract;
  suspensionSeconds?: number;
  migrate: MigrationWish;
  trouble: TroubleWish;
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
  /** Tasks whose further tasks are part of the plan already. */
  spawned?: Iterable<number>;
  /** The last restart files of unfinished tasks. */
  checkpoints?: Iterable<RecoveredCheckpoint>;
  changes?: Iterable<RecoveredChange>;
}

export interface RecoveredCheckpoint {
  task: number;
  ordinal: number;
  files: RestartFile[];
  at: number;
}

export interface RecoveredChange {
  task: number;
  requirement?: string;
  rank?: string;
  held: boolean;
}

export interface TaskHistory {
  task: number;
  /** Of the last attempt; ordinals have no gaps. */
  ordinal: number;
  /** Attempts that ended `failed`, counted since the run's last `run-retried` event. */
  failures: number;
  /** Attempts that ended `lost`, `cancelled` or `inputs-missing`, counted the same way. */
  losses?: number;
  /** Attempts killed for using more memory than allowed, counted the same way. */
  memoryKills?: number;
  /** Ordinal of the last attempt that succeeded, if it is not the last one of all. */
  won?: number;
  /** Its exit code, if it is not 0. */
  answer?: number;
}

export interface RecoveredAttempt {
  attempt: AttemptRef;
  epoch: number;
  agent: AgentId;
  cluster: ClusterId;
  host: string;
  startedAt?: number;
  sentAt?: number;
  deadlineAt?: number;
  because?: Placement;
  /** It was told to end because its task moves. */
  moving?: MoveReason;
  /** The last iterations it told of. */
  samples?: ProfileSample[];
}

export type CommandKind = Command["kind"];

export type Command =
  | { id: string; run: RunId; kind: "kill" | "retry-failed" }
  | { id: string; run: RunId; kind: "change-policies"; policies: Policies }
  /** Of one task: go on elsewhere; go on after it was held for a person. */
  | { id: string; run: RunId; kind: "migrate" | "resume"; task: number };

/** `isolation: none` is folded into `access: "admins"` by the caller. */
export interface ClusterPolicy {
  cluster: ClusterId;
  enabled: boolean;
  access: "everyone" | "admins";
  /** Where tasks go that failed again and again elsewhere (GB-12). */
  failOver?: boolean;
  /** 0 the same site, 1 the region, 2 farther away (GR-7). */
  distance?: number;
  /** Of the link to it, in Mbit/s. */
  linkMbps?: number;
  /** What its hosts are like, each kind once, where that was discovered (demand.ts). */
  kinds?: readonly Facts[];
  /** Agents can be asked of it: it has a driver and a queue, or hosts of its own. */
  startsAgents?: boolean;
  /** Why no agents can be started there for some people, in sentences: a key that is missing or expired, a front end that is away. */
  problems?: readonly { owner?: string; sentence: string }[];
}

export interface JoiningAgent {
  id: AgentId;
  cluster: ClusterId;
  /** The host's name. */
  host: string;
  /** Cores it gives to tasks. */
  slots: number;
  /** What expressions may say about the host. */
  facts?: Facts;
  /** What its tasks may use together, if there is a bound. */
  memoryBytes?: number;
  diskBytes?: number;
  named?: Readonly<Record<string, number>>;
  /** Whose tasks it may be given; everyone's who may use the cluster if not given. */
  owner?: string;
  /** Early binding: it was started for this one attempt and gets nothing else. */
  bound?: AttemptRef;
}
