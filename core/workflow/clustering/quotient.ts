/** The graph of the clusters: one cluster waits for another if one of its tasks waits for one of the other's. */
import { EdgeList } from "../adjacency";
import { levelsOf } from "../levels";
import type { WeightedGraph } from "./weighted-graph";

/** The clusters in an order that respects the edges between them; those that wait for each other are missing. */
export function clusterOrder(graph: WeightedGraph, clusterOf: Uint32Array, clusterCount: number): Uint32Array {
  const edges = new EdgeList();
  const { offsets, targets } = graph.successors;
  for (let task = 0; task < graph.taskCount; task++) {
    for (let e = offsets[task]!; e < offsets[task + 1]!; e++) {
      const from = clusterOf[task]!;
      const to = clusterOf[targets[e]!]!;
      if (from !== to) edges.add(from, to);
    }
  }
  return levelsOf({ taskCount: clusterCount, ...edges.adjacency(clusterCount) }).order;
}
