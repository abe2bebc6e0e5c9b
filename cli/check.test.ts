import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { runCheck } from "./check";

/** Runs the command over files in memory. */
async function check(argv: string[], files: Record<string, string>) {
  let stdout = "";
  let stderr = "";
  const code = await runCheck(argv, {
    readFile: async (path) => {
      const text = files[path];
      if (text === undefined) throw new Error("there is no such file");
      return text;
    },
    fileExists: async (path) => Object.keys(files).some((name) => resolve(name) === path),
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
  });
  return { code, stdout, stderr };
}

const diamond = "task A -e p -i in -o a\ntask B -e p -i a -o b\ntask C -e p -i a -o c\ntask D -e p -i b c\n";

describe("gridloom check", () => {
  it("prints what the workflow is and ends with 0", async () => {
    const { code, stdout } = await check(["w/d.gadl"], { "w/d.gadl": diamond, "w/in": "" });
    expect(code).toBe(0);
    expect(stdout).toBe("format:  gridadl\nclass:   phases\ntasks:   4\nedges:   4\nfiles:   4\n");
  });

  it("prints problems as FILE:LINE:COL: message and ends with 1", async () => {
    const { code, stdout } = await check(["w/d.gadl"], { "w/d.gadl": `${diamond}tusk\n`, "w/in": "" });
    expect(code).toBe(1);
    expect(stdout).toContain('w/d.gadl:5:1: Unknown keyword "tusk"; did you mean "task"?\n');
  });

  it("misses inputs that are not beside the file", async () => {
    const { code, stdout } = await check(["w/d.gadl"], { "w/d.gadl": diamond, in: "" });
    expect(code).toBe(1);
    expect(stdout).toContain('w/d.gadl:1:1: The input "in" of task "A" is missing');
  });

  it("prints exactly the agreed JSON, with the graph if asked for", async () => {
    const files = { "w/d.gadl": diamond, "w/in": "" };
    const plain = await check(["--json", "w/d.gadl"], files);
    expect(JSON.parse(plain.stdout)).toEqual({
      ...{ format: "gridadl", class: "phases", tasks: 4, edges: 4, files: ["a", "b", "c", "in"] },
      problems: [],
    });
    const broken = await check(["--json", "w/d.gadl"], { "w/d.gadl": `${diamond}tusk\n`, "w/in": "" });
    expect(JSON.parse(broken.stdout).problems).toEqual([
      expect.objectContaining({ severity: "error", file: "w/d.gadl", line: 5, column: 1 }),
    ]);
    const graph = await check(["w/d.gadl", "--json", "--graph"], files);
    expect(JSON.parse(graph.stdout).graph).toEqual({
      tasks: ["A", "B", "C", "D"],
      edges: [
        ["A", "B"],
        ["A", "C"],
        ["B", "D"],
        ["C", "D"],
      ],
    });
  });

  it("ends with 2 if the command is wrong or the file cannot be read", async () => {
    expect(await check([], {})).toMatchObject({ code: 2, stderr: expect.stringContaining("usage") });
    expect(await check(["a", "--jsno"], { a: "" })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--jsno"),
    });
    expect(await check(["gone"], {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("gone cannot be read"),
    });
  });
});
