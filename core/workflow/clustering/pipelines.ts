/**
 * Pipelines kept whole: tasks that hand their data only to each other, one to the next, are one cluster, because
 * nothing is gained by computing them in different places. With a granularity, whole pipelines are put together as
 * long as they fit; one that alone is longer than the granularity is still not cut.
 *
 * In a graph that is more than pipelines, what is between branches and joins is a pipeline. Putting such
 * pipelines together in an order that respects the edges keeps the clusters from waiting for each other.
 */
import { degree } from "../adjacency";
import type { Assignment } from "./assignment";
import { clusterOrder } from "./quotient";
import type { WeightedGraph } from "./weighted-graph";

export function clusterPipelines(graph: WeightedGraph, granularity: number | undefined): Assignment {
  const { taskCount, successors } = graph;
  const heads: number[] = [];
  const pipelineOf = new Uint32Array(taskCount);
  // Level by level, so that a task's predecessor has its pipeline already.
  for (const task of graph.order) {
    const before = stepBefore(graph, task);
    pipelineOf[task] = before === undefined ? heads.push(task) - 1 : pipelineOf[before]!;
  }
  const clusterOf = new Uint32Array(taskCount);
  const sequence = new Uint32Array(taskCount);
  let cluster = 0;
  let size = 0;
  let length = 0;
  for (const pipeline of clusterOrder(graph, pipelineOf, heads.length)) {
    const start = length;
    for (let task: number | undefined = heads[pipeline]; task !== undefined; ) {
      sequence[length++] = task;
      const after: number | undefined = successors.targets[successors.offsets[task]!];
      task = degree(successors, task) === 1 && pipelineOf[after!] === pipeline ? after : undefined;
    }
    size += length - start;
    if (start > 0 && (granularity === undefined || size > granularity)) {
      cluster += 1;
      size = length - start;
    }
    for (let place = start; place < length; place++) clusterOf[sequence[place]!] = cluster;
  }
  return { clusterOf, sequence };
}

/** The task this one continues: its only predecessor, if that one has no other successor. */
function stepBefore({ successors, predecessors }: WeightedGraph, task: number): number | undefined {
  if (degree(predecessors, task) !== 1) return undefined;
  const before = predecessors.targets[predecessors.offsets[task]!]!;
  return degree(successors, before) === 1 ? before : undefined;
}
