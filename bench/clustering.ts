/**
 * The claim: Dominant Sequence Clustering puts 100,000 tasks with 300,000 edges into clusters in under 10 s. The graph is
 * tightly coupled: edges lead from each task to tasks drawn among the next thousand, with weights of the tasks' own size.
 */
import { EdgeList } from "@/core/workflow/adjacency";
import { clusterWorkflow } from "@/core/workflow/clustering";
import type { TaskSpec, Workflow } from "@/core/workflow/workflow";
import { type Measurement, median, rounded } from "./measurement";

const tasks = 100_000;
const edges = 300_000;
const reach = 1000;
const rounds = 5;

export async function measure(): Promise<Measurement> {
  const workflow = tightlyCoupled();
  const edgeWeight = (from: number, to: number) => 1 + ((from * 31 + to) % 9);
  const pass = (asUnits: boolean) => {
    const started = performance.now();
    const clustering = clusterWorkflow(workflow, { algorithm: "dsc", edgeWeight, units: asUnits });
    return { seconds: (performance.now() - started) / 1000, clustering };
  };
  const times: number[] = [];
  const timesAsUnits: number[] = [];
  const { clustering } = pass(false);
  const units = pass(true).clustering;
  for (let round = 0; round < rounds; round++) {
    times.push(pass(false).seconds);
    timesAsUnits.push(pass(true).seconds);
  }
  return {
    measures: {
      dsc_100k_s: rounded(median(times)),
      dsc_units_100k_s: rounded(median(timesAsUnits)),
      tasks: workflow.taskCount,
      edges: workflow.successors.targets.length,
      clusters: clustering.clusterCount,
      parallel_time_ratio: rounded(clustering.estimatedParallelTime / clustering.unclusteredParallelTime),
      parallel_time_ratio_units: rounded(units.estimatedParallelTime / units.unclusteredParallelTime),
    },
    peers: {},
    notes: `Median of ${rounds} rounds after one to warm up, from the workflow to the clusters with all their figures. The ratios compare the estimated parallel time with that of the same graph without clusters; units are clusters that never wait for each other.`,
  };
}

function tightlyCoupled(): Workflow {
  const random = numbers(2024);
  const list = new EdgeList();
  const drawn = new Set<number>();
  while (drawn.size < edges) {
    const from = random(tasks - 1);
    const to = from + 1 + random(Math.min(reach, tasks - 1 - from));
    if (drawn.has(from * tasks + to)) continue;
    drawn.add(from * tasks + to);
    list.add(from, to);
  }
  return {
    taskCount: tasks,
    ...list.adjacency(tasks),
    class: "tightly-coupled",
    name: (task) => String(task),
    task: (index): TaskSpec => ({
      index,
      name: String(index),
      command: { is: "exec", executable: "true", arguments: [] },
      inputs: [],
      outputs: [],
      weight: 1 + (index % 7),
      done: false,
    }),
    template: () => ({ executable: [], shell: true, arguments: [], inputs: [], outputs: [], weight: 1, done: false }),
    placeOf: () => undefined,
    producerOf: () => -1,
    externalInputs: [],
    isTransient: () => false,
    conditionsOf: () => [],
    answersOf: () => [],
    fileCount: 0,
  };
}

/** Whole numbers below a bound, the same in every run (a xorshift generator). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
