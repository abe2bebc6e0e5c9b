/** What a DAG and its submit files say, and what becomes of it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { edgesOf } from "@/core/languages/workflow-edges";
import { sentenceOf } from "@/core/problem";
import type { Application, TaskTemplate } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import { splitWords } from "@/core/workflow/shell-words";
import { dagman, parseDagman } from ".";

type Files = Record<string, string>;

const read = (text: string, files: Files = {}) => parseDagman(text, { readFile: (name) => files[name] });

const example = (path: string): string =>
  readFileSync(new URL(`../../../examples/dagman/${path}`, import.meta.url), "utf8");

function readExample(folder: string, file: string) {
  return parseDagman(example(folder + file), {
    fileName: file,
    readFile: (name) => {
      try {
        return example(folder + name);
      } catch {
        return undefined;
      }
    },
  });
}

function edges(application: Application): string[] {
  const { workflow } = buildWorkflow(application);
  return edgesOf(application, workflow).flatMap((targets, from) =>
    targets.map((to) => `${workflow.name(from)}>${workflow.name(to)}`),
  );
}

const errors = (problems: ReturnType<typeof read>["problems"]) =>
  problems.filter(({ severity }) => severity === "error");
const texts = (files: TaskTemplate["inputs"]): string[] =>
  files.map((template) => template.map((piece) => ("text" in piece ? piece.text : `$${piece.variable}`)).join(""));
const text = (template: TaskTemplate["executable"] | undefined): string => texts([template ?? []])[0]!;

const one = "executable = /bin/true\n";

describe("the thesis' diamond (Table C.1)", () => {
  it("in Figures C.2 and C.3: four programs, their files and the four edges", () => {
    const { application, problems } = readExample("thesis/", "first_example.dag");
    expect(errors(problems)).toEqual([]);
    expect(edges(application).sort()).toEqual(["A>B", "A>C", "B>D", "C>D"]);
    const d = application.groups[3]!.task;
    expect(texts(d.inputs)).toEqual(["D.exe", "B.out", "C.out"]);
    expect(texts(d.outputs)).toEqual(["final.out"]);
    expect(text(d.stdout)).toBe("final.out");
    expect(text(application.groups[0]!.task.stdin)).toBe("test.data");
  });

  it("in Figure C.4: one submit file, files told apart by $(cluster)", () => {
    const { application, problems } = readExample("thesis/", "second_example.dag");
    expect(errors(problems)).toEqual([]);
    expect(edges(application).sort()).toEqual(["A>B", "A>C", "B>D", "C>D"]);
    expect(application.groups.map(({ task }) => text(task.stdout))).toEqual([
      "dag.out.1",
      "dag.out.2",
      "dag.out.3",
      "dag.out.4",
    ]);
  });

  it("is recognised by its content", () => {
    expect(dagman.detect(example("thesis/first_example.dag"))).toBe(true);
    expect(dagman.detect("graph loosely-coupled\ntask -e a -o b")).toBe(false);
    expect(dagman.detect("EXECUTABLE = x")).toBe(false);
    expect(dagman.detect("DONE A\n", "x.dag.rescue001")).toBe(true);
  });
});

describe("the examples", () => {
  it.each(["diamond.dag", "twice.dag"])("%s is read without an error", (file) => {
    const { application, problems } = readExample("", file);
    expect(problems).toEqual([]);
    expect(buildWorkflow(application).problems.filter(({ severity }) => severity === "error")).toEqual([]);
  });
});

describe("nodes", () => {
  it("have what the commands say about them, in any case of letters and before the JOB too", () => {
    const { application, problems } = read(
      [
        'vars A x="1 \\"two\\" \\\\"',
        "Retry a1 3 unless-exit 7",
        "job A s.sub done",
        "JOB a1 s.sub",
        "Script Pre a1 fetch.sh $JOB $RETRY",
        "SCRIPT POST a1 check.sh $RETURN",
        "PRIORITY a1 -5",
        "CATEGORY a1 big",
        "MAXJOBS big 3",
      ].join("\n"),
      { "s.sub": `${one}arguments = $(x:none)\nqueue` },
    );
    expect(problems).toEqual([]);
    const [a, a1] = application.groups.map(({ task }) => task);
    expect(a).toMatchObject({ done: true });
    expect(text(a!.arguments)).toBe("1 '\"two\"' '\\'");
    expect(a1).toMatchObject({ retries: { times: 3, unlessExit: 7 }, priority: -5, category: "big", done: false });
    expect(text(a1!.before)).toBe("fetch.sh a1 $RETRY");
    expect(text(a1!.afterwards)).toBe("check.sh $RETURN");
    expect(application.categoryLimits).toEqual({ big: 3 });
  });

  it("bring along the scripts that are files, and run them in the node's directory", () => {
    const { application } = read(
      [
        "JOB A s.sub",
        "SCRIPT PRE A ./fetch.sh x",
        "SCRIPT POST A test -s out",
        "JOB B s.sub DIR d",
        "SCRIPT POST B check.sh 'a b'",
      ].join("\n"),
      { "s.sub": `${one}queue`, "d/s.sub": `${one}queue` },
    );
    const [a, b] = application.groups.map(({ task }) => task);
    expect(a!.inputs.map(text)).toEqual(["fetch.sh"]);
    expect(text(a!.afterwards)).toBe("test -s out");
    expect(b!.inputs.map(text)).toEqual(["d/check.sh"]);
    const line = "cd d && chmod +x ./check.sh && exec ./check.sh 'a b'";
    expect(splitWords(text(b!.afterwards) ?? "")).toEqual(["/bin/sh", "-c", line]);
  });

  it("may be addressed all at once", () => {
    const { application } = read(`JOB A {\n${one}}\nJOB B {\n${one}}\nRETRY ALL_NODES 2\nPRIORITY ALL_NODES 4`);
    expect(application.groups.map(({ task }) => [task.retries?.times, task.priority])).toEqual([
      [2, 4],
      [2, 4],
    ]);
  });

  it("that do nothing (NOOP) still stand between others", () => {
    const { application, problems } = read(
      `JOB A {\n${one}}\nJOB B none.sub NOOP\nJOB C {\n${one}}\nPARENT A CHILD B\nPARENT B CHILD C`,
    );
    expect(problems).toEqual([]);
    expect(application.groups[1]!.task).toMatchObject({ shell: true, done: false });
    expect(edges(application)).toEqual(["A>B", "B>C"]);
  });

  it("in a directory run there, and their files are there", () => {
    const files = { "run1/s.sub": "executable = prog\noutput = out.txt\ntransfer_input_files = in.txt\nqueue" };
    const { application, problems } = read("JOB A s.sub DIR run1", files);
    expect(problems).toEqual([]);
    const { task } = application.groups[0]!;
    expect(text(task.executable)).toBe("cd run1 && chmod +x ./prog && exec ./prog");
    expect(texts(task.inputs)).toEqual(["run1/prog", "run1/in.txt"]);
    expect(texts(task.outputs)).toEqual(["run1/out.txt"]);
  });

  it("may be DATA, or FINAL, which nothing waits for", () => {
    const { application, problems } = read(`DATA D {\n${one}}\nFINAL F {\n${one}}`);
    expect(problems).toEqual([]);
    expect(application.finalTask).toBe("F");
    expect(errors(read(`JOB A {\n${one}}\nFINAL F {\n${one}}\nPARENT A CHILD F`).problems)[0]?.code).toBe(
      "dagman/final-dependency",
    );
  });

  it("depend many on many, over continued lines", () => {
    const dag = ["A", "B", "C", "D"].map((name) => `JOB ${name} {\n${one}}`).join("\n");
    const { application } = read(`${dag}\nPARENT A B \\\n  CHILD \\\n C D`);
    expect(edges(application)).toEqual(["A>C", "A>D", "B>C", "B>D"]);
  });
});

describe("DAGs within DAGs", () => {
  const inner = `JOB X {\n${one}}\nJOB Y {\n${one}}\nPARENT X CHILD Y\nCATEGORY X mine\nCATEGORY Y +all`;
  it.each(["SPLICE S inner.dag", "SUBDAG EXTERNAL S inner.dag"])("%s brings its nodes in under its name", (line) => {
    const dag = `JOB A {\n${one}}\n${line}\nJOB B {\n${one}}\nPARENT A CHILD S\nPARENT S CHILD B\nRETRY S+X 4`;
    const { application, problems } = read(dag, { "inner.dag": inner });
    expect(problems).toEqual([]);
    expect(edges(application).sort()).toEqual(["A>S+X", "S+X>S+Y", "S+Y>B"]);
    expect(application.groups.map(({ task }) => task.category)).toEqual([undefined, "S+mine", "all", undefined]);
    expect(application.groups[1]!.task.retries).toEqual({ times: 4 });
  });

  it("include files as if they were written there", () => {
    const { application } = read("INCLUDE x.dag\nRETRY X 1", { "x.dag": inner });
    expect(application.groups[0]!.task.retries).toEqual({ times: 1 });
  });

  it.each(["INCLUDE", "SPLICE S", "SUBDAG EXTERNAL S"])("that contain themselves by %s are refused", (how) => {
    const { problems } = read(`${how} a.dag`, { "a.dag": `${how} b.dag`, "b.dag": `${how} a.dag` });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: "dagman/file-cycle", at: { line: 1 } });
  });

  it("that would give too many nodes are refused in time", () => {
    const files: Files = {};
    for (let i = 0; i < 15; i++) {
      files[`${i}.dag`] = Array.from({ length: 10 }, (_, s) => `SPLICE s${s} ${i + 1}.dag`).join("\n");
    }
    files["15.dag"] = "JOB x y NOOP";
    expect(read("SPLICE a 0.dag", files).problems.some(({ code }) => code === "dagman/too-many-files")).toBe(true);
  });
});

describe("submit descriptions", () => {
  const task = (description: string, files: Files = {}) => {
    const { application, problems } = read("JOB A s.sub", { "s.sub": description, ...files });
    return { task: application.groups[0]?.task, groups: application.groups, problems };
  };

  it.each([
    ["one two  three", "one two three"],
    ['a \\"quoted\\"', "a '\"quoted\"'"],
    [`"one 'two three' 'it''s' ""q"""`, `one 'two three' 'it'\\''s' '"q"'`],
    ['""', ""],
  ])("give arguments in the old and the new syntax: %s", (written, words) => {
    const { task: made, problems } = task(`${one}arguments = ${written}\nqueue`);
    expect(problems).toEqual([]);
    expect(text(made!.arguments)).toBe(words);
  });

  it.each([["A=1;B=two words; C="], [`"A=1 B='two words' C="`]])(
    "give the environment in both syntaxes: %s",
    (written) => {
      const { task: made, problems } = task(`${one}environment = ${written}\nqueue`);
      expect(problems).toEqual([]);
      expect(made!.environment!.map(({ name, value }) => [name, text(value)])).toEqual([
        ["A", "1"],
        ["B", "two words"],
        ["C", ""],
      ]);
    },
  );

  it("give resources, requirements and rank", () => {
    const { task: made, problems } = task(
      `${one}request_cpus = 4\nrequest_memory = 2 GB\nrequest_disk = 2048\nrequest_gpus = 1\nrequirements = (Arch == "X86_64") && $(more)\nmore = Memory > 100\nrank = KFlops\npriority = 3\nqueue`,
    );
    expect(problems).toEqual([]);
    expect(made).toMatchObject({
      resources: { cores: 4, memoryBytes: 2 * 1024 ** 3, diskBytes: 2048 * 1024, gpus: 1 },
      requirement: { text: '(Arch == "X86_64") && Memory > 100' },
      rank: { text: "KFlops" },
      priority: 3,
    });
  });

  it("that queue several tasks stay folded", () => {
    const { groups, problems } = task(`${one}arguments = $(Process)\noutput = out.$(ProcId)\nqueue 1000`);
    expect(problems).toEqual([]);
    expect(groups).toHaveLength(1);
    expect(groups[0]!.loops).toEqual([{ variable: "Process", values: { from: 0, to: 999, step: 1 } }]);
    expect(text(groups[0]!.task.name)).toBe("A.$Process");
    expect(text(groups[0]!.task.stdout)).toBe("out.$Process");
  });

  it("that queue several tasks are waited for by all and wait with all", () => {
    const { application } = read("JOB A s.sub\nJOB B t.sub\nPARENT A CHILD B", {
      "s.sub": `${one}queue 3`,
      "t.sub": `${one}queue 2`,
    });
    expect(edges(application)).toHaveLength(6);
    expect(edges(application)).toContain("A.2>B.1");
  });

  it("unfold tasks whose requirements differ", () => {
    const { groups } = task(`${one}requirements = Slot == $(Process)\nqueue 3`);
    expect(groups.map(({ task: { requirement } }) => requirement?.text)).toEqual([
      "Slot == 0",
      "Slot == 1",
      "Slot == 2",
    ]);
  });

  it("queue the items of a list", () => {
    const { groups, problems } = task(`${one}arguments = $(f) $(n)\nqueue f,n from (\n a.txt, 1\n b.txt 2\n)\n`);
    expect(problems).toEqual([]);
    expect(groups.map(({ task: made }) => text(made.arguments))).toEqual(["a.txt 1", "b.txt 2"]);
    expect(task(`${one}arguments = $(Item)\nqueue in (x, y z)`).groups).toHaveLength(3);
  });

  it("have conditions, included files and values that build on themselves", () => {
    const { task: made, problems } = task(
      `${one}include : more.inc\nif defined x\n args = yes\nelif true\n args = maybe\nelse\n args = no\nendif\nargs = $(args) $(y)\nqueue`,
      { "more.inc": "x = 1\ny = $(z)\nz = 3" },
    );
    expect(problems).toEqual([]);
    expect(text(made!.arguments)).toBe("yes 3");
  });

  it("say once what is not kept, naming it and its place", () => {
    const { application, problems } = read("JOB A s.sub\nJOB B s.sub", {
      "s.sub": `${one}log = x.log\n+Project = "p"\nqueue`,
    });
    expect(application.groups).toHaveLength(2);
    expect(problems.map((problem) => [problem.severity, sentenceOf(problem).split(" is not")[0]])).toEqual([
      ["warning", "s.sub:2:7: `log`"],
      ["warning", "s.sub:3:12: `+Project`"],
    ]);
    expect(problems[0]!.at).toMatchObject({ line: 1, column: 7 });
  });

  it("with macros that never end are refused", () => {
    const bomb = Array.from({ length: 25 }, (_, i) => `a${i} = $(a${i + 1})$(a${i + 1})$(a${i + 1})`).join("\n");
    for (const description of ["a = $(b)\nb = $(a)\narguments = $(a)", `${bomb}\na25 = xxxxxxxx\narguments = $(a0)`]) {
      expect(task(`${one}${description}\nqueue`).problems[0]).toMatchObject({
        severity: "error",
        code: "dagman/endless-macro",
      });
    }
  });
});

describe("errors", () => {
  it.each([
    ["JOB A missing.sub", "missing-file", 7, /missing\.sub.*line 1/],
    ["JOB A", "incomplete", 1, /submit file/],
    ["JOB PARENT x", "reserved-name", 5, /PARENT/],
    ["JOB A x NOOP\nJOB A x NOOP", "duplicate-name", 5, /A/],
    ["JOB A x NOOP\nPARENT A", "incomplete", 1, /CHILD/],
    ["JOB Align x NOOP\nPARENT Align CHILD Algin", "unknown-node", 20, /Align/],
    ["JOBB A x", "unknown-command", 1, /JOB\?/],
    ["JOB A x NOOP\nRETRY A often", "not-a-number", 9, /often/],
    ["JOB A x NOOP\nRETRY A 1 UNLESS", "unknown-option", 11, /UNLESS-EXIT/],
    ["JOB A x NOOP\nVARS A x=1", "bad-vars", 8, /name="value"/],
    ["JOB A x NOOP FAST", "unknown-option", 14, /FAST/],
    ["JOB A x NOOP DIR", "missing-directory", 14, /directory/],
    ["JOB A x NOOP\nSCRIPT DURING A x", "script-when", 8, /PRE/],
    ["JOB A {\nexecutable = x", "unclosed-brace", 7, /}/],
    ["JOB A {\nqueue\n}", "missing-executable", 1, /executable/],
    ['JOB A {\nexecutable = /x\narguments = "a \'b"\n}', "bad-arguments", 13, /single quote/],
    ["JOB A {\nexecutable = /x\nrequirements = a &&\n}", "bad-expression", 16, /requirements/],
    ["JOB A {\nexecutable = /x\nnonsense\n}", "bad-submit-line", 1, /name = value/],
    ["JOB A {\nexecutable = /x\nif true\n}", "unclosed-if", 1, /endif/],
    ["SPLICE S gone.dag", "missing-file", 10, /gone\.dag/],
    ["INCLUDE gone.dag", "missing-file", 9, /gone\.dag/],
    ["JOB A x NOOP\nREJECT", "rejected", 1, /REJECT/],
    ["FINAL A x NOOP\nFINAL B x NOOP", "two-finals", 1, /A/],
    ["CONNECT A B", "unsupported", 1, /CONNECT/],
  ])("%j", (dag, code, column, message) => {
    const { problems } = read(dag);
    const [problem] = errors(problems);
    expect(problem).toMatchObject({ code: `dagman/${code}`, at: { column } });
    expect(problem!.message).toMatch(message);
  });

  it("are all told, each at its line", () => {
    const { problems } = read("JOB A a.sub\nFOO\nJOB B b.sub\nPARENT A CHILD Z");
    expect(errors(problems).map(({ at }) => at?.line)).toEqual([1, 2, 3, 4]);
  });

  it("what DAGMan knows and a workflow here does not is a warning with its name", () => {
    const { problems } = read('JOB A x NOOP\nPRE_SKIP A 3\nDOT x.dot\nCONFIG c\nABORT-DAG-ON A 1\nVARS A My.x="1"');
    expect(problems.map(({ severity, at }) => [severity, at?.line])).toEqual(
      [2, 3, 4, 5, 6].map((line) => ["warning", line]),
    );
    expect(problems[0]!.message).toContain("PRE_SKIP");
  });
});
