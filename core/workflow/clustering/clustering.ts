/**
 * Tasks put together into clusters, to be handed on together (thesis, F.4.2): each class of graph by its own algorithm.
 * Which clusters may be handed on whole, and what the estimate means, is told in docs/decisions/clustering.md.
 */
import { degree } from "../adjacency";
import type { Adjacency, GraphClass, Workflow } from "../workflow";
import type { Assignment } from "./assignment";
import { clusterInBlocks, clusterInPhases } from "./blocks";
import { clusterByDominantSequence } from "./dominant-sequence";
import { crossing, parallelTime, unclusteredParallelTime } from "./estimate";
import { clusterPipelines } from "./pipelines";
import { clusterOrder } from "./quotient";
import { type WeightedGraph, type Weights, weighted } from "./weighted-graph";

export const clusteringAlgorithms = ["none", "blocks", "phases", "pipeline", "dsc", "auto"] as const;
export type ClusteringAlgorithm = (typeof clusteringAlgorithms)[number];

/** Tasks in a block if nobody says otherwise; the thesis splits a loop of a thousand into ten of a hundred. */
export const defaultGranularity = 100;

export interface ClusteringOptions extends Weights {
  algorithm: ClusteringAlgorithm;
  /**
   * The most tasks in a cluster (see `granularity.ts`). Not given: 100 for blocks and phases, one pipeline a cluster,
   * any size for DSC. A pipeline is never cut.
   */
  granularity?: number | undefined;
  /** Each cluster is submitted whole, so no two may wait for each other; only DSC makes clusters that otherwise may. */
  units?: boolean | undefined;
}

export interface Clustering {
  /** The one used, also where it was chosen by the class of the graph. */
  algorithm: Exclude<ClusteringAlgorithm, "auto">;
  /** Clusters are numbered from 0. */
  clusterOf: Uint32Array;
  clusterCount: number;
  /** The tasks of cluster c, in the order it computes them, each after those it waits for. */
  members: Adjacency;
  largestCluster: number;
  cutEdges: number;
  crossingWeight: number;
  /** With one processor for each cluster. */
  estimatedParallelTime: number;
  /** With one processor for each task. */
  unclusteredParallelTime: number;
  /** No two clusters wait for each other, so each can be submitted whole. */
  units: boolean;
}

/** The workflow must have no cycle. */
export function clusterWorkflow(workflow: Workflow, options: ClusteringOptions): Clustering {
  const { granularity } = options;
  if (granularity !== undefined && !(Number.isInteger(granularity) && granularity >= 1)) {
    throw new RangeError(`The granularity must be a whole number from 1 on, not ${granularity}.`);
  }
  const algorithm = options.algorithm === "auto" ? algorithmFor[workflow.class] : options.algorithm;
  const graph = weighted(workflow, options);
  const { clusterOf, members, sequence } = numbered(assign(graph, algorithm, options), graph.taskCount);
  const clusterCount = members.offsets.length - 1;
  let largestCluster = 0;
  for (let c = 0; c < clusterCount; c++) largestCluster = Math.max(largestCluster, degree(members, c));
  return {
    algorithm,
    clusterOf,
    clusterCount,
    members,
    largestCluster,
    ...crossing(graph, clusterOf),
    estimatedParallelTime: parallelTime(graph, { clusterOf, sequence }),
    unclusteredParallelTime: unclusteredParallelTime(graph),
    units:
      algorithm !== "dsc" ||
      options.units === true ||
      clusterOrder(graph, clusterOf, clusterCount).length === clusterCount,
  };
}

const algorithmFor: Record<GraphClass, Clustering["algorithm"]> = {
  independent: "blocks",
  phases: "phases",
  pipeline: "pipeline",
  "tightly-coupled": "dsc",
};

function assign(
  graph: WeightedGraph,
  algorithm: Clustering["algorithm"],
  { granularity, units }: ClusteringOptions,
): Assignment {
  switch (algorithm) {
    case "none":
      return clusterInBlocks(graph, 1);
    case "blocks":
      return clusterInBlocks(graph, granularity ?? defaultGranularity);
    case "phases":
      return clusterInPhases(graph, granularity ?? defaultGranularity);
    case "pipeline":
      return clusterPipelines(graph, granularity);
    case "dsc":
      return clusterByDominantSequence(graph, { granularity, units });
  }
}

/** Clusters numbered without gaps, in the order of their first tasks, and their members listed. */
function numbered({ clusterOf, sequence }: Assignment, taskCount: number) {
  const numberOf = new Int32Array(taskCount).fill(-1);
  const renumbered = new Uint32Array(taskCount);
  let count = 0;
  for (const task of sequence) {
    const cluster = clusterOf[task]!;
    if (numberOf[cluster] === -1) numberOf[cluster] = count++;
    renumbered[task] = numberOf[cluster]!;
  }
  const offsets = new Uint32Array(count + 1);
  for (const cluster of renumbered) offsets[cluster + 1]! += 1;
  for (let c = 0; c < count; c++) offsets[c + 1]! += offsets[c]!;
  const next = offsets.slice();
  const targets = new Uint32Array(taskCount);
  for (const task of sequence) {
    const cluster = renumbered[task]!;
    targets[next[cluster]!] = task;
    next[cluster]! += 1;
  }
  return { clusterOf: renumbered, members: { offsets, targets }, sequence };
}
