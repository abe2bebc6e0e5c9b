/**
 * Keeps clusters that grow task by task from ever waiting for each other. Each cluster has a level, higher than
 * those of all clusters it gets data from; as long as every edge between clusters goes up, there is no circle. A
 * cluster may rise to take a task in, but stays below every cluster it gives data to.
 *
 * That is stricter than necessary (some merges without a circle are refused, too), and it costs no more than a look
 * at the edges of the task.
 */
import type { WeightedGraph } from "./weighted-graph";

export class ClusterLevels {
  readonly #graph: WeightedGraph;
  readonly #level: Uint32Array;
  /** The lowest level of a cluster that gets data from this one. */
  readonly #ceiling: Float64Array;

  constructor(graph: WeightedGraph) {
    this.#graph = graph;
    this.#level = new Uint32Array(graph.taskCount);
    this.#ceiling = new Float64Array(graph.taskCount).fill(Number.POSITIVE_INFINITY);
  }

  /** May the cluster take this task, and those along with it, the last of the tasks known so far? */
  allows(task: number, cluster: number, along: readonly number[], clusterOf: Uint32Array): boolean {
    const joining = new Set(along);
    let level = this.#level[cluster]!;
    for (const member of [task, ...along]) level = this.#above(member, cluster, clusterOf, level, joining);
    return level < this.#ceiling[cluster]!;
  }

  /** The task is in its cluster now; all before it are in theirs. */
  placed(task: number, clusterOf: Uint32Array): void {
    const { predecessors } = this.#graph;
    const cluster = clusterOf[task]!;
    const level = this.#above(task, cluster, clusterOf, this.#level[cluster]!);
    this.#level[cluster] = level;
    for (let e = predecessors.offsets[task]!; e < predecessors.offsets[task + 1]!; e++) {
      const from = clusterOf[predecessors.targets[e]!]!;
      if (from !== cluster && level < this.#ceiling[from]!) this.#ceiling[from] = level;
    }
  }

  /** The given level, or as much higher as the task's data from other clusters demands. */
  #above(task: number, cluster: number, clusterOf: Uint32Array, at: number, except?: ReadonlySet<number>): number {
    const { predecessors } = this.#graph;
    let level = at;
    for (let e = predecessors.offsets[task]!; e < predecessors.offsets[task + 1]!; e++) {
      const before = predecessors.targets[e]!;
      const from = clusterOf[before]!;
      if (from !== cluster && this.#level[from]! >= level && !except?.has(before)) level = this.#level[from]! + 1;
    }
    return level;
  }
}
