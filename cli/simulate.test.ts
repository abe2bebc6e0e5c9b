import { describe, expect, it } from "vitest";
import { runSimulate } from "./simulate";

const diamond = "task A -e p -i in -o a\ntask B -e p -i a -o b\ntask C -e p -i a -o c\ntask D -e p -i b c\n";
const lab = JSON.stringify({
  name: "two hosts",
  clusters: [{ name: "lab", hosts: [{ name: "slow" }, { name: "fast", speed: 2 }] }],
});
const files = { "d.gadl": diamond, "g.json": lab };

/** Runs the command over files in memory. */
async function simulate(argv: string[], more: Record<string, string> = {}) {
  const known: Record<string, string> = { ...files, ...more };
  const written: Record<string, string> = {};
  let stdout = "";
  let stderr = "";
  const io = {
    readFile: async (path: string) => {
      const text = known[path];
      if (text === undefined) throw new Error("there is no such file");
      return text;
    },
    stdout: (text: string) => {
      stdout += text;
    },
    stderr: (text: string) => {
      stderr += text;
    },
  };
  const code = await runSimulate(argv, io, async (path, text) => {
    if (path === "full") throw new Error("no space left");
    written[path] = text;
  });
  return { code, stdout, stderr, written };
}

const usual = ["d.gadl", "--grid", "g.json", "--seconds-per-weight", "10"];

describe("gridloom simulate", () => {
  it("prints what would happen and ends with 0", async () => {
    const { code, stdout, stderr } = await simulate(usual);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("makespan: 25 s (25.0 s)\n");
    expect(stdout).toContain("run:      d succeeded\n");
    expect(stdout).toMatch(/^lab +2 +2 +2 +4 +0 +0 +75\.0 % +0 +0\.0$/m);
    expect(stdout).toMatch(/^D +fast +20 +20 +20 +25 +25$/m);
  });

  it("prints the same for machines, with a line for each attempt", async () => {
    const { stdout } = await simulate([...usual, "--json", "--seed", "9"]);
    const told = JSON.parse(stdout);
    expect(told).toMatchObject({ grid: "two hosts", seed: 9, makespanSeconds: 25, waste: 0, utilisation: 0.75 });
    expect(told.timeline).toHaveLength(4);
    expect(told.timeline[3]).toMatchObject({
      taskName: "D",
      host: "fast",
      queued: 20,
      ended: 25,
      outcome: "succeeded",
    });
    expect(told.hash).toMatch(/^[0-9a-f]{8}$/);
  });

  it("writes the attempts as a table", async () => {
    const { written } = await simulate([...usual, "--timeline", "t.csv"]);
    const lines = written["t.csv"]?.split("\n");
    expect(lines?.[0]).toMatch(/^run,task,attempt,cluster,host,queued,/);
    expect(lines?.[4]).toBe("d,D,1,lab,fast,20,20,20,25,25,25,succeeded,,false,true");
    expect(lines).toHaveLength(6);
  });

  it("takes a recorded time before a weight, and a drawn one before both", async () => {
    const task = { id: "A", name: "A", parents: [], children: [], inputFiles: [], outputFiles: [] };
    const workflow = {
      specification: { tasks: [task] },
      execution: { makespanInSeconds: 8, executedAt: "", tasks: [{ id: "A", runtimeInSeconds: 8 }] },
    };
    const recorded = { "w.json": JSON.stringify({ schemaVersion: "1.5", name: "w", workflow }) };
    const makespan = async (more: string[]) => {
      const { stdout } = await simulate(["w.json", "--grid", "g.json", "--json", ...more], recorded);
      return JSON.parse(stdout).makespanSeconds;
    };
    expect(await makespan([])).toBe(8);
    expect(await makespan(["--runtimes", '{"is":"uniform","low":3,"high":3}'])).toBe(3);
  });

  it("ends with 1 if tasks have no result", async () => {
    const hosts = [{ name: "h", failures: { task: 1 } }];
    const bad = JSON.stringify({ name: "bad", clusters: [{ name: "c", hosts }] });
    const { code, stdout } = await simulate(["d.gadl", "--grid", "b.json"], { "b.json": bad });
    expect(code).toBe(1);
    expect(stdout).toContain("tasks:    4, 4 without a result\n");
    expect(stdout).toContain("attempts: 2: 2 failed, 0 lost, 0 replicas\n");
  });

  it("says what is wrong with the files, all of it, and ends with 1", async () => {
    const bad = { "b.json": '{ "name": "g",\n  "clusters": [] }', "b.gadl": "tusk\n" };
    const { code, stdout, stderr } = await simulate(["b.gadl", "--grid", "b.json"], bad);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("b.json:2:15: `clusters` must not be empty.\n");
    expect(stderr).toContain("b.gadl:1:1: ");
  });

  it("follows the run's policies", async () => {
    const policies = {
      "p.json": '{"jobRequirements": "Name == \\"slow\\""}',
      "bad.json": '{"jobRequirements": "Name =="}',
    };
    const { stdout } = await simulate([...usual, "--policies", "p.json"], policies);
    expect(stdout).toContain("makespan: 40 s");
    const bad = await simulate([...usual, "--policies", "bad.json"], policies);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toMatch(/^bad\.json: JobRequirements, line 1, column \d+: /);
  });

  it("gets agents by the kind of factory it is told", async () => {
    const used = async (kind: string) =>
      JSON.parse((await simulate([...usual, "--json", "--factory", kind])).stdout).utilisation;
    // Standing agents wait from the start; others come when there is work for them.
    expect([await used("standing"), await used("heuristic")]).toEqual([0.6, 0.75]);
  });

  it("compares balanced with self-scheduled work", async () => {
    const slowLink = JSON.stringify({
      name: "link",
      clusters: [{ name: "c", link: { latencySeconds: 1 }, hosts: [{ name: "slow" }, { name: "fast", speed: 5 }] }],
    });
    const divide = ["--divisible", "600", "--grid", "l.json", "--iterations", "5"];
    const { code, stdout } = await simulate(divide, { "l.json": slowLink });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^speed-up: 1\.[1-9]\d times$/m);
    const told = JSON.parse((await simulate([...divide, "--json"], { "l.json": slowLink })).stdout);
    expect(told.balanced.iterations).toHaveLength(5);
    expect(told.speedup).toBeGreaterThan(1.1);
  });

  it.each([
    [["--divisible", "0", "--grid", "g.json"], "--divisible needs a number above 0."],
    [["--divisible", "5", "--grid", "g.json", "--iterations", "0"], "--iterations needs a number from 1 to 10000."],
    [["d.gadl", "--divisible", "5", "--grid", "g.json"], "Either a workflow or --divisible can be given."],
    [[...usual, "--factory", "fast"], "--factory needs one of standing, simple, heuristic, hybrid."],
    [[], "A workflow is needed."],
    [["d.gadl"], "Say the grid with --grid."],
    [["d.gadl", "--grid"], "--grid needs a file."],
    [["d.gadl", "e.gadl"], "Only one workflow can be given."],
    [[...usual, "--seed", "x"], "--seed needs a whole number from 0 on."],
    [[...usual, "--seed", "-1"], "--seed needs a whole number from 0 on."],
    [[...usual, "--seconds-per-weight", ""], "--seconds-per-weight needs a number from 0 on."],
    [[...usual, "--runtimes", "{}"], "--runtimes needs a number or a distribution. `is` is missing."],
    [[...usual, "--fast", "1"], "There is no option --fast."],
    [["d.gadl", "--grid", "none.json"], "none.json cannot be read: there is no such file"],
    [[...usual, "--timeline", "full"], "full cannot be written: no space left"],
  ])("ends with 2 and says why: %j", async (argv, message) => {
    const { code, stdout, stderr } = await simulate(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`${message}\n`);
  });
});
