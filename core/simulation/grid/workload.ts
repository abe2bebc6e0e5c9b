/**
 * What is run on a simulated grid: the shape of a workflow, how long each of its tasks takes on a host of speed 1, and the
 * files it moves. Nothing is executed, so a recorded structure (WfFormat) is as good as a workflow with programs.
 *
 * How long a task takes, in this order:
 *   a distribution, if one is given: a draw for each task, times its weight unless the weight is only its recorded time
 *   its recorded time
 *   its weight × the seconds of a task of weight 1
 */
import type { RunPlan } from "@/core/engine/plan";
import { finalTaskOf, profilesOf } from "@/core/engine/profiles";
import type { Application } from "@/core/workflow/application";
import type { Adjacency, Workflow } from "@/core/workflow/workflow";
import { type Distribution, draw } from "./distribution";
import type { SizedFile } from "./file-cache";
import { stream } from "./streams";

export interface Workload {
  readonly name: string;
  readonly taskCount: number;
  readonly successors: Adjacency;
  readonly predecessors: Adjacency;
  readonly doneTasks: readonly number[];
  /** What its tasks ask for, and which may go when; nothing if not given. */
  readonly scheduling?: Pick<RunPlan, "profiles" | "profileOf" | "categoryLimits" | "finalTask" | "unitOf">;
  taskName(task: number): string;
  /** On a host of speed 1 without load. */
  seconds(task: number): number;
  /** Files of known size. */
  files(task: number): { inputs: readonly SizedFile[]; outputs: readonly SizedFile[] };
  /** The tasks that write these files. */
  producers(files: readonly string[]): number[];
}

export interface WorkloadOptions {
  seed: number;
  runtimes?: Distribution | undefined;
  /** Seconds of a task of weight 1 that has no recorded time; 60 if not given. */
  secondsPerWeight?: number | undefined;
  /** Size of files the workflow tells none of; 0 if not given. */
  fileBytes?: number | undefined;
}

const noFiles = { inputs: [], outputs: [] };

export function workloadOf(
  name: string,
  application: Application,
  workflow: Workflow,
  { seed, runtimes, secondsPerWeight = 60, fileBytes = 0 }: WorkloadOptions,
): Workload {
  const { fileSizes, categoryLimits } = application;
  const finalTask = finalTaskOf(application, workflow);
  const { taskCount, successors, predecessors } = workflow;
  const sizes = new Map(Object.entries(fileSizes ?? {}));
  const sized = (names: readonly string[]): SizedFile[] =>
    names.flatMap((file) => {
      const bytes = sizes.get(file) ?? fileBytes;
      return bytes > 0 ? [{ name: file, bytes }] : [];
    });
  const seconds = new Float64Array(taskCount);
  const doneTasks: number[] = [];
  for (let task = 0; task < taskCount; task += 1) {
    const { done, weight, recorded } = workflow.task(task);
    if (done) doneTasks.push(task);
    const measured = recorded?.seconds;
    if (runtimes) {
      const drawn = draw(runtimes, stream(seed, "task", task));
      seconds[task] = measured === undefined ? drawn * weight : drawn;
    } else seconds[task] = measured ?? weight * secondsPerWeight;
  }
  return {
    name,
    taskCount,
    successors,
    predecessors,
    doneTasks,
    scheduling: {
      ...profilesOf(application, workflow),
      ...(categoryLimits && { categoryLimits }),
      ...(finalTask === undefined ? {} : { finalTask }),
    },
    taskName: (task) => workflow.name(task),
    seconds: (task) => seconds[task]!,
    files: (task) => {
      if (sizes.size === 0 && fileBytes === 0) return noFiles;
      const { inputs, outputs } = workflow.task(task);
      return { inputs: sized(inputs), outputs: sized(outputs) };
    },
    producers: (files) => [
      ...new Set(files.map((file) => workflow.producerOf(file)).filter((producer) => producer >= 0)),
    ],
  };
}

export interface BagOptions {
  name: string;
  seed: number;
  tasks: number;
  runtimes: Distribution;
  /** Every task reads this many bytes: a file all of them share, and one of its own. */
  sharedInputBytes?: number;
  ownInputBytes?: number;
}

/** A bag of independent tasks (GridBot's BOT), without a text to read it from. */
export function bagOf({ name, seed, tasks, runtimes, sharedInputBytes = 0, ownInputBytes = 0 }: BagOptions): Workload {
  const none: Adjacency = { offsets: new Uint32Array(tasks + 1), targets: new Uint32Array(0) };
  const seconds = Float64Array.from({ length: tasks }, (_, task) => draw(runtimes, stream(seed, "task", task)));
  return {
    name,
    taskCount: tasks,
    successors: none,
    predecessors: none,
    doneTasks: [],
    taskName: (task) => String(task + 1),
    seconds: (task) => seconds[task]!,
    files: (task) => {
      const inputs: SizedFile[] = [];
      if (sharedInputBytes > 0) inputs.push({ name: "shared", bytes: sharedInputBytes });
      if (ownInputBytes > 0) inputs.push({ name: `in-${task + 1}`, bytes: ownInputBytes });
      return { inputs, outputs: [] };
    },
    producers: () => [],
  };
}
