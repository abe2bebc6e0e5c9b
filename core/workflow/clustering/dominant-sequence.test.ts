import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clusterWorkflow } from "./clustering";
import { type Edge, type TestGraph, testGraph } from "./graph-for-tests";

function dsc(test: TestGraph, options: { granularity?: number; units?: boolean } = {}) {
  const { workflow, taskWeight, edgeWeight } = test;
  const clustering = clusterWorkflow(workflow, { algorithm: "dsc", taskWeight, edgeWeight, ...options });
  const { offsets, targets } = clustering.members;
  const clusters = Array.from({ length: clustering.clusterCount }, (_, c) =>
    Array.from(targets.subarray(offsets[c], offsets[c + 1]), (task) => workflow.name(task)).join(""),
  );
  return { ...clustering, clusters };
}

describe("DSC, worked by hand", () => {
  it("puts a task where its latest data is", () => {
    // a 0–1. b hears from a at 1 + 5 on its own, at 1 with a: joins. c hears at 1 + 2 on its own, with a and b only
    // after b, at 4: begins a cluster, 3–5.
    const test = testGraph(
      [1, 3, 2],
      [
        [0, 1, 5],
        [0, 2, 2],
      ],
      "abc",
    );
    const { clusters, estimatedParallelTime, unclusteredParallelTime, cutEdges, crossingWeight } = dsc(test);
    expect(clusters).toEqual(["ab", "c"]);
    expect({ estimatedParallelTime, unclusteredParallelTime }).toEqual({
      estimatedParallelTime: 5,
      unclusteredParallelTime: 9,
    });
    expect({ cutEdges, crossingWeight }).toEqual({ cutEdges: 1, crossingWeight: 2 });
  });

  it("takes along tasks that write for nobody else, as long as that helps", () => {
    // a, b, c (2, 2, 2) write for d (1); the data takes 6, 5, 1, so it is there at 8, 7, 3.
    // With a alone d starts at max(2, 7) = 7; with a and b at max(4, 3) = 4; with all three at 6.
    const test = testGraph(
      [2, 2, 2, 1],
      [
        [0, 3, 6],
        [1, 3, 5],
        [2, 3, 1],
      ],
      "abcd",
    );
    const { clusters, estimatedParallelTime } = dsc(test);
    expect(clusters.toSorted()).toEqual(["abd", "c"]);
    expect(estimatedParallelTime).toBe(5);
  });

  it("lets tasks that move along go first where they are ready first", () => {
    // r (4) writes for a (1) with weight 3: r and a together end at 5. b (3) is ready at once. d hears from a at 5 + 9
    // on its own; with a alone at max(5, 3 + 8) = 11; with b moved along, after a, at 8.
    // If a were alone in its cluster (r's data costs nothing, so joining gains nothing), b goes first: 0–3, a 4–5, d at 5.
    const apart = (rToA: number): TestGraph =>
      testGraph(
        [4, 1, 3, 1],
        [
          [0, 1, rToA],
          [1, 3, 9],
          [2, 3, 8],
        ],
        "rabd",
      );
    expect(dsc(apart(3)).estimatedParallelTime).toBe(9);
    const { clusters, estimatedParallelTime } = dsc(apart(0));
    expect(clusters.toSorted()).toEqual(["bad", "r"]);
    expect(estimatedParallelTime).toBe(6);
  });

  it("does not take from the head of the dominant sequence the place it needs", () => {
    // a (1) writes for x (6, data takes 2) and y (5, data takes 6); b (1) for y (data takes 1).
    // a 0–1. The path of x is 3 + 6 = 9, that of y, partly free, 7 + 5 = 12. With a, x would take 1–7, and y, whose data from a
    // is there at 7 anyway, would no longer gain from a's cluster. So x stays out, 3–9, and y joins a at 2, when b's data is
    // there; b itself may as well compute there, 1–2. y 2–7.
    // Without the warranty: x 1–7 with a, y 7–12.
    const test = testGraph(
      [1, 1, 6, 5],
      [
        [0, 2, 2],
        [0, 3, 6],
        [1, 3, 1],
      ],
      "abxy",
    );
    const { clusters, estimatedParallelTime } = dsc(test);
    expect(clusters.toSorted()).toEqual(["aby", "x"]);
    expect(estimatedParallelTime).toBe(9);
  });

  it("follows all its rules in a graph of nine tasks", () => {
    // Bottom levels: a 23, b 15, c 14, d 15, e 5, f 10, g 11, h 10, i 1. In the order of examination:
    // a  0–2. Its data is at b 6, c 3, d 3, e 3, and at g, partly free, at 12: the path of g is 12 + 11 = 23.
    // b  path 21 < 23, but g, with 2 in the way of 12, still gains after b: joins a, 2–5. Data at f 6, at g 6.
    // g  path 23: joins ab, 5–9. Data at i 15.
    // d  path 18: abg is busy until 9 > 3: own cluster, 3–7. Data at h 8.
    // c  path 17: own cluster, 3–6. Data at h 7.
    // h  path 18: with d at max(7, 7) = 7 < 8: joins d, 7–11. Data at i 16; the path of i, partly free, is 17.
    // f  path 16: abg is busy until 9 > 6: own cluster, 6–10. Data at i 15.
    // i  path 17: with dh at max(11, 15) = 15 < 16. f and g write for i alone; with f along (there at 6, so 11–15) also
    //    at max(15, 15) = 15, and f's data need not travel: joins with f, 15–16.
    // e  path 8: abg is busy until 9 > 3: own cluster, 3–8.
    const edges: Edge[] = [
      [0, 1, 4],
      [0, 2, 1],
      [0, 3, 1],
      [0, 4, 1],
      [0, 6, 10],
      [1, 5, 1],
      [1, 6, 1],
      [2, 7, 1],
      [3, 7, 1],
      [5, 8, 5],
      [6, 8, 6],
      [7, 8, 5],
    ];
    const result = dsc(testGraph([2, 3, 3, 4, 5, 4, 4, 4, 1], edges, "abcdefghi"));
    expect(result.clusters.toSorted()).toEqual(["abg", "c", "dhfi", "e"]);
    expect(result.estimatedParallelTime).toBe(16);
    expect(result.unclusteredParallelTime).toBe(23);
    // b → f, g → i, c → h, a → c, d, e.
    expect(result.cutEdges).toBe(6);
    expect(result.crossingWeight).toBe(11);
    expect(result.units).toBe(true);
  });

  it("may make clusters that wait for each other, unless they are to be units", () => {
    // a writes for b and c, both for d; moving data is dear: abd and c, where c waits for a and d for c.
    const diamond = testGraph(
      [1, 5, 2, 1],
      [
        [0, 1, 3],
        [0, 2, 3],
        [1, 3, 3],
        [2, 3, 1],
      ],
      "abcd",
    );
    const free = dsc(diamond);
    expect(free.clusters).toEqual(["abd", "c"]);
    expect(free).toMatchObject({ units: false, estimatedParallelTime: 8, unclusteredParallelTime: 13 });
    // ab cannot take d while it is below c. d hears from b at 6 + 3, from c at 6 + 1 on its own.
    const units = dsc(diamond, { units: true });
    expect(units.clusters.toSorted()).toEqual(["ab", "c", "d"]);
    expect(units).toMatchObject({ units: true, estimatedParallelTime: 10 });
  });
});

/** Yang and Gerasoulis prove these; the best is found by trying everything. */
describe("DSC, as its authors promise", () => {
  const branches = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 12 })), {
    minLength: 1,
    maxLength: 8,
  });

  /** One task before or after all the others: the shortest time over all choices of those that share its processor. */
  function bestWithHub(hub: number, others: [weight: number, edge: number][], time: (near: number[][]) => number) {
    let best = Number.POSITIVE_INFINITY;
    for (let subset = 0; subset < 2 ** others.length; subset++) {
      const near = others.filter((_, i) => subset & (1 << i));
      const far = others.filter((_, i) => !(subset & (1 << i)));
      best = Math.min(best, hub + Math.max(time(near), ...far.map(([weight, edge]) => weight + edge)));
    }
    return best;
  }
  const together = (near: number[][]) => near.reduce((sum, [weight]) => sum + weight!, 0);

  it("is optimal for a fork", () => {
    fc.assert(
      fc.property(branches, fc.integer({ min: 1, max: 9 }), (others, hub) => {
        const test = testGraph(
          [hub, ...others.map(([w]) => w)],
          others.map(([, edge], i): Edge => [0, i + 1, edge]),
        );
        expect(dsc(test).estimatedParallelTime).toBe(bestWithHub(hub, others, together));
      }),
    );
  });

  it("is optimal for a join", () => {
    fc.assert(
      fc.property(branches, fc.integer({ min: 1, max: 9 }), (others, hub) => {
        const last = others.length;
        const test = testGraph(
          [...others.map(([w]) => w), hub],
          others.map(([, edge], i): Edge => [i, last, edge]),
        );
        expect(dsc(test).estimatedParallelTime).toBe(bestWithHub(hub, others, together));
      }),
    );
  });
});
