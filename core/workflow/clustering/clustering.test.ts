import { describe, expect, it } from "vitest";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "../build";
import type { Workflow } from "../workflow";
import { type Clustering, type ClusteringOptions, clusteringAlgorithms, clusterWorkflow } from "./clustering";
import { type Edge, testGraph } from "./graph-for-tests";

function clustersOf({ members, clusterCount }: Clustering): number[][] {
  return Array.from({ length: clusterCount }, (_, c) =>
    Array.from(members.targets.subarray(members.offsets[c], members.offsets[c + 1])),
  );
}

function clusters(workflow: Workflow, options: ClusteringOptions): string[] {
  return clustersOf(clusterWorkflow(workflow, options)).map((tasks) => tasks.map(workflow.name).join(""));
}

function graph(count: number, edges: [number, number][], names = "abcdefghijkl"): Workflow {
  return testGraph(
    Array.from({ length: count }, () => 1),
    edges.map(([from, to]): Edge => [from, to, 1]),
    names,
  ).workflow;
}

const gridadl = (text: string) => buildWorkflow(parseWorkflow(text).application).workflow;

describe("blocks", () => {
  it("take independent tasks in their order, up to the granularity (Figure F.15)", () => {
    expect(clusters(graph(7, []), { algorithm: "blocks", granularity: 3 })).toEqual(["abc", "def", "g"]);
    expect(clusters(graph(6, []), { algorithm: "blocks", granularity: 3 })).toEqual(["abc", "def"]);
  });

  it("split a loop of a thousand tasks into ten of a hundred, unless told otherwise", () => {
    const workflow = gridadl("foreach N in 1..1000 {\n  task -e true\n}\n");
    const { clusterCount, largestCluster, algorithm } = clusterWorkflow(workflow, { algorithm: "auto" });
    expect({ clusterCount, largestCluster, algorithm }).toEqual({
      clusterCount: 10,
      largestCluster: 100,
      algorithm: "blocks",
    });
  });

  it("leave the order of description where it would make blocks wait for each other", () => {
    // c writes for b and b for a: in blocks of two, ab would wait for cd, and cd, if d needs a, for ab.
    const tangled = graph(4, [
      [2, 1],
      [1, 0],
      [0, 3],
    ]);
    expect(clusters(tangled, { algorithm: "blocks", granularity: 2 })).toEqual(["cb", "ad"]);
  });
});

describe("phases", () => {
  it("are cut breadth first (Figures F.14 and F.16)", () => {
    // Figure F.7(b): five tasks write for the sixth.
    const join = graph(
      6,
      [0, 1, 2, 3, 4].map((task) => [task, 5]),
    );
    expect(clusters(join, { algorithm: "auto", granularity: 3 })).toEqual(["abc", "def"]);
  });

  it("go level by level, so that no block waits for one that waits for it", () => {
    // Breadth first from a alone: a, c, d, then b: in blocks of two, bd would wait for ac, and ac for b.
    const workflow = graph(4, [
      [0, 2],
      [1, 2],
      [2, 3],
    ]);
    expect(clusters(workflow, { algorithm: "phases", granularity: 2 })).toEqual(["ab", "cd"]);
  });
});

describe("pipelines", () => {
  const three = graph(9, [
    [0, 3],
    [3, 6],
    [1, 4],
    [4, 7],
    [2, 5],
    [5, 8],
  ]);

  it("are kept whole, one a cluster", () => {
    expect(clusters(three, { algorithm: "auto" })).toEqual(["adg", "beh", "cfi"]);
  });

  it("share a cluster as far as whole ones fit the granularity", () => {
    expect(clusters(three, { algorithm: "pipeline", granularity: 7 })).toEqual(["adgbeh", "cfi"]);
    expect(clusters(three, { algorithm: "pipeline", granularity: 5 })).toEqual(["adg", "beh", "cfi"]);
  });

  it("are not cut, however small the granularity", () => {
    expect(clusters(three, { algorithm: "pipeline", granularity: 2 })).toEqual(["adg", "beh", "cfi"]);
  });

  it("end at branches and joins", () => {
    // a → b → (c → d, e → f) → g → h
    const workflow = graph(8, [
      [0, 1],
      [1, 2],
      [2, 3],
      [1, 4],
      [4, 5],
      [3, 6],
      [5, 6],
      [6, 7],
    ]);
    expect(clusters(workflow, { algorithm: "pipeline" })).toEqual(["ab", "cd", "ef", "gh"]);
  });
});

describe("auto", () => {
  it("takes the algorithm of the graph's class", () => {
    const used = (workflow: Workflow) => clusterWorkflow(workflow, { algorithm: "auto" }).algorithm;
    expect(used(graph(3, []))).toBe("blocks");
    expect(used(graph(2, [[0, 1]]))).toBe("pipeline");
    expect(
      used(
        graph(3, [
          [0, 1],
          [0, 2],
        ]),
      ),
    ).toBe("phases");
    expect(
      used(
        graph(3, [
          [0, 1],
          [1, 2],
          [0, 2],
        ]),
      ),
    ).toBe("dsc");
  });
});

describe("weights", () => {
  it("come from -c, and from the files where their weight is known", () => {
    const workflow = gridadl(
      "task a -e p -o x y z -c 3\ntask b -e p -i x y -c 4\ntask c -e p -i z -c 5\ntask d -e p -o v -c 2 done\ntask e -e p -i v\n",
    );
    const sizes = new Map([
      ["x", 10],
      ["y", 20],
    ]);
    const none = clusterWorkflow(workflow, { algorithm: "none", fileWeight: (file) => sizes.get(file) });
    // a → b carries x and y, a → c the unknown z, d → e the unknown v.
    expect(none.crossingWeight).toBe(30 + 1 + 1);
    expect(none.estimatedParallelTime).toBe(3 + 30 + 4);
    expect(clusterWorkflow(workflow, { algorithm: "none" })).toMatchObject({
      crossingWeight: 3,
      // a, an edge, c: d is done and costs nothing.
      estimatedParallelTime: 3 + 1 + 5,
    });
  });

  it("of data are turned into time by the bandwidth, and told as they are", () => {
    const workflow = graph(2, [[0, 1]]);
    const options = { algorithm: "none", edgeWeight: () => 600, bandwidth: 100 } as const;
    expect(clusterWorkflow(workflow, options)).toMatchObject({ crossingWeight: 600, estimatedParallelTime: 1 + 6 + 1 });
    expect(() => clusterWorkflow(workflow, { ...options, bandwidth: 0 })).toThrow("above 0");
  });

  it("must be numbers from 0 on", () => {
    const bad = (weight: number) => () =>
      clusterWorkflow(graph(1, []), { algorithm: "none", taskWeight: () => weight });
    expect(bad(-1)).toThrow("The weight of a task must be a number from 0 on, not -1.");
    expect(bad(Number.NaN)).toThrow("not NaN");
  });
});

it("a granularity must be a whole number from 1 on", () => {
  for (const granularity of [0, -3, 1.5, Number.NaN]) {
    expect(() => clusterWorkflow(graph(2, []), { algorithm: "blocks", granularity })).toThrow(
      `The granularity must be a whole number from 1 on, not ${granularity}.`,
    );
  }
});

it("tasks that wait in a circle cannot be clustered", () => {
  const circle = gridadl("task a -e p -i y -o x\ntask b -e p -i x -o y\n");
  expect(() => clusterWorkflow(circle, { algorithm: "auto" })).toThrow("circle");
});

it("a workflow without tasks has no clusters", () => {
  for (const algorithm of clusteringAlgorithms) {
    const empty = clusterWorkflow(gridadl(""), { algorithm });
    expect(empty).toMatchObject({
      clusterCount: 0,
      largestCluster: 0,
      cutEdges: 0,
      estimatedParallelTime: 0,
      units: true,
    });
  }
});
