/**
 * Dominant Sequence Clustering (T. Yang and A. Gerasoulis, "DSC: Scheduling Parallel Tasks on an Unbounded Number of
 * Processors", IEEE Transactions on Parallel and Distributed Systems 5(9), 1994), in O((v + e) log v).
 *
 * Tasks are examined one by one. A task is free when all before it are examined, partly free when some are. Its top
 * level is when it can start as things stand, its bottom level the longest way from its start to the end; the two
 * together tell how long the longest path through it is, and the task with the longest is the head of the
 * dominant sequence. The free task with the longest path is examined next:
 *
 * - It joins the cluster its latest data comes from, if it can start earlier there. Other tasks that write for it
 *   alone move along, latest data first, as long as it is their data it waits for and their moving does not delay it.
 * - If a partly free task has a longer path, that one is the head, whose turn has not come. It must not lose by what
 *   is done before (the paper's "dominant sequence reduction warranty"): the cluster it could start earlier in
 *   takes the task only if the partly free one can start earlier there even then.
 * - Otherwise it begins a cluster of its own.
 *
 * No task ever starts later than it would without clusters, so neither does the end come later.
 *
 * Clusters so made may wait for each other: a dominant sequence leaves its cluster's side branches to others and
 * takes their results back. With `units`, a cluster takes a task only if that cannot happen: see `cluster-levels.ts`.
 */
import { degree } from "../adjacency";
import type { Assignment } from "./assignment";
import { bottomLevels } from "./bottom-levels";
import { ClusterLevels } from "./cluster-levels";
import { TaskHeap } from "./task-heap";
import type { WeightedGraph } from "./weighted-graph";

export interface DominantSequenceOptions {
  /** The largest cluster allowed; any size if not given. */
  granularity?: number | undefined;
  /** No two clusters may wait for each other. */
  units?: boolean | undefined;
}

export function clusterByDominantSequence(graph: WeightedGraph, options: DominantSequenceOptions = {}): Assignment {
  return new DominantSequenceClustering(graph, options).run();
}

/** A cluster to join, the tasks to take along in their order, and when the joining task starts. */
interface Merge {
  cluster: number;
  start: number;
  along: number[];
}

const none = -1;

class DominantSequenceClustering {
  readonly #graph: WeightedGraph;
  readonly #granularity: number;
  readonly #levels: ClusterLevels | undefined;

  /** A cluster has the number of the task that began it. */
  readonly #clusterOf: Uint32Array;
  readonly #size: Uint32Array;
  /** When the last task of a cluster ends. */
  readonly #end: Float64Array;
  readonly #last: Int32Array;
  /** The task before and after this one in its cluster. */
  readonly #before: Int32Array;
  readonly #after: Int32Array;

  readonly #finish: Float64Array;
  /** When the latest data from examined tasks arrives, from which cluster, and the latest from any other one. */
  readonly #top: Float64Array;
  readonly #topCluster: Int32Array;
  readonly #second: Float64Array;
  readonly #bottom: Float64Array;
  /** Top and bottom level together. */
  readonly #path: Float64Array;
  readonly #unexamined: Uint32Array;
  readonly #free: TaskHeap;
  readonly #partlyFree: TaskHeap;
  /** Where a task stands among all; one that moves along stands anew. */
  readonly #place: Uint32Array;
  #places = 0;

  /** Used while one task is examined: when the data of a task that writes for it arrives, when it could start if moved. */
  readonly #arrival: Float64Array;
  readonly #movedStart: Float64Array;

  constructor(graph: WeightedGraph, { granularity, units }: DominantSequenceOptions) {
    const { taskCount, successors, predecessors } = graph;
    this.#graph = graph;
    this.#granularity = granularity ?? Number.POSITIVE_INFINITY;
    this.#levels = units ? new ClusterLevels(graph) : undefined;
    this.#clusterOf = new Uint32Array(taskCount);
    this.#size = new Uint32Array(taskCount);
    this.#end = new Float64Array(taskCount);
    this.#last = new Int32Array(taskCount).fill(none);
    this.#before = new Int32Array(taskCount).fill(none);
    this.#after = new Int32Array(taskCount).fill(none);
    this.#finish = new Float64Array(taskCount);
    this.#top = new Float64Array(taskCount);
    this.#topCluster = new Int32Array(taskCount).fill(none);
    this.#second = new Float64Array(taskCount);
    this.#bottom = bottomLevels(graph);
    this.#path = this.#bottom.slice();
    this.#unexamined = new Uint32Array(taskCount);
    this.#free = new TaskHeap(this.#path, successors.offsets);
    this.#partlyFree = new TaskHeap(this.#path, successors.offsets);
    this.#place = new Uint32Array(taskCount);
    this.#arrival = new Float64Array(taskCount);
    this.#movedStart = new Float64Array(taskCount);
    for (let task = 0; task < taskCount; task++) {
      this.#unexamined[task] = degree(predecessors, task);
      if (this.#unexamined[task] === 0) this.#free.add(task);
    }
  }

  run(): Assignment {
    for (let task = this.#free.first; task !== none; task = this.#free.first) {
      this.#free.remove(task);
      const merge = this.#earliest(task);
      if (merge) this.#join(task, merge);
      else this.#append(task, task, this.#top[task]!);
      this.#levels?.placed(task, this.#clusterOf);
      this.#release(task);
    }
    return { clusterOf: this.#clusterOf, sequence: this.#sequence() };
  }

  /** The merge that lets the task start earliest, if any lets it start earlier than on its own. */
  #earliest(task: number): Merge | undefined {
    const cluster = this.#topCluster[task]!;
    if (cluster === none || this.#size[cluster]! >= this.#granularity) return undefined;
    const alone: Merge = {
      cluster,
      start: Math.max(this.#end[cluster]!, this.#second[task]!),
      along: [],
    };
    // Taking others along helps only if it is their data the task would wait for.
    const best = this.#second[task]! > this.#end[cluster]! ? this.#takingAlong(task, alone) : alone;
    if (this.#isAllowed(task, best)) return best;
    return best !== alone && this.#isAllowed(task, alone) ? alone : undefined;
  }

  #isAllowed(task: number, merge: Merge): boolean {
    return (
      merge.start < this.#top[task]! &&
      this.#keepsWarranty(task, merge) &&
      (this.#levels?.allows(task, merge.cluster, merge.along, this.#clusterOf) ?? true)
    );
  }

  #keepsWarranty(task: number, { cluster, start }: Merge): boolean {
    const head = this.#partlyFree.first;
    if (head === none || this.#path[head]! <= this.#path[task]! || this.#topCluster[head] !== cluster) return true;
    const top = this.#top[head]!;
    const gains = Math.max(this.#end[cluster]!, this.#second[head]!) < top;
    return !gains || start + this.#graph.taskWeight[task]! < top;
  }

  #takingAlong(task: number, alone: Merge): Merge {
    const { cluster } = alone;
    const { successors, taskWeight } = this.#graph;
    const others = this.#othersByArrival(task, cluster);
    const room = Math.min(others.length, this.#granularity - this.#size[cluster]! - 1);
    let movable = 0;
    while (movable < room && degree(successors, others[movable]!) === 1) movable += 1;
    if (movable === 0) return alone;

    const rank = new Map<number, number>();
    for (let i = 0; i < movable; i++) {
      rank.set(others[i]!, i);
      this.#movedStart[others[i]!] = this.#startIn(cluster, others[i]!);
    }
    // A cluster of one task that writes for nobody else may also be put in another order.
    const only = this.#last[cluster]!;
    const reordered = this.#size[cluster] === 1 && degree(successors, only) === 1;
    if (reordered) {
      rank.set(only, none);
      this.#movedStart[only] = this.#finish[only]! - taskWeight[only]!;
    }
    const byStart = [...rank.keys()].sort((a, b) => this.#movedStart[a]! - this.#movedStart[b]! || a - b);
    const first = reordered ? 0 : this.#end[cluster]!;
    const endWith = (count: number): number => {
      let time = first;
      for (const moved of byStart) {
        if (rank.get(moved)! < count) time = Math.max(time, this.#movedStart[moved]!) + taskWeight[moved]!;
      }
      return time;
    };
    const nextArrival = (count: number) => (count < others.length ? this.#arrival[others[count]!]! : 0);

    // The more tasks move, the later the cluster ends and the earlier the rest of the data is there:
    // the best number is where the two meet, or the one before.
    let low = 0;
    let high = movable;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (endWith(middle) >= nextArrival(middle)) high = middle;
      else low = middle + 1;
    }
    let count = low;
    let start = Math.max(endWith(count), nextArrival(count));
    if (count > 0) {
      const fewer = Math.max(endWith(count - 1), nextArrival(count - 1));
      if (fewer < start) {
        count -= 1;
        start = fewer;
      }
    }
    return count === 0 ? alone : { cluster, start, along: byStart.filter((moved) => rank.get(moved)! < count) };
  }

  /** The tasks outside the cluster that write for the task, latest data first. */
  #othersByArrival(task: number, cluster: number): number[] {
    const { predecessors, inWeight } = this.#graph;
    const others: number[] = [];
    for (let e = predecessors.offsets[task]!; e < predecessors.offsets[task + 1]!; e++) {
      const other = predecessors.targets[e]!;
      if (this.#clusterOf[other] === cluster) continue;
      this.#arrival[other] = this.#finish[other]! + inWeight[e]!;
      others.push(other);
    }
    return others.sort((a, b) => this.#arrival[b]! - this.#arrival[a]! || a - b);
  }

  /** When the data of an examined task would be there if it were in this cluster. */
  #startIn(cluster: number, task: number): number {
    const { predecessors, inWeight } = this.#graph;
    let start = 0;
    for (let e = predecessors.offsets[task]!; e < predecessors.offsets[task + 1]!; e++) {
      const writer = predecessors.targets[e]!;
      const arrival =
        this.#clusterOf[writer] === cluster ? this.#finish[writer]! : this.#finish[writer]! + inWeight[e]!;
      if (arrival > start) start = arrival;
    }
    return start;
  }

  #join(task: number, { cluster, start, along }: Merge): void {
    for (const moved of along) this.#takeOut(moved);
    for (const moved of along) {
      this.#append(moved, cluster, Math.max(this.#end[cluster]!, this.#movedStart[moved]!));
      this.#levels?.placed(moved, this.#clusterOf);
    }
    this.#append(task, cluster, start);
  }

  #append(task: number, cluster: number, start: number): void {
    const last = this.#last[cluster]!;
    if (last !== none) this.#after[last] = task;
    this.#before[task] = last;
    this.#after[task] = none;
    this.#last[cluster] = task;
    this.#size[cluster]! += 1;
    this.#clusterOf[task] = cluster;
    this.#finish[task] = start + this.#graph.taskWeight[task]!;
    this.#end[cluster] = this.#finish[task]!;
    this.#place[task] = this.#places++;
  }

  #takeOut(task: number): void {
    const cluster = this.#clusterOf[task]!;
    const before = this.#before[task]!;
    const after = this.#after[task]!;
    if (before !== none) this.#after[before] = after;
    if (after !== none) this.#before[after] = before;
    else {
      this.#last[cluster] = before;
      this.#end[cluster] = before === none ? 0 : this.#finish[before]!;
    }
    this.#size[cluster]! -= 1;
  }

  /** Tells the tasks that wait for this one when its data will be there. */
  #release(task: number): void {
    const { successors, outWeight } = this.#graph;
    const cluster = this.#clusterOf[task]!;
    for (let e = successors.offsets[task]!; e < successors.offsets[task + 1]!; e++) {
      const next = successors.targets[e]!;
      this.#noteArrival(next, cluster, this.#finish[task]! + outWeight[e]!);
      this.#path[next] = this.#top[next]! + this.#bottom[next]!;
      this.#unexamined[next]! -= 1;
      const waiting = this.#partlyFree.has(next);
      if (this.#unexamined[next] === 0) {
        if (waiting) this.#partlyFree.remove(next);
        this.#free.add(next);
      } else if (waiting) this.#partlyFree.raised(next);
      else this.#partlyFree.add(next);
    }
  }

  #noteArrival(task: number, cluster: number, arrival: number): void {
    if (this.#topCluster[task] === cluster) {
      if (arrival > this.#top[task]!) this.#top[task] = arrival;
    } else if (this.#topCluster[task] === none || arrival > this.#top[task]!) {
      this.#second[task] = this.#top[task]!;
      this.#top[task] = arrival;
      this.#topCluster[task] = cluster;
    } else if (arrival > this.#second[task]!) this.#second[task] = arrival;
  }

  #sequence(): Uint32Array {
    const { taskCount } = this.#graph;
    const standing = new Int32Array(this.#places).fill(none);
    for (let task = 0; task < taskCount; task++) standing[this.#place[task]!] = task;
    return Uint32Array.from(standing.filter((task) => task !== none));
  }
}
