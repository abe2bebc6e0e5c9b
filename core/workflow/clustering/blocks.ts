/**
 * Clusters cut from a list of tasks, so many at a time: independent tasks in the order they were described (thesis,
 * Figure F.15), phases breadth first (Figure F.16).
 *
 * The list respects the edges, so data only ever goes on to the same block or to a later one, and no two blocks
 * wait for each other. Breadth first from each root in turn would not do: the list has to go level by level.
 */
import type { Assignment } from "./assignment";
import type { WeightedGraph } from "./weighted-graph";

/** In the order of description; where a task is described before one it waits for, level by level. */
export function clusterInBlocks(graph: WeightedGraph, granularity: number): Assignment {
  return cut(isInOrder(graph) ? graph.order.slice().sort() : graph.order, granularity);
}

export function clusterInPhases(graph: WeightedGraph, granularity: number): Assignment {
  return cut(graph.order, granularity);
}

function cut(sequence: Uint32Array, granularity: number): Assignment {
  const clusterOf = new Uint32Array(sequence.length);
  sequence.forEach((task, place) => {
    clusterOf[task] = Math.floor(place / granularity);
  });
  return { clusterOf, sequence };
}

function isInOrder({ taskCount, successors: { offsets, targets } }: WeightedGraph): boolean {
  for (let task = 0; task < taskCount; task++) {
    for (let e = offsets[task]!; e < offsets[task + 1]!; e++) if (targets[e]! < task) return false;
  }
  return true;
}
