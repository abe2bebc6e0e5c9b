/** The bottom level of a task: the longest way from its start to the end of the workflow, with all data travelling. */
import type { WeightedGraph } from "./weighted-graph";

export function bottomLevels(graph: WeightedGraph): Float64Array {
  const { order, successors, taskWeight, outWeight } = graph;
  const bottom = new Float64Array(graph.taskCount);
  for (let i = order.length - 1; i >= 0; i--) {
    const task = order[i]!;
    let longest = 0;
    for (let e = successors.offsets[task]!; e < successors.offsets[task + 1]!; e++) {
      longest = Math.max(longest, outWeight[e]! + bottom[successors.targets[e]!]!);
    }
    bottom[task] = taskWeight[task]! + longest;
  }
  return bottom;
}
