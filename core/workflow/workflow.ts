/**
 * The workflow: the application with its tasks numbered and the edges drawn from data flow (GR-2).
 * Columns and compressed adjacency, no object per task; `task(i)` builds one in full when it is needed.
 */
import type { Span } from "@/core/problem";
import type { AdaptiveSpec } from "./adaptive";
import type { GraphHint, TaskTemplate } from "./application";
import type { ExitCodes } from "./exit-codes";

export type GraphClass = "independent" | "phases" | "pipeline" | "tightly-coupled";

export interface Workflow {
  readonly taskCount: number;
  /** Successors of task i: `successors.targets[successors.offsets[i] … successors.offsets[i+1])`, each once. */
  readonly successors: Adjacency;
  readonly predecessors: Adjacency;
  readonly hint?: GraphHint;
  readonly class: GraphClass;
  name(task: number): string;
  task(task: number): TaskSpec;
  /** What its group says of it, with holes for loop variables. */
  template(task: number): TaskTemplate;
  /** Where in the text the task is described, if it comes from a text. */
  placeOf(task: number): Span | undefined;
  /** The task that writes this file, or -1: the submitter provides it. */
  producerOf(file: string): number;
  /** Input files nobody in the workflow writes: the submitter provides them (destination names, sorted). */
  readonly externalInputs: readonly ExternalInput[];
  isTransient(file: string): boolean;
  /** After which answers of its predecessors the task runs (GW-13). */
  conditionsOf(task: number): readonly Condition[];
  /** Exit codes of the task that somebody waits for: answers, even if they are not 0. */
  answersOf(task: number): ExitCodes;
  /** Every file name, inputs and outputs, each once. */
  readonly fileCount: number;
}

export interface Condition {
  before: number;
  exits: ExitCodes;
}

export interface Adjacency {
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/** `source` is the name as written; an absolute one is a file of the submitter, staged under its last component. */
export interface ExternalInput {
  source: string;
  name: string;
  /** The first task that reads it. */
  neededBy: number;
}

/** One task in full, ready to be handed to an agent. File names are relative to the task's directory. */
export interface TaskSpec {
  index: number;
  name: string;
  command: Command;
  inputs: string[];
  outputs: string[];
  weight: number;
  done: boolean;
  /** Files the three streams come from and go to; they are among the inputs and outputs as well. */
  stdin?: string;
  stdout?: string;
  stderr?: string;
  environment?: { name: string; value: string }[];
  /** What it needs of a host, as a ClassAd expression: the application's requirement and its own together. */
  requirement?: string;
  /** Its own, else the application's. */
  rank?: string;
  /** Command lines, split into words like arguments, to run before and after it in its directory. */
  before?: string;
  afterwards?: string;
  /** One of its outputs: further tasks for the run. */
  spawns?: string;
  retries?: TaskTemplate["retries"];
  priority?: number;
  category?: string;
  resources?: TaskTemplate["resources"];
  software?: TaskTemplate["software"];
  adaptive?: AdaptiveSpec;
  recorded?: TaskTemplate["recorded"];
}

/** `exec` runs a program without a shell; `shell` is a command line for `sh -c` in the task's directory. */
export type Command = { is: "exec"; executable: string; arguments: string[] } | { is: "shell"; line: string };
