/**
 * What a clustering costs, in the model of Yang and Gerasoulis: every cluster has one processor that computes its
 * tasks one after the other; data within a cluster is there at once, between clusters it takes as long as its edge weighs.
 */
import type { Assignment } from "./assignment";
import type { WeightedGraph } from "./weighted-graph";

export function parallelTime(graph: WeightedGraph, { clusterOf, sequence }: Assignment): number {
  const { taskCount, taskWeight, predecessors, inWeight } = graph;
  const finish = new Float64Array(taskCount);
  const clusterFree = new Float64Array(taskCount);
  let latest = 0;
  for (const task of sequence) {
    const cluster = clusterOf[task]!;
    let start = clusterFree[cluster]!;
    for (let e = predecessors.offsets[task]!; e < predecessors.offsets[task + 1]!; e++) {
      const before = predecessors.targets[e]!;
      const arrival = clusterOf[before] === cluster ? finish[before]! : finish[before]! + inWeight[e]!;
      if (arrival > start) start = arrival;
    }
    const end = start + taskWeight[task]!;
    finish[task] = end;
    clusterFree[cluster] = end;
    if (end > latest) latest = end;
  }
  return latest;
}

/** The same with every task on its own: the longest path. */
export function unclusteredParallelTime(graph: WeightedGraph): number {
  return parallelTime(graph, { clusterOf: graph.order.slice().sort(), sequence: graph.order });
}

export function crossing(graph: WeightedGraph, clusterOf: Uint32Array): { cutEdges: number; crossingWeight: number } {
  const { offsets, targets } = graph.successors;
  let cutEdges = 0;
  let crossingWeight = 0;
  for (let task = 0; task < graph.taskCount; task++) {
    for (let e = offsets[task]!; e < offsets[task + 1]!; e++) {
      if (clusterOf[task] === clusterOf[targets[e]!]) continue;
      cutEdges += 1;
      crossingWeight += graph.volume[e]!;
    }
  }
  return { cutEdges, crossingWeight };
}
