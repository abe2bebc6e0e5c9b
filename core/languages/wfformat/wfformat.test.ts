/** What a WfFormat instance says, what becomes of it, and back. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseGridAdl } from "@/core/languages/gridadl";
import { examples, graph, gridadlExamples } from "@/core/languages/written-again-for-tests";
import { parseWfFormat, printWfFormat, wfformat } from ".";

const example = (path: string): string => readFileSync(new URL(path, examples), "utf8");
/** An instance with these tasks. */
const instance = (tasks: string, more = "", execution = ""): string =>
  `{"name":"x","schemaVersion":"1.5","workflow":{"specification":{"tasks":[${tasks}]${more}}${execution}}}`;
const task = (id: string, parents = "", children = "", more = ""): string =>
  `{"name":"${id}","id":"${id}","parents":[${parents}],"children":[${children}]${more}}`;

describe("a recorded run", () => {
  const { application, problems } = parseWfFormat(example("wfformat/words.json"));

  it("gives tasks with their commands, and edges from the files", () => {
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    const { names, edges, commands } = graph(application);
    expect(names).toEqual(["split", "count", "longest", "report"]);
    expect(edges).toEqual(["count>report", "longest>report", "split>count", "split>longest"]);
    expect(JSON.parse(commands[1]!)).toEqual([
      { is: "shell", line: "wc -l < words.txt > count.txt" },
      ["words.txt"],
      ["count.txt"],
    ]);
    expect(application.dependencies).toBeUndefined();
  });

  it("keeps sizes, run times, machines and kinds of tasks", () => {
    expect(application.fileSizes).toMatchObject({ "poem.txt": 145, "words.txt": 141 });
    expect(application.groups[2]!.task).toMatchObject({
      category: "look",
      weight: 0.4,
      recorded: { seconds: 0.4, machine: "bench.example.org" },
      resources: { cores: 1 },
    });
    expect(application.machines).toEqual([
      {
        name: "bench.example.org",
        cores: 4,
        coreMhz: 2600,
        memoryBytes: 8589934592,
        architecture: "x86_64",
        system: "linux",
      },
    ]);
  });

  it("says what is not kept, with its place", () => {
    expect(problems.map(({ severity, at }) => [severity, at?.line])).toEqual([
      ["warning", 2],
      ["warning", 23],
    ]);
    expect(problems[0]!.message).toContain("description");
  });
});

describe("a structure without a run", () => {
  it("of version 1.6 is read; names stand for programs; parents without a file between are dependencies", () => {
    const { application, problems } = parseWfFormat(example("wfformat/structure.json"));
    expect(problems.map(({ code }) => code)).toEqual(["wfformat/not-kept", "wfformat/no-command"]);
    expect(graph(application).edges).toHaveLength(6);
    expect(application.dependencies).toMatchObject([{ before: "add", after: "notify" }]);
  });
});

describe("writing", () => {
  it.each(["words.json", "structure.json"])("%s and reading again gives the same, in both versions", (file) => {
    const first = parseWfFormat(example(`wfformat/${file}`)).application;
    for (const version of ["1.5", "1.6"] as const) {
      if (version === "1.5" && file === "structure.json") continue;
      const { text } = printWfFormat(first, version);
      const { application, problems } = parseWfFormat(text);
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      expect(graph(application)).toEqual(graph(first));
      expect(application.machines).toEqual(first.machines);
      expect(application.fileSizes).toEqual(first.fileSizes);
      expect(application.groups.map(({ task: { recorded } }) => recorded)).toEqual(
        first.groups.map(({ task: { recorded } }) => recorded),
      );
      expect(JSON.parse(text)).toMatchObject({ schemaVersion: version });
    }
  });

  it.each(gridadlExamples)("the graph of %s comes back", (path) => {
    const { application } = parseGridAdl(example(path));
    const { text } = printWfFormat(application);
    const read = parseWfFormat(text);
    expect(read.problems.filter(({ severity }) => severity === "error")).toEqual([]);
    // A name such as `/data/in.txt` is one of a certain machine; only what is below the task's directory comes back.
    expect(graph(read.application).edges).toEqual(graph(application).edges);
    expect(graph(read.application).names).toEqual(graph(application).names);
  });

  it("warns of names it had to change and of what cannot be said", () => {
    const { application } = parseGridAdl('task "my task" -e a -i "a b" -o "a_b" -c 2\n');
    const { text, problems } = printWfFormat(application);
    expect(parseWfFormat(text).application.groups).toHaveLength(1);
    expect(problems.map(({ message }) => message).join("\n")).toMatch(/"my task" has the id "my_task"/);
    expect(problems.map(({ message }) => message).join("\n")).toMatch(/"a_b" has the id "a_b_"/);
    expect(problems.map(({ message }) => message).join("\n")).toMatch(/weights/);
  });
});

describe("errors", () => {
  it.each([
    ["", "syntax", 1, 1, /ends/],
    ["{", "syntax", 1, 1, /never closed/],
    ['{"a":1,}', "syntax", 1, 8, /comma/],
    ['{"a" 1}', "syntax", 1, 6, /:/],
    ['{"a":\n nope}', "syntax", 2, 2, /nope/],
    ['{"a": "x\n"}', "syntax", 1, 7, /line/],
    ['{"a": "\\x"}', "syntax", 1, 7, /backslash/],
    ["[1, 2", "syntax", 1, 1, /never closed/],
    ["{} 1", "syntax", 1, 4, /Nothing more/],
    ["[]", "wrong-type", 1, 1, /object/],
    ["{}", "missing", 1, 1, /schemaVersion/],
    [instance("7"), "wrong-type", 1, 73, /specification\.tasks\[0\]/],
    [instance('{"name":"a","parents":[],"children":[]}'), "missing", 1, 73, /task\.id/],
    [instance(`${task("a")},${task("a")}`), "duplicate-id", 1, 139, /"a"/],
    [instance(task("a", '"b"')), "unknown-task", 1, 105, /"b"/],
    [instance(task("a", '"a"')), "own-parent", 1, 105, /itself/],
    [instance(task("a"), ',"files":[{"id":"f","sizeInBytes":-1}]'), "out-of-range", 1, 156, /from 0/],
    [
      instance(
        task("a"),
        "",
        ',"execution":{"makespanInSeconds":1,"executedAt":"","tasks":[{"id":"z","runtimeInSeconds":1}]}',
      ),
      "unknown-task",
      1,
      190,
      /"z"/,
    ],
    ["[".repeat(200), "syntax", 1, 102, /nested/],
  ])("%j", (text, code, line, column, message) => {
    const [problem] = parseWfFormat(text).problems.filter(({ severity }) => severity === "error");
    expect(problem).toMatchObject({ code: `wfformat/${code}`, at: { line, column } });
    expect(problem!.message).toMatch(message);
  });

  it("one-sided relations and unknown members are warnings", () => {
    const { application, problems } = parseWfFormat(instance(`${task("a", "", '"b"', ',"colour":1')},${task("b")}`));
    expect(application.dependencies).toMatchObject([{ before: "a", after: "b" }]);
    expect(problems.map(({ code }) => code)).toEqual([
      "wfformat/not-kept",
      "wfformat/no-command",
      "wfformat/one-sided",
      "wfformat/not-kept",
    ]);
  });

  it("an older version is read as far as it goes, with a warning", () => {
    const { problems } = parseWfFormat(instance(task("a")).replace("1.5", "1.4"));
    expect(problems[1]).toMatchObject({ code: "wfformat/version", severity: "warning" });
  });
});

it("is recognised by its content", () => {
  expect(wfformat.detect(example("wfformat/words.json"))).toBe(true);
  expect(wfformat.detect("JOB A {\n")).toBe(false);
  expect(wfformat.detect("{ x }")).toBe(false);
});

it("reads a hundred thousand tasks", () => {
  const tasks = Array.from({ length: 100_000 }, (_, i) =>
    task(`t${i}`, i > 0 ? `"t${i - 1}"` : "", i < 99_999 ? `"t${i + 1}"` : ""),
  );
  const { application, problems } = parseWfFormat(instance(tasks.join(",")));
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(application.groups).toHaveLength(100_000);
  expect(application.dependencies).toHaveLength(99_999);
}, 60_000);
