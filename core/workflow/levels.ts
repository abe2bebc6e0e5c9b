/**
 * The level of a task is the length of the longest path that leads to it. Kahn's algorithm gives the levels, an
 * order in which every task comes after those it waits for, and the tasks that wait in a circle.
 */
import { degree } from "./adjacency";
import type { Adjacency } from "./workflow";

export interface Levels {
  level: Uint32Array;
  /** Tasks in an order that respects the edges; tasks on a cycle, or after one, are missing. */
  order: Uint32Array;
  levelCount: number;
}

interface Graph {
  readonly taskCount: number;
  readonly successors: Adjacency;
  readonly predecessors: Adjacency;
}

export function levelsOf(graph: Graph): Levels {
  const { taskCount, successors, predecessors } = graph;
  const level = new Uint32Array(taskCount);
  const order = new Uint32Array(taskCount);
  if (successors.targets.length === 0) {
    for (let task = 0; task < taskCount; task++) order[task] = task;
    return { level, order, levelCount: Math.min(1, taskCount) };
  }
  const waitingFor = new Uint32Array(taskCount);
  let length = 0;
  for (let task = 0; task < taskCount; task++) {
    waitingFor[task] = degree(predecessors, task);
    if (waitingFor[task] === 0) order[length++] = task;
  }
  let levelCount = taskCount > 0 ? 1 : 0;
  for (let i = 0; i < length; i++) {
    const task = order[i]!;
    const next = level[task]! + 1;
    for (let e = successors.offsets[task]!; e < successors.offsets[task + 1]!; e++) {
      const successor = successors.targets[e]!;
      if (next > level[successor]!) level[successor] = next;
      if (next >= levelCount) levelCount = next + 1;
      waitingFor[successor]! -= 1;
      if (waitingFor[successor] === 0) order[length++] = successor;
    }
  }
  return { level, order: order.subarray(0, length), levelCount };
}

/** Cycles among the tasks the order leaves out, each in the direction of the data; at least one if there is any. */
export function cyclesOf(graph: Graph, levels: Levels): number[][] {
  const { taskCount, predecessors } = graph;
  if (levels.order.length === taskCount) return [];
  const ordered = new Uint8Array(taskCount);
  for (const task of levels.order) ordered[task] = 1;
  const visitedBy = new Int32Array(taskCount).fill(-1);
  const cycles: number[][] = [];
  for (let start = 0; start < taskCount; start++) {
    if (ordered[start] || visitedBy[start] !== -1) continue;
    // Every task left over waits for another one left over, so going back ends on a cycle or on ground seen before.
    const path: number[] = [];
    let task = start;
    while (visitedBy[task] === -1) {
      visitedBy[task] = start;
      path.push(task);
      task = firstLeftOver(predecessors, task, ordered);
    }
    if (visitedBy[task] === start) cycles.push(fromSmallest(path.slice(path.indexOf(task)).reverse()));
  }
  return cycles;
}

function firstLeftOver(predecessors: Adjacency, task: number, ordered: Uint8Array): number {
  for (let e = predecessors.offsets[task]!; e < predecessors.offsets[task + 1]!; e++) {
    if (!ordered[predecessors.targets[e]!]) return predecessors.targets[e]!;
  }
  throw new Error(`task ${task} waits for nothing, yet was not put in order`);
}

function fromSmallest(cycle: number[]): number[] {
  let smallest = 0;
  for (let i = 1; i < cycle.length; i++) if (cycle[i]! < cycle[smallest]!) smallest = i;
  return [...cycle.slice(smallest), ...cycle.slice(0, smallest)];
}
