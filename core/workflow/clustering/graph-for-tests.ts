/** Workflows for the tests of clustering, from a list of weights and edges. */
import { EdgeList } from "../adjacency";
import { levelsOf } from "../levels";
import { classify } from "../taxonomy";
import type { Workflow } from "../workflow";
import { type WeightedGraph, type Weights, weighted } from "./weighted-graph";

/** From, to, weight. */
export type Edge = [from: number, to: number, weight: number];

export interface TestGraph extends Required<Pick<Weights, "taskWeight" | "edgeWeight">> {
  weights: number[];
  edges: Edge[];
  workflow: Workflow;
  graph: WeightedGraph;
}

/** Task i is called `names[i]`, or `t` and its number. */
export function testGraph(weights: number[], edges: Edge[], names?: string): TestGraph {
  const list = new EdgeList();
  const weightOf = new Map<string, number>();
  for (const [from, to, weight] of edges) {
    list.add(from, to);
    weightOf.set(`${from} ${to}`, weight);
  }
  const adjacency = { taskCount: weights.length, ...list.adjacency(weights.length) };
  const name = (task: number) => names?.[task] ?? `t${task}`;
  const workflow: Workflow = {
    ...adjacency,
    class: classify(adjacency, levelsOf(adjacency)),
    name,
    task: (index) => ({
      ...{ index, name: name(index), command: { is: "shell", line: "true" }, inputs: [], outputs: [] },
      ...{ weight: weights[index]!, done: false },
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
  const taskWeight = (task: number) => weights[task]!;
  const edgeWeight = (from: number, to: number) => weightOf.get(`${from} ${to}`)!;
  return { weights, edges, workflow, taskWeight, edgeWeight, graph: weighted(workflow, { taskWeight, edgeWeight }) };
}
