/**
 * What a cluster driver is: it gets agents started on its cluster, tells what became of them, and knows the cluster's hosts.
 * It knows nothing of tasks. The cluster `local` has no driver of this kind: its one agent is a part of the portal (local.ts).
 *
 * Every method is one or a few commands on the cluster's front end. When the front end cannot be reached, or answers
 * something that cannot be understood, a method rejects with a {@link ClusterProblem}.
 */
import type { AgentId } from "@/core/engine/ids";
import type { Facts } from "@/core/engine/live-ad";
import type { ClusterProblem } from "./cluster-problem";
import type { RanCommand } from "./command-runner";

export const driverKinds = ["local", "ssh", "slurm", "gridengine", "pbs", "lsf", "htcondor"] as const;
export type DriverKind = (typeof driverKinds)[number];
/** Those with a {@link ClusterDriver}. */
export type RemoteDriverKind = Exclude<DriverKind, "local">;

/** One job to be given to the cluster: it starts one agent. */
export interface AgentJob {
  agent: AgentId;
  /** Whose work it is: told in the job's comment or name (GB-16). */
  user: string;
  /** Complete POSIX sh, token and all. It travels on standard input, never in arguments, which every account can see. */
  script: string;
  /** The agent's slots; for an MPI job the cores of each process. */
  cores: number;
  /** Of the whole job; of an MPI job, of each process. */
  memoryBytes?: number;
  wallSeconds?: number;
  gpus?: number;
  /** MPI: ranks, which may be spread over hosts. The agent runs beside the first. */
  processes?: number;
  /** Queue or partition; without it the cluster's own choice. */
  queue?: string;
}

export type StartResult = { agent: AgentId } & (
  | { outcome: "started"; job: string }
  /** The scheduler said no; the job does not exist. */
  | { outcome: "refused"; problem: ClusterProblem }
  /** The answer did not come back: the job may exist. The next `list` shows it by its name, or it is not there. */
  | { outcome: "unknown"; problem: ClusterProblem }
);

/** The batch system's states, mapped (GridWay's reasons for migration, GW-7). */
export type JobState =
  | "queued"
  | "held"
  | "running"
  | "suspended"
  /** Was running and is queued again: the agent that ran there is dead, another of the same identity will start. */
  | "requeued"
  | "completed"
  | "failed"
  /** Removed by a person (the account's owner or an administrator), not by us and not by the system. */
  | "cancelled-by-owner"
  | "cancelled"
  | "node-lost"
  | "timed-out"
  /** The scheduler does not know the job any more, nor how it ended. */
  | "gone";

const endedStates: ReadonlySet<JobState> = new Set([
  "completed",
  "failed",
  "cancelled-by-owner",
  "cancelled",
  "node-lost",
  "timed-out",
  "gone",
]);

export function hasEnded(state: JobState): boolean {
  return endedStates.has(state);
}

export interface ClusterJob {
  /** The scheduler's id, `123_4` or `123.4` for an element of an array; what `cancel` takes. */
  job: string;
  name: string;
  agent?: AgentId;
  state: JobState;
  host?: string;
  exitCode?: number;
  signal?: number;
  /** In the scheduler's words. */
  reason?: string;
  /** Since when it is in this state, as far as the scheduler tells; milliseconds since 1970. */
  since?: number;
}

/** A host with what does not change from minute to minute; `attributes` in the words of requirements (`Arch`, `Memory`, …). */
export interface DiscoveredHost {
  name: string;
  cpus: number;
  memoryBytes?: number;
  arch?: string;
  os?: string;
  attributes: Facts;
}

/** A host as it is now. */
export interface HostReading {
  name: string;
  up: boolean;
  freeCpus?: number;
  load?: number;
  freeMemoryBytes?: number;
  /** Why it is not up, in the scheduler's words. */
  reason?: string;
  attributes: Facts;
}

export const probeStepNames = ["connect", "authenticate", "scheduler", "submit", "read-back"] as const;

export interface ProbeStep {
  step: (typeof probeStepNames)[number];
  ok: boolean;
  /** What was found; if it failed, what to do about it. */
  sentence: string;
  commands: RanCommand[];
}

export interface ClusterDriver {
  readonly kind: RemoteDriverKind;
  /** One result for each job, in their order. Jobs that ask for the same become one array where the scheduler has arrays. */
  start(jobs: readonly AgentJob[]): Promise<StartResult[]>;
  /** All our jobs of the account in one call, those that ended as far as the scheduler still knows them. */
  list(): Promise<ClusterJob[]>;
  /** Cancelling what has ended already is no error. */
  cancel(jobs: readonly string[]): Promise<void>;
  discover(): Promise<DiscoveredHost[]>;
  look(): Promise<HostReading[]>;
  /** Each step as it is done; stops at the first that fails. True: every step went well. */
  probe(tell: (step: ProbeStep) => void): Promise<boolean>;
}

const jobNamePrefix = "gridloom-";

/** By this name a job is found again after a crash between its submission and its commit. */
export function jobName(agent: AgentId): string {
  return `${jobNamePrefix}${agent}`;
}

export function agentOfJobName(name: string): AgentId | undefined {
  const agent = name.startsWith(jobNamePrefix) ? name.slice(jobNamePrefix.length) : "";
  return isAgentId(agent) ? agent : undefined;
}

/** It becomes part of names of files and jobs. */
export function isAgentId(text: string): boolean {
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text);
}

/** What a driver has to know of its cluster besides how to reach it. */
export interface DriverSettings {
  /** Where a job goes that names no queue itself. */
  queue?: string;
  /** Set for each of the scheduler's commands: `SLURM_CONF`, `SGE_ROOT`, a `PATH` that has them. */
  environment?: Readonly<Record<string, string>>;
  /** Where agents' first output and the ssh driver's own records go; relative to the account's home. Default `.gridloom`. */
  stateDirectory?: string;
  /** Grid Engine: the parallel environment for several cores on one host, and that for MPI. Defaults `smp` and `mpi`. */
  parallelEnvironments?: { oneHost?: string; manyHosts?: string };
}
