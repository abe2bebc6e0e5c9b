/**
 * Random runs: bags, chains, layered graphs and graphs of any shape, some with tasks marked done, with policies, several
 * kinds of tasks, categories, clusters of tasks and a last task.
 */
import type { AdaptiveProfile, RunPlan, TaskProfile } from "@/core/engine/plan";
import type { Policies } from "@/core/engine/policy";
import { migrationWishes, troubleWishes } from "@/core/workflow/adaptive";
import type { Adjacency, Condition } from "@/core/workflow/workflow";
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
    ownerId: random.pick(people) ?? "ada",
    ownerAdmin: random.chance(0.4),
    ...particulars(random, taskCount, doneTasks, edges),
    ...branches(random, edges),
    ...(random.chance(0.25) ? { spawns } : {}),
    taskCount,
    ...bothWays(taskCount, edges),
    doneTasks,
    retries: random.between(0, 2),
    producers: (_task, files) => files.map(producerOf).filter((producer) => producer >= 0),
  };
}

/** Few enough for a seed to come to its end. */
const mostSpawning = 30;

function spawns(task: number): boolean {
  return task % 4 === 0 && task < mostSpawning;
}

/** The run with what this task hands in: always the same, so that a journal need only know who handed in something. */
export function extendPlan(plan: RunPlan, by: number): RunPlan {
  const first = plan.taskCount;
  const taskCount = first + ((by + first) % 4);
  const edges: Edge[] = [...edgesOf(plan.successors)];
  for (let task = first; task < taskCount; task += 1) {
    if ((task + by) % 3 !== 0) edges.push([by, task]);
    if (task > first && (task + by) % 2 === 0) edges.push([task - 1, task]);
    // Something that was there before, over or not.
    if (task % 5 === 0 && by > 0) edges.push([by - 1, task]);
  }
  return { ...plan, taskCount, ...bothWays(taskCount, edges) };
}

function* edgesOf({ offsets, targets }: Adjacency): Generator<Edge> {
  for (let from = 0; from + 1 < offsets.length; from += 1) {
    for (const to of targets.subarray(offsets[from], offsets[from + 1])) yield [from, to];
  }
}

function bothWays(taskCount: number, edges: readonly Edge[]) {
  const backwards = edges.map(([from, to]) => [to, from] as const);
  return { successors: adjacency(taskCount, edges), predecessors: adjacency(taskCount, backwards) };
}

/** The one exit code besides 0 with which simulated tasks answer. */
export const otherAnswer = 3;

/** In some runs, some edges hold only after one of the two answers, and some tasks are content with one predecessor. */
function branches(random: SeededRandom, edges: readonly Edge[]): Pick<RunPlan, "conditionsOf" | "isJoin"> {
  if (!random.chance(0.4)) return {};
  const conditions = new Map<number, Condition[]>();
  const joins = new Set<number>();
  for (const [before, after] of edges) {
    if (random.chance(0.2)) joins.add(after);
    if (!random.chance(0.5)) continue;
    const exit = random.chance(0.5) ? otherAnswer : 0;
    const list = conditions.get(after) ?? [];
    list.push({ before, exits: [[exit, exit]] });
    conditions.set(after, list);
  }
  return { conditionsOf: (task) => conditions.get(task) ?? [], isJoin: (task) => joins.has(task) };
}

export const people = ["ada", "bob", "eve"] as const;

/** Half of the runs ask for nothing special. */
function particulars(random: SeededRandom, taskCount: number, done: readonly number[], edges: readonly Edge[]) {
  if (random.chance(0.5)) return {};
  const kinds = random.between(1, 4);
  const profiles = Array.from({ length: kinds }, () => randomProfile(random));
  const kindOf = Array.from({ length: taskCount }, () => random.below(kinds));
  const last = taskCount - 1;
  const isLoose = last >= 0 && !done.includes(last) && edges.every(([from, to]) => from !== last && to !== last);
  const unitSize = random.between(2, 5);
  return {
    priority: random.between(-2, 2),
    ownerShare: random.between(1, 3),
    memoryBytes: 2.5e8,
    reuse: random.chance(0.3),
    policies: randomPolicies(random),
    profiles,
    profileOf: (task: number) => kindOf[task] ?? 0,
    ...(random.chance(0.3) ? { categoryLimits: { some: random.between(1, 3) } } : {}),
    ...(isLoose && random.chance(0.4) ? { finalTask: last } : {}),
    ...(random.chance(0.3) ? { unitOf: Int32Array.from(kindOf, (_, task) => Math.floor(task / unitSize)) } : {}),
  };
}

/** Some host meets them once the grid is repaired. */
function randomProfile(random: SeededRandom): TaskProfile {
  return {
    ...(random.chance(0.3) ? { requirement: random.pick(requirements) ?? "true" } : {}),
    ...(random.chance(0.2) ? { rank: "TARGET.Memory - 10 * RunningJobs" } : {}),
    ...(random.chance(0.2) ? { priority: random.between(-5, 5) } : {}),
    ...(random.chance(0.3) ? { category: "some" } : {}),
    ...(random.chance(0.3) ? { cores: 2 } : {}),
    ...(random.chance(0.2) ? { memoryBytes: random.pick([1e8, 4e8]) ?? 1e8 } : {}),
    ...(random.chance(0.3) ? { retries: { times: random.between(0, 3), unlessExit: 7 } } : {}),
    ...(random.chance(0.5) ? { adaptive: randomAdaptive(random) } : {}),
  };
}

function randomAdaptive(random: SeededRandom): AdaptiveProfile {
  return {
    restart: random.chance(0.8),
    migrate: random.pick(migrationWishes) ?? "forced",
    trouble: random.pick(troubleWishes) ?? "fail",
    ...(random.chance(0.5) ? { contract: { seconds: 1, factor: 10 } } : {}),
    ...(random.chance(0.2) ? { suspensionSeconds: 3 } : {}),
  };
}

/** Some hosts have this much, and one always when the grid is repaired. */
export const muchMemory = 4e9;
export const needsMuchMemory = "Memory > 2000";

const requirements = [
  needsMuchMemory,
  "TARGET.Memory >= 1",
  'OpSys == "linux" && Cpus > 0',
  "Host.ErrorRate <= 1",
  "!Tail || Cpus >= 1",
];

export function randomPolicies(random: SeededRandom): Policies {
  return {
    ...(random.chance(0.2) ? { jobRequirements: random.pick(requirements) ?? "true" } : {}),
    ...(random.chance(0.2) ? { rank: "Host.JobsToday" } : {}),
    ...(random.chance(0.6) ? { replicationRequirements: "NumberOfReplicas < 3 && Job.Replica1.SentTime > 0" } : {}),
    ...(random.chance(0.2) ? { concurrency: "2 * Host.NumCpus" } : {}),
    ...(random.chance(0.3) ? { deadline: "3 + Cpus" } : {}),
    ...(random.chance(0.3) ? { tailBelow: random.between(0, 20), latchTail: random.chance(0.5) } : {}),
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
