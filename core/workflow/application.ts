/**
 * The application: what a person described, still folded. A `foreach` over a million values is one
 * group with one template and a range, not a million tasks; `workflow.ts` numbers the tasks and draws
 * the edges, and tells any single task in full on demand.
 *
 * Every language in `core/languages` produces this; everything after it knows only this.
 * It is plain JSON, so it can be stored with a run and sent to the browser.
 */
import type { Span } from "@/core/problem";
import type { AdaptiveTemplate } from "./adaptive";
import type { ExitCodes } from "./exit-codes";
import type { Software } from "./needs";

export interface Application {
  /** The user's hint on the shape of the graph (GRAND, GRID-ADL `graph`). */
  hint?: GraphHint;
  hintAt?: Span;
  groups: TaskGroup[];
  /** What the application needs of a host, as a ClassAd expression. */
  requirement?: { text: string; at?: Span };
  /** The order in which hosts are preferred, as a ClassAd expression. */
  rank?: { text: string; at?: Span };
  /** Files that stay on the grid and are dropped when the run ends (GR-9). */
  transient: TransientFiles[];
  /** Dependencies without a file between them, by the tasks' names (DAGMan's PARENT … CHILD, WfFormat's parents). */
  dependencies?: Dependency[];
  /** Sizes of files in bytes, where the format tells them: for clustering and simulation. */
  fileSizes?: Record<string, number>;
  /** The most tasks of a category that may run at a time (DAGMan's MAXJOBS). */
  categoryLimits?: Record<string, number>;
  /** The name of a task that runs last, whatever happened to the others (DAGMan's FINAL). */
  finalTask?: string;
  finalTaskAt?: Span;
  /** Recorded hosts, kept for simulation (WfFormat's machines). */
  machines?: Machine[];
  /** Clusters of tasks the author chose (GRAND's clusters.xml), by the tasks' names; a task is in one at most. */
  clusters?: { name: string; tasks: string[] }[];
}

export interface Dependency {
  before: string;
  after: string;
  at?: Span;
}

export interface Machine {
  name: string;
  cores?: number;
  coreMhz?: number;
  memoryBytes?: number;
  architecture?: string;
  system?: string;
}

export type GraphHint = "independent" | "loosely-coupled" | "tightly-coupled";

/** Tasks that share a template: one for each element of the product of the loops (exactly one without loops). */
export interface TaskGroup {
  /** Outermost first. */
  loops: Loop[];
  task: TaskTemplate;
  /** Absent: the tasks are numbered one after the other, following on those of the groups before. */
  numbering?: Numbering;
}

/**
 * The place of a group's tasks in the order of creation, where it is mixed with another's: the tasks of a loop's
 * body take turns. The task at positions p of the loops has the number `first + Σ p[l] · strides[l]`, from 0.
 */
export interface Numbering {
  first: number;
  strides: number[];
}

export interface TransientFiles {
  loops: Loop[];
  files: Template[];
  at?: Span;
}

export interface Loop {
  variable: string;
  values: { from: number; to: number; step: number } | string[];
}

export interface TaskTemplate {
  /** Absent: numbered by order of creation, from 1 (thesis, Figure F.10). */
  name?: Template;
  executable: Template;
  /** The executable is a command line for `sh -c` in the task's directory (spec, "GRID-ADL decisions"). */
  shell: boolean;
  /** Split with POSIX quoting, no expansion. */
  arguments: Template;
  inputs: Template[];
  outputs: Template[];
  /** `-c`: relative cost of computing the task; 1 if not given. */
  weight: number;
  /** Marked `done`: counted as finished, never run. */
  done: boolean;
  /** Files for the three streams; stdin is an input, stdout and stderr are outputs. */
  stdin?: Template;
  stdout?: Template;
  stderr?: Template;
  environment?: { name: string; value: Template }[];
  /** ClassAd expressions; the application's requirement holds as well. */
  requirement?: { text: string; at?: Span };
  rank?: { text: string; at?: Span };
  /** Further attempts after a failure, but none after the exit code `unlessExit`. */
  retries?: { times: number; unlessExit?: number };
  priority?: number;
  category?: string;
  resources?: {
    /** Of one host. */
    cores?: number;
    memoryBytes?: number;
    wallSeconds?: number;
    diskBytes?: number;
    gpus?: number;
    /** MPI: processes that run at a time, each with these cores and this memory. */
    processes?: number;
    /** Other countable things of a host by name, such as licences. */
    named?: Record<string, number>;
  };
  /** `early`: an agent of its own is started for the task through a cluster's queue; else as the run says. */
  binding?: "early" | "late";
  software?: Software[];
  /** A file the task writes with further tasks, in any format that is read: they become part of the run (extend.ts). */
  spawns?: Template;
  /**
   * It runs only if these tasks ended with one of these exit codes, and is skipped otherwise; a code that somebody waits
   * for is an answer of the task, not a failure (GW-13).
   */
  when?: { task: Template; exits: ExitCodes }[];
  /** One of its predecessors on the branch that was taken is enough; files of the others are left out. */
  join?: boolean;
  /** Commands run before and after the program, in the task's directory (DAGMan's SCRIPT PRE and POST). */
  before?: Template;
  afterwards?: Template;
  /** What lets it move while it runs (GW-2). */
  adaptive?: AdaptiveTemplate;
  /** How long it took and where, when it was recorded: for simulation. */
  recorded?: { seconds?: number; machine?: string };
  at?: Span;
}

/**
 * A text with holes for loop variables. Each file template may give several names: an unquoted variable
 * is split at `;` and blanks, quoted text only at `;` (so `"my file.txt"` is one name).
 */
export type Template = Piece[];
export type Piece = { text: string; quoted: boolean } | { variable: string; quoted: boolean };
