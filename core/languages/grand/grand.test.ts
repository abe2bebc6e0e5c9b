import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWorkflow } from "@/core/languages";
import { literalTask } from "@/core/languages/literal-task";
import { examples, graph, gridadlExamples } from "@/core/languages/written-again-for-tests";
import type { Application } from "@/core/workflow/application";
import { parseGrand, printGrand } from ".";

const file = (name: string): string => readFileSync(new URL(`grand/${name}`, examples), "utf8");
const manifest = file("manifest.xml");
const read = (changed: Record<string, string | undefined> = {}) =>
  parseGrand(manifest, { readFile: (name) => (name in changed ? changed[name] : file(name)) });
const again = (application: Application) => {
  const { text, files = {} } = printGrand(application);
  return parseWorkflow(text, "x.xml", (name) => files[name]);
};

describe("the thesis' XML", () => {
  it("is read with its tasks, weights, files and clusters; edges that follow from files are not said twice", () => {
    const { application, problems } = read();
    expect(problems).toEqual([]);
    const { names, edges, commands } = graph(application);
    expect(names).toEqual(["sort 1", "sort 2", "sort 3", "sort 4", "sort 5", "merge"]);
    expect(edges).toEqual([1, 2, 3, 4, 5].map((n) => `sort ${n}>merge`));
    expect(commands[0]).toBe(
      JSON.stringify([
        { is: "exec", executable: "/usr/bin/sort", arguments: ["-n", "-o", "out1.dat", "in1.dat"] },
        ["in1.dat"],
        ["out1.dat"],
      ]),
    );
    expect(application.groups.map(({ task }) => task.weight)).toEqual([10, 10, 10, 10, 10, 2]);
    expect(application.dependencies).toBeUndefined();
    expect(application.clusters).toEqual([
      { name: "c0", tasks: ["sort 1", "sort 2", "sort 3"] },
      { name: "c1", tasks: ["sort 4", "sort 5", "merge"] },
    ]);
  });

  it("keeps edges that no file tells, and the text's older names of the id", () => {
    const tasks = file("tasks.xml").replaceAll("jsdl-grand:JobUID", "grand:jobID");
    const { application, problems } = read({
      "tasks.xml": tasks,
      "edges.xml": '<ge:DAGDefinition><ge:Edge sourceJobID="1" targetJobID="2"/></ge:DAGDefinition>',
    });
    expect(problems).toEqual([]);
    expect(application.dependencies).toMatchObject([{ before: "sort 1", after: "sort 2" }]);
  });

  it.each([
    ["edges.xml", undefined, "grand/missing-file", "The file “edges.xml” did not come along."],
    [
      "edges.xml",
      '<DAGDefinition>\n<Edge sourceJobID="1" targetJobID="77"/></DAGDefinition>',
      "grand/unknown-task",
      "There is no task with the id “77”.",
    ],
    ["edges.xml", "<x/>", "grand/no-edges", "There is no DAGDefinition in this file."],
    [
      "clusters.xml",
      '<ClusterSet><ClusterDefinition clusterID="a"><JobID>1</JobID></ClusterDefinition><ClusterDefinition clusterID="b"><JobID>1</JobID></ClusterDefinition></ClusterSet>',
      "grand/two-clusters",
      "Task “sort 1” is in a and in b.",
    ],
    ["tasks.xml", "<!DOCTYPE x><x/>", "grand/doctype", expect.stringContaining("document type")],
  ])("%s that is wrong is an error at the manifest's line", (name, content, code, message) => {
    const { problems } = read({ [name]: content });
    expect(problems).toContainEqual(
      expect.objectContaining({ severity: "error", code, message, at: expect.anything() }),
    );
    const found = problems.find((problem) => problem.code === code);
    if (content !== undefined) expect(found?.inFile?.name).toBe(name);
  });

  it("is written so that it is read as the same graph", () => {
    const { application } = read();
    const { application: back, problems } = again(application);
    expect(problems).toEqual([]);
    expect(graph(back)).toEqual(graph(application));
    expect(back.clusters).toEqual(application.clusters);
  });

  it.each(gridadlExamples)("%s is written and read again as the same tasks and edges", (path) => {
    const { application } = parseWorkflow(readFileSync(new URL(path, examples), "utf8"), path);
    const back = again(application);
    expect(back.problems.filter(({ severity }) => severity === "error")).toEqual([]);
    const [first, second] = [graph(application), graph(back.application)];
    expect(second.names).toEqual(first.names);
    expect(second.edges).toEqual(first.edges);
    expect(second.commands).toEqual(first.commands);
  });

  it("brings any argument and any name back letter by letter", () => {
    const at = { line: 1, column: 1, endLine: 1, endColumn: 1 };
    const word = fc
      .string({ unit: "grapheme", maxLength: 12 })
      .map((text) => text.replace(/\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu, ""));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), word, (words, name) => {
        const task = literalTask({ name: `t${name}`, executable: "/bin/echo", arguments: words, at });
        const { application, problems } = again({ groups: [{ loops: [], task }], transient: [] });
        expect(problems).toEqual([]);
        expect(graph(application)).toEqual(graph({ groups: [{ loops: [], task }], transient: [] }));
      }),
    );
  });
});
