import { describe, expect, it } from "vitest";
import { runCluster } from "./cluster";

/** Runs the command over one file in memory. */
async function cluster(argv: string[], text: string) {
  let stdout = "";
  let stderr = "";
  const code = await runCluster(argv, {
    readFile: async (path) => {
      if (path !== "w.gadl") throw new Error("there is no such file");
      return text;
    },
    stdout: (written) => {
      stdout += written;
    },
    stderr: (written) => {
      stderr += written;
    },
  });
  return { code, stdout, stderr };
}

const diamond = "task A -e p -o a -c 4\ntask B -e p -i a -o b -c 3\ntask C -e p -i a -o c\ntask D -e p -i b c\n";

describe("gridloom cluster", () => {
  it("prints clusters, cut edges, crossing weight and estimated time as JSON", async () => {
    const { code, stdout } = await cluster(
      ["w.gadl", "--algorithm", "phases", "--granularity", "2", "--json"],
      diamond,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      ...{ algorithm: "phases", class: "phases", tasks: 4, largestCluster: 2 },
      clusters: [
        ["A", "B"],
        ["C", "D"],
      ],
      // A → C and B → D. A 0–4, B 4–7, C 5–6, D 8–9; each on its own: A 0–4, B 5–8, D 9–10.
      ...{ cutEdges: 2, crossingWeight: 2, estimatedParallelTime: 9, unclusteredParallelTime: 10, units: true },
    });
  });

  it("chooses the algorithm by the class of the graph unless one is named", async () => {
    const { stdout } = await cluster(["--json", "w.gadl"], "foreach N in 1..250 {\n  task -e p\n}\n");
    const { algorithm, clusters } = JSON.parse(stdout);
    expect(algorithm).toBe("blocks");
    expect(clusters.map((tasks: string[]) => tasks.length)).toEqual([100, 100, 50]);
  });

  it("knows the algorithms by the papers' names too", async () => {
    const { stdout } = await cluster(["w.gadl", "--algorithm", "dominant-sequence", "--json"], diamond);
    expect(JSON.parse(stdout).algorithm).toBe("dsc");
    expect((await cluster(["w.gadl", "--algorithm", "pipelines"], diamond)).code).toBe(0);
    expect((await cluster(["w.gadl", "--algorithm", "fate"], diamond)).stderr).toContain("no algorithm “fate”");
  });

  it("makes clusters that can be submitted whole if asked to", async () => {
    const dsc = JSON.parse((await cluster(["w.gadl", "--algorithm", "dsc", "--json"], diamond)).stdout);
    expect(dsc).toMatchObject({ clusters: [["A", "B", "D"], ["C"]], units: false, estimatedParallelTime: 8 });
    const units = JSON.parse((await cluster(["w.gadl", "--algorithm", "dsc", "--units", "--json"], diamond)).stdout);
    expect(units).toMatchObject({ clusters: [["A", "B"], ["C"], ["D"]], units: true, estimatedParallelTime: 9 });
  });

  it("weighs edges by the files they carry where the format tells their sizes", async () => {
    const file = (id: string, sizeInBytes: number) => ({ id, sizeInBytes });
    const task = (id: string, parents: string[], children: string[], inputFiles: string[], outputFiles: string[]) => ({
      ...{ name: id, id, parents, children, inputFiles, outputFiles },
    });
    const text = JSON.stringify({
      name: "two",
      schemaVersion: "1.5",
      workflow: {
        specification: {
          tasks: [task("A", [], ["B"], [], ["x", "y"]), task("B", ["A"], [], ["x", "y"], [])],
          files: [file("x", 3000), file("y", 500)],
        },
      },
    });
    const argv = ["w.gadl", "--algorithm", "none", "--json"];
    const plain = JSON.parse((await cluster(argv, text)).stdout);
    expect(plain).toMatchObject({ crossingWeight: 3500, estimatedParallelTime: 1 + 3500 + 1 });
    const fast = JSON.parse((await cluster([...argv, "--bandwidth", "700"], text)).stdout);
    expect(fast).toMatchObject({ crossingWeight: 3500, estimatedParallelTime: 1 + 5 + 1 });
  });

  it("tells the same to people", async () => {
    const { stdout } = await cluster(["w.gadl", "--algorithm", "dsc"], diamond);
    expect(stdout).toBe(
      "algorithm: dsc\nclass:     phases\ntasks:     4\nclusters:  2, the largest of 3\ncut edges: 2, of weight 2\n" +
        "time:      8 (10 without clusters)\nunits:     no: some clusters wait for each other\ncluster 1: A B D\ncluster 2: C\n",
    );
  });

  it("shows what is wrong with a workflow instead, and ends with 1", async () => {
    const { code, stdout, stderr } = await cluster(
      ["w.gadl", "--json"],
      "task A -e p -i b -o a\ntask B -e p -i a -o b\n",
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^w\.gadl:1:1: .* circle: A → B → A\./);
  });

  it.each([
    [[], "A file is needed."],
    [["w.gadl", "--algorithm", "best"], "There is no algorithm “best”."],
    [["w.gadl", "--algorithm"], "--algorithm needs a name."],
    [["w.gadl", "--granularity", "0"], "--granularity needs a whole number from 1 on."],
    [["w.gadl", "--granularity", "many"], "--granularity needs a whole number from 1 on."],
    [["w.gadl", "--bandwidth", "none"], "--bandwidth needs a number above 0."],
    [["w.gadl", "--fast"], "There is no option --fast."],
    [["w.gadl", "v.gadl"], "Only one file can be given."],
    [["v.gadl"], "v.gadl cannot be read: there is no such file"],
  ])("ends with 2 and says why: %j", async (argv, message) => {
    const { code, stdout, stderr } = await cluster(argv, diamond);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`${message}\n`);
  });
});
