/**
 * The classes of the thesis (section B.2): independent tasks, loosely coupled in phases or in pipelines, tightly
 * coupled. The user's hint is a hint: the class is what the graph shows.
 */

import { degree } from "./adjacency";
import type { GraphHint } from "./application";
import type { Levels } from "./levels";
import type { Adjacency, GraphClass } from "./workflow";

interface Graph {
  readonly taskCount: number;
  readonly successors: Adjacency;
  readonly predecessors: Adjacency;
}

export function classify(graph: Graph, levels: Levels): GraphClass {
  const { taskCount, successors, predecessors } = graph;
  if (successors.targets.length === 0) return "independent";
  // A graph with a cycle has no phases.
  if (levels.order.length < taskCount) return "tightly-coupled";
  let pipeline = true;
  let phases = true;
  for (let task = 0; task < taskCount; task++) {
    if (degree(successors, task) > 1 || degree(predecessors, task) > 1) pipeline = false;
    for (let e = successors.offsets[task]!; e < successors.offsets[task + 1]!; e++) {
      // In phases, data goes from each phase to the next only.
      if (levels.level[successors.targets[e]!] !== levels.level[task]! + 1) phases = false;
    }
  }
  if (pipeline) return "pipeline";
  return phases ? "phases" : "tightly-coupled";
}

/** What the graph is in the words of the hint, if the hint says something else. */
export function contradiction(hint: GraphHint, found: GraphClass): GraphHint | undefined {
  const inWordsOfTheHint: GraphHint = found === "phases" || found === "pipeline" ? "loosely-coupled" : found;
  return inWordsOfTheHint === hint ? undefined : inWordsOfTheHint;
}
