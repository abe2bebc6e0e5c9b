/**
 * The graph the clustering algorithms work on: tasks with the time they take, edges with the time their data travels, in
 * one unit, so that they can be added along a path. Without better knowledge every edge weighs 1.
 */
import { levelsOf } from "../levels";
import type { Adjacency, Workflow } from "../workflow";

export interface Weights {
  /** Default: the task's `-c`; a task that is marked done costs nothing. */
  taskWeight?(task: number): number;
  /** Default: what `fileWeight` says of the files the edge carries, or else 1. */
  edgeWeight?(from: number, to: number): number;
  /** Size of this file, if it is known. */
  fileWeight?(file: string): number | undefined;
  /** How much weight of data travels while a task of weight 1 is computed; 1 if not given. */
  bandwidth?: number | undefined;
}

export interface WeightedGraph {
  readonly taskCount: number;
  readonly successors: Adjacency;
  readonly predecessors: Adjacency;
  readonly taskWeight: Float64Array;
  /** What the edge at the same place of `successors.targets` weighs, before anything is said of time. */
  readonly volume: Float64Array;
  /** The time its data travels. */
  readonly outWeight: Float64Array;
  /** The same of the edge at the same place of `predecessors.targets`. */
  readonly inWeight: Float64Array;
  /** All tasks, level by level, each after those it waits for. */
  readonly order: Uint32Array;
}

/** The workflow must have no cycle: its problems say so before anybody clusters it. */
export function weighted(workflow: Workflow, weights: Weights = {}): WeightedGraph {
  const { taskCount, successors } = workflow;
  const { order } = levelsOf(workflow);
  if (order.length < taskCount) throw new Error("Tasks that wait for each other in a circle cannot be clustered.");
  const { predecessors, outEdge } = incoming(taskCount, successors);
  const taskWeight = taskWeights(workflow, weights);
  const volume = new Float64Array(successors.targets.length).fill(1);
  if (weights.edgeWeight) weighEdges(workflow, weights.edgeWeight, volume);
  else if (weights.fileWeight) weighFiles(workflow, predecessors, outEdge, weights.fileWeight, volume);
  requireWeights(taskWeight, "a task");
  requireWeights(volume, "an edge");
  const bandwidth = weights.bandwidth ?? 1;
  if (!(bandwidth > 0)) throw new RangeError(`The bandwidth must be a number above 0, not ${bandwidth}.`);
  const outWeight = bandwidth === 1 ? volume : volume.map((weight) => weight / bandwidth);
  const inWeight = Float64Array.from(outEdge, (e) => outWeight[e]!);
  return { taskCount, successors, predecessors, taskWeight, volume, outWeight, inWeight, order };
}

function taskWeights(workflow: Workflow, { taskWeight }: Weights): Float64Array {
  const weights = new Float64Array(workflow.taskCount);
  for (let task = 0; task < weights.length; task++) {
    if (taskWeight) weights[task] = taskWeight(task);
    else {
      const { done, weight } = workflow.task(task);
      weights[task] = done ? 0 : weight;
    }
  }
  return weights;
}

function weighEdges(
  { taskCount, successors: { offsets, targets } }: Workflow,
  edgeWeight: (from: number, to: number) => number,
  weights: Float64Array,
): void {
  for (let task = 0; task < taskCount; task++) {
    for (let e = offsets[task]!; e < offsets[task + 1]!; e++) weights[e] = edgeWeight(task, targets[e]!);
  }
}

/** An edge weighs as much as the files of known weight that it carries together; 1 if none is known. */
function weighFiles(
  workflow: Workflow,
  { offsets, targets }: Adjacency,
  outEdge: Uint32Array,
  fileWeight: (file: string) => number | undefined,
  weights: Float64Array,
): void {
  const known = new Uint8Array(weights.length);
  const edgeFrom = new Int32Array(workflow.taskCount).fill(-1);
  for (let reader = 0; reader < workflow.taskCount; reader++) {
    if (offsets[reader] === offsets[reader + 1]) continue;
    for (let e = offsets[reader]!; e < offsets[reader + 1]!; e++) edgeFrom[targets[e]!] = outEdge[e]!;
    for (const file of workflow.task(reader).inputs) {
      const writer = workflow.producerOf(file);
      const weight = writer === -1 ? undefined : fileWeight(file);
      if (weight === undefined) continue;
      const e = edgeFrom[writer]!;
      // Left over from another reader: no edge carries this file, such as one that a task both reads and writes.
      if (workflow.successors.targets[e] !== reader) continue;
      weights[e] = (known[e] ? weights[e]! : 0) + weight;
      known[e] = 1;
    }
  }
}

function requireWeights(weights: Float64Array, of: string): void {
  for (const weight of weights) {
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`The weight of ${of} must be a number from 0 on, not ${weight}.`);
    }
  }
}

/** The edges seen from their targets, each with its place among the edges seen from their sources. */
function incoming(taskCount: number, { offsets, targets }: Adjacency) {
  const into = new Uint32Array(taskCount + 1);
  for (const target of targets) into[target + 1]! += 1;
  for (let task = 0; task < taskCount; task++) into[task + 1]! += into[task]!;
  const next = into.slice();
  const sources = new Uint32Array(targets.length);
  const outEdge = new Uint32Array(targets.length);
  for (let task = 0; task < taskCount; task++) {
    for (let e = offsets[task]!; e < offsets[task + 1]!; e++) {
      const place = next[targets[e]!]!;
      next[targets[e]!] = place + 1;
      sources[place] = task;
      outEdge[place] = e;
    }
  }
  return { predecessors: { offsets: into, targets: sources }, outEdge };
}
