/** Random runs: bags, chains, layered graphs and graphs of any shape, some with tasks marked done. */
import type { RunPlan } from "@/core/engine/plan";
import type { Adjacency } from "@/core/workflow/workflow";
import { simulatedId } from "./names";
import type { SeededRandom } from "./random";

type Edge = readonly [from: number, to: number];

export function randomPlan(random: SeededRandom, number: number): RunPlan {
  const taskCount = random.chance(0.05) ? 0 : random.between(1, random.chance(0.2) ? 40 : 12);
  const edges = randomEdges(random, taskCount);
  const doneTasks: number[] = [];
  if (random.chance(0.3)) {
    for (let task = 0; task < taskCount; task += 1) if (random.chance(0.2)) doneTasks.push(task);
  }
  return {
    id: simulatedId("run", number),
    ownerId: "someone",
    ownerAdmin: random.chance(0.4),
    taskCount,
    successors: adjacency(taskCount, edges),
    predecessors: adjacency(
      taskCount,
      edges.map(([from, to]) => [to, from] as const),
    ),
    doneTasks,
    retries: random.between(0, 2),
    producers: (_task, files) => files.map(producerOf).filter((producer) => producer >= 0),
  };
}

/** The one file a simulated task writes. */
export function fileOf(task: number): string {
  return `file-${task}`;
}

function producerOf(file: string): number {
  return Number(/^file-(\d+)$/.exec(file)?.[1] ?? -1);
}

function randomEdges(random: SeededRandom, tasks: number): Edge[] {
  const edges: Edge[] = [];
  switch (random.below(4)) {
    case 0:
      break;
    case 1:
      for (let task = 1; task < tasks; task += 1) edges.push([task - 1, task]);
      break;
    case 2: {
      const width = random.between(1, 4);
      for (let task = width; task < tasks; task += 1) {
        const layer = Math.floor(task / width) - 1;
        for (let from = layer * width; from < (layer + 1) * width; from += 1) {
          if (random.chance(0.7)) edges.push([from, task]);
        }
      }
      break;
    }
    default: {
      const density = random.next() * 0.4;
      for (let to = 1; to < tasks; to += 1) {
        for (let from = 0; from < to; from += 1) if (random.chance(density)) edges.push([from, to]);
      }
    }
  }
  return edges;
}

function adjacency(taskCount: number, edges: readonly Edge[]): Adjacency {
  const offsets = new Uint32Array(taskCount + 1);
  for (const [from] of edges) offsets[from + 1]! += 1;
  for (let task = 0; task < taskCount; task += 1) offsets[task + 1]! += offsets[task]!;
  const targets = new Uint32Array(edges.length);
  const next = offsets.slice();
  for (const [from, to] of edges) {
    targets[next[from]!] = to;
    next[from]! += 1;
  }
  return { offsets, targets };
}
