/**
 * What is different from one batch system to the next: how its commands are written and what their output means. A dialect runs
 * nothing by itself; the driver (driver.ts) gives it a way to ask. So translation and parsing are plain functions.
 */
import type { AgentId } from "@/core/engine/ids";
import type { CommandResult } from "../command-runner";
import type { AgentJob, ClusterJob, DiscoveredHost, DriverSettings, HostReading, RemoteDriverKind } from "../driver";

/** Runs a command of the scheduler. Rejects with a `ClusterProblem` if its exit code is not 0, or not one of `fine`. */
export type Ask = (command: readonly string[], options: AskOptions) => Promise<CommandResult>;

export interface AskOptions {
  purpose: string;
  stdin?: string;
  /** Exit codes besides 0 that are no trouble. */
  fine?: readonly number[];
}

/** Jobs that ask for the same and belong to the same user. More than one: an array. */
export interface Batch {
  jobs: readonly [AgentJob, ...AgentJob[]];
  /** The name of the job or of the whole array. */
  name: string;
  /** Whose, in characters every scheduler takes. */
  user: string;
  /** The complete job script. */
  script: string;
}

export interface Submission {
  command: string[];
  stdin: string;
  /** A file that must be there before, in the state directory. */
  upload?: { name: string; content: string };
}

/** A job as the scheduler tells it: of an array's element the agent may not be told. */
export interface ToldJob extends ClusterJob {
  array?: { id: string; index: number };
}

export interface Dialect {
  readonly kind: RemoteDriverKind;
  /** For sentences: "Slurm". */
  readonly system: string;
  /** Answers if the scheduler is there and its server up. */
  readonly versionCommand: readonly string[];
  /** 1: it has no arrays we use. */
  readonly mostInArray: number;
  /** The shell word that tells an array's element its index. */
  readonly indexVariable: string;
  /** The index of the first element. */
  readonly firstIndex: number;
  submit(batch: Batch, settings: DriverSettings): Submission;
  /** The id of the new job or array; undefined if the answer says none. */
  submitted(stdout: string): string | undefined;
  /** A job alone has the id of an array's first element. */
  readonly singleIsElement?: boolean;
  /** The id of an array's element. */
  element(array: string, index: number): string;
  list(ask: Ask, settings: DriverSettings): Promise<ToldJob[]>;
  /** Jobs that ended, of those that `list` does not show any more. Without `jobs`: all of ours that ended lately. */
  ended?(ask: Ask, jobs?: readonly ClusterJob[]): Promise<ToldJob[]>;
  /** The agents of arrays, in the order of their indices. */
  members?(ask: Ask, arrays: readonly string[]): Promise<ReadonlyMap<string, AgentId[]>>;
  cancel(jobs: readonly string[]): string[][];
  discover(ask: Ask, settings: DriverSettings): Promise<DiscoveredHost[]>;
  look(ask: Ask, settings: DriverSettings): Promise<HostReading[]>;
  /** Says that the scheduler's server is away, rather than that it refuses something. */
  readonly serverAway: RegExp;
  /** Says that a job to be cancelled has ended already. */
  readonly alreadyEnded: RegExp;
}

export const arrayName = "gridloom-array";

export function listOf<T>(value: readonly T[], most: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < value.length; at += most) chunks.push(value.slice(at, at + most));
  return chunks;
}

/** Whole megabytes, rounded up: a job that asks for a little more than one gets two. */
export function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1024 ** 2);
}

export function hoursMinutesSeconds(seconds: number): string {
  const whole = Math.ceil(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}
