/** What holds for every graph, tried on graphs that fast-check draws. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Clustering, type ClusteringOptions, clusteringAlgorithms, clusterWorkflow } from "./clustering";
import { clusterByDominantSequence } from "./dominant-sequence";
import { naiveDominantSequence } from "./dominant-sequence-reference";
import { parallelTime, unclusteredParallelTime } from "./estimate";
import { type Edge, type TestGraph, testGraph } from "./graph-for-tests";

function clustersOf({ members, clusterCount }: Clustering): number[][] {
  return Array.from({ length: clusterCount }, (_, c) =>
    Array.from(members.targets.subarray(members.offsets[c], members.offsets[c + 1])),
  );
}

function dsc({ workflow, taskWeight, edgeWeight }: TestGraph, granularity?: number): Clustering {
  return clusterWorkflow(workflow, { algorithm: "dsc", granularity, taskWeight, edgeWeight });
}

describe("every clustering of any graph", () => {
  const options = fc.record({
    algorithm: fc.constantFrom(...clusteringAlgorithms),
    granularity: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    units: fc.boolean(),
  });
  const weight = { min: 0, max: 9 };

  function check(judge: (clustering: Clustering, test: TestGraph, options: ClusteringOptions) => void) {
    fc.assert(
      fc.property(anyGraph({ tasks: 25, weight }), options, (test, chosen) => {
        const { workflow, taskWeight, edgeWeight } = test;
        judge(clusterWorkflow(workflow, { ...chosen, taskWeight, edgeWeight }), test, chosen);
      }),
      { numRuns: 400 },
    );
  }

  it("has each task in exactly one cluster, and no cluster without one", () => {
    check((clustering, { weights }) => {
      const listed = clustersOf(clustering);
      expect(listed.flat().toSorted((a, b) => a - b)).toEqual(weights.map((_, task) => task));
      listed.forEach((tasks, cluster) => {
        expect(tasks.length).toBeGreaterThan(0);
        for (const task of tasks) expect(clustering.clusterOf[task]).toBe(cluster);
      });
    });
  });

  it("lists a task after those of its cluster that it waits for", () => {
    check((clustering, { edges }) => {
      const place = new Map(Array.from(clustering.members.targets, (task, i) => [task, i]));
      for (const [from, to] of edges) {
        if (clustering.clusterOf[from] === clustering.clusterOf[to]) {
          expect(place.get(from)!).toBeLessThan(place.get(to)!);
        }
      }
    });
  });

  it("keeps to the granularity, except for a single pipeline that is longer", () => {
    check((clustering, { edges }, { granularity }) => {
      if (granularity === undefined) return;
      for (const tasks of clustersOf(clustering)) {
        if (tasks.length <= granularity) continue;
        expect(clustering.algorithm).toBe("pipeline");
        // One step hands its data to the next and to nobody else.
        for (const [i, task] of tasks.slice(0, -1).entries()) {
          expect(edges.flatMap(([from, to]) => (from === task ? [to] : []))).toEqual([tasks[i + 1]]);
        }
      }
    });
  });

  it("has clusters that do not wait for each other where it says so, and says so wherever it must", () => {
    check((clustering, { edges }, { units }) => {
      expect(clustering.units).toBe(!hasCircle(clustering, edges));
      if (clustering.algorithm !== "dsc" || units) expect(clustering.units).toBe(true);
    });
  });

  it("counts the edges between clusters and what they weigh", () => {
    check(({ clusterOf, cutEdges, crossingWeight }, { edges }) => {
      const cut = edges.filter(([from, to]) => clusterOf[from] !== clusterOf[to]);
      expect(cutEdges).toBe(cut.length);
      expect(crossingWeight).toBe(cut.reduce((sum, [, , weight]) => sum + weight, 0));
    });
  });

  it("estimates between the longest single task and all tasks with all data one after the other", () => {
    check(({ estimatedParallelTime }, { weights, edges }) => {
      const everything = [...weights, ...edges.map(([, , weight]) => weight)].reduce((sum, weight) => sum + weight, 0);
      expect(estimatedParallelTime).toBeGreaterThanOrEqual(Math.max(...weights));
      expect(estimatedParallelTime).toBeLessThanOrEqual(everything);
    });
  });

  /** Takes away clusters that nobody left waits for until there are none, or only a circle. */
  function hasCircle({ clusterOf, clusterCount }: Clustering, edges: Edge[]): boolean {
    let left = new Set(Array.from({ length: clusterCount }, (_, c) => c));
    for (;;) {
      const awaited = new Set(
        edges.flatMap(([from, to]) => {
          const [a, b] = [clusterOf[from]!, clusterOf[to]!];
          return a !== b && left.has(b) ? [a] : [];
        }),
      );
      const rest = new Set([...left].filter((cluster) => awaited.has(cluster)));
      if (rest.size === left.size) return rest.size > 0;
      left = rest;
    }
  }
});

describe("DSC, on any graph", () => {
  it("does what its rules say, computed the long way", () => {
    fc.assert(
      fc.property(anyGraph(), fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }), (test, granularity) => {
        const expected = naiveDominantSequence(test, granularity).map(String);
        expect(clustersOf(dsc(test, granularity)).map(String).toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: 500 },
    );
  });

  it("never ends later than without clusters, units or not", () => {
    const weight = { min: 0, max: 9 };
    fc.assert(
      fc.property(anyGraph({ tasks: 40, weight }), fc.boolean(), ({ graph }, units) => {
        const time = parallelTime(graph, clusterByDominantSequence(graph, { units }));
        expect(time).toBeLessThanOrEqual(unclusteredParallelTime(graph));
      }),
      { numRuns: 500 },
    );
  });

  it("gives the same clusters for the same graph", () => {
    fc.assert(
      fc.property(anyGraph(), (test) => {
        expect(dsc(test)).toEqual(dsc(test));
      }),
    );
  });

  // Yang and Gerasoulis prove it; the shortest time is found by trying everything.
  it("takes at most twice the shortest time where tasks outweigh their data", () => {
    const coarse = anyGraph({ tasks: 5, weight: { min: 4, max: 9 }, edge: { min: 0, max: 4 } });
    fc.assert(
      fc.property(coarse, (test) => {
        expect(dsc(test).estimatedParallelTime).toBeLessThanOrEqual(2 * shortestTime(test));
      }),
      { numRuns: 50 },
    );
  });

  /** Over all ways to split the tasks into clusters and all orders that respect the edges. */
  function shortestTime({ graph, weights, edges }: TestGraph): number {
    const count = weights.length;
    let best = Number.POSITIVE_INFINITY;
    const split = (clusterOf: number[], used: number, sequence: number[]) => {
      if (clusterOf.length === count) {
        const assignment = { clusterOf: Uint32Array.from(clusterOf), sequence: Uint32Array.from(sequence) };
        best = Math.min(best, parallelTime(graph, assignment));
        return;
      }
      for (let c = 0; c <= used; c++) split([...clusterOf, c], Math.max(used, c + 1), sequence);
    };
    const order = (sequence: number[]) => {
      if (sequence.length === count) return split([], 0, sequence);
      for (let task = 0; task < count; task++) {
        const ready = edges.every(([from, to]) => to !== task || sequence.includes(from));
        if (ready && !sequence.includes(task)) order([...sequence, task]);
      }
    };
    order([]);
    return best;
  }
});

interface Range {
  min: number;
  max: number;
}

/** Graphs without cycles whose tasks are numbered in any order. */
function anyGraph({
  tasks = 14,
  weight = { min: 1, max: 9 },
  edge = { min: 0, max: 12 },
}: {
  tasks?: number;
  weight?: Range;
  edge?: Range;
} = {}): fc.Arbitrary<TestGraph> {
  return fc.integer({ min: 1, max: tasks }).chain((count) => {
    const task = fc.nat(count - 1);
    return fc
      .tuple(
        fc.array(fc.integer(weight), { minLength: count, maxLength: count }),
        fc.uniqueArray(fc.tuple(task, task, fc.integer(edge)), {
          // Mostly few edges would mostly show nothing.
          size: "max",
          maxLength: count * 3,
          selector: ([a, b]) => Math.min(a, b) * count + Math.max(a, b),
        }),
        fc.shuffledSubarray(
          Array.from({ length: count }, (_, i) => i),
          { minLength: count, maxLength: count },
        ),
      )
      .map(([weights, pairs, number]) =>
        testGraph(
          weights,
          pairs.flatMap(([a, b, w]): Edge[] =>
            a === b ? [] : [[number[Math.min(a, b)]!, number[Math.max(a, b)]!, w]],
          ),
        ),
      );
  });
}
