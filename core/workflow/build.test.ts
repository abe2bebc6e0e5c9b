import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Problem } from "@/core/problem";
import type { Application, TaskGroup } from "./application";
import { buildWorkflow } from "./build";
import { checkWorkflow } from "./check";
import type { Workflow } from "./workflow";

function edgesOf(workflow: Workflow): [number, number][] {
  const { offsets, targets } = workflow.successors;
  const edges: [number, number][] = [];
  for (let task = 0; task < workflow.taskCount; task++) {
    for (let e = offsets[task]!; e < offsets[task + 1]!; e++) edges.push([task, targets[e]!]);
  }
  return edges;
}

function predecessorEdges(workflow: Workflow): [number, number][] {
  const { offsets, targets } = workflow.predecessors;
  const edges: [number, number][] = [];
  for (let task = 0; task < workflow.taskCount; task++) {
    for (let e = offsets[task]!; e < offsets[task + 1]!; e++) edges.push([targets[e]!, task]);
  }
  return edges.sort(([a, b], [c, d]) => a - c || b - d);
}

function task(name: string, inputs: string[], outputs: string[]): TaskGroup {
  const plain = (text: string) => [{ text, quoted: true }];
  return {
    loops: [],
    task: {
      name: plain(name),
      executable: plain("p"),
      shell: false,
      arguments: [],
      inputs: inputs.map(plain),
      outputs: outputs.map(plain),
      weight: 1,
      done: false,
    },
  };
}

it("tells once that two tasks write a file, however often one of them names it", () => {
  const { problems } = checkWorkflow("task a -e p -o x\ntask b -e p -o x y x z x\n");
  expect(problems.map(({ code }) => code)).toEqual(["workflow/two-producers"]);
});

describe("tasks marked done", () => {
  const text =
    "task a -e p -i gone -o a.out done\ntask b -e p -i a.out -o b.out done\ntask c -e p -i a.out b.out -o c.out\n";

  it("need nothing, and what they wrote for others must be provided", () => {
    const { workflow } = checkWorkflow(text);
    expect(workflow?.externalInputs).toEqual([
      { source: "a.out", name: "a.out", neededBy: 2 },
      { source: "b.out", name: "b.out", neededBy: 2 },
    ]);
    expect(workflow?.fileCount).toBe(3);
    const { problems } = checkWorkflow(text, undefined, new Set(["a.out"]));
    expect(problems.map(({ message }) => message)).toEqual([
      'The input "b.out" of task "c" is missing: task "b", which writes it, is marked done, and the file is not provided.',
    ]);
  });

  it("need nothing in loops either", () => {
    const loop =
      "foreach i in 1..3 { task a${i} -e p -i in${i} -o x${i} done }\nforeach i in 1..3 { task b${i} -e p -i x${i} }";
    expect(checkWorkflow(loop).workflow?.externalInputs.map(({ name }) => name)).toEqual(["x1", "x2", "x3"]);
  });
});

describe("inference", () => {
  it("finds the edges a comparison of every pair finds", () => {
    const files = fc.uniqueArray(fc.constantFrom(..."abcdefghijklmnop"), { maxLength: 4 });
    const tasks = fc.array(fc.record({ reads: files, writes: files }), { maxLength: 25 });
    fc.assert(
      fc.property(tasks, (described) => {
        const written = new Set<string>();
        const single = described.map(({ reads, writes }) => {
          const own = writes.filter((file) => !written.has(file));
          for (const file of own) written.add(file);
          return { reads: reads.filter((file) => !own.includes(file)), writes: own };
        });
        const expected: [number, number][] = [];
        single.forEach((from, i) => {
          single.forEach((to, j) => {
            if (i !== j && to.reads.some((file) => from.writes.includes(file))) expected.push([i, j]);
          });
        });
        const groups = single.map(({ reads, writes }, i) => task(`t${i}`, reads, writes));
        const { workflow } = buildWorkflow({ groups, transient: [] });
        expect(edgesOf(workflow)).toEqual(expected);
        expect(predecessorEdges(workflow)).toEqual(expected);
        const read = single.flatMap(({ reads }) => reads);
        const external = [...new Set(read)].filter((file) => !written.has(file)).sort();
        expect(workflow.externalInputs.map(({ name }) => name)).toEqual(external);
        expect(workflow.fileCount).toBe(new Set([...read, ...written]).size);
      }),
    );
  });

  it("draws one edge however many files go along it", () => {
    const { workflow } = buildWorkflow({
      groups: [task("a", [], ["x", "y"]), task("b", ["x", "y"], [])],
      transient: [],
    });
    expect(edgesOf(workflow)).toEqual([[0, 1]]);
  });

  it("connects folded groups element by element", () => {
    const text = "foreach i in 1..3 {\n task a${i} -e p -o ${i}.mid\n task b${i} -e p -i ./${i}.mid\n}";
    const { workflow } = checkWorkflow(text);
    expect(edgesOf(workflow!).map((edge) => edge.map((end) => workflow!.name(end)).join(" "))).toEqual([
      "a1 b1",
      "a2 b2",
      "a3 b3",
    ]);
  });
});

describe("the class of a graph", () => {
  const classOf = (text: string): string | undefined => checkWorkflow(text).workflow?.class;

  it.each([
    ["independent", "foreach i in 1..3 { task -e p -o ${i} }"],
    ["pipeline", "task a -e p -o 1\ntask b -e p -i 1 -o 2\ntask c -e p -i 2\ntask x -e p -o 3\ntask y -e p -i 3"],
    ["phases", "task a -e p -o 1\ntask b -e p -i 1 -o 2\ntask c -e p -i 1 -o 3\ntask d -e p -i 2 3"],
    ["tightly-coupled", "task a -e p -o 1\ntask b -e p -i 1 -o 2\ntask c -e p -i 1 2"],
  ])("is %s", (expected, text) => {
    expect(classOf(text)).toBe(expected);
  });

  it("contradicts a wrong hint where it stands", () => {
    const { problems, workflow } = checkWorkflow("\ngraph independent\ntask a -e p -o 1\ntask b -e p -i 1");
    expect(problems).toMatchObject([{ severity: "warning", code: "workflow/wrong-hint", at: { line: 2 } }]);
    expect(workflow).toMatchObject({ class: "pipeline", hint: "independent" });
  });
});

describe("problems of a whole", () => {
  const problemsOf = (text: string, provided: string[] = []): Problem[] =>
    checkWorkflow(text, undefined, new Set(provided)).problems;

  it("names both producers of a file, and both places", () => {
    const [problem, ...others] = problemsOf("task a -e p -o x\n\ntask b -e p -o x");
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code: "workflow/two-producers", task: "b", at: { line: 3 } });
    expect(problem?.message).toBe('Two tasks write "x": "a" (in line 1) and "b". Each file has one producer.');
  });

  it("tells of a file that every turn of a loop writes without telling it a million times", () => {
    expect(problemsOf("foreach i in 1..100000 { task ${i} -e p -o same }")).toHaveLength(5);
  });

  it("names the tasks of a cycle in order", () => {
    const problems = problemsOf(
      "task s -e p -o 0\ntask a -e p -i 0 3 -o 1\ntask b -e p -i 1 -o 2\ntask c -e p -i 2 -o 3\ntask after -e p -i 3",
    );
    expect(problems.map(({ message }) => message)).toEqual([
      "These tasks wait for each other in a circle: a → b → c → a.",
    ]);
    expect(problems[0]?.at?.line).toBe(2);
  });

  it("finds separate cycles", () => {
    const text = "task a -e p -i 2 -o 1\ntask b -e p -i 1 -o 2\ntask c -e p -i 4 -o 3\ntask d -e p -i 3 -o 4";
    expect(problemsOf(text).map(({ code }) => code)).toEqual(["workflow/cycle", "workflow/cycle"]);
  });

  it("says so if a task reads what it writes", () => {
    expect(problemsOf("task a -e p -i x -o x")).toMatchObject([{ code: "workflow/cycle", task: "a" }]);
  });

  it("finds names given twice, also by counting", () => {
    expect(problemsOf("task a -e p\ntask a -e q")).toMatchObject([
      { code: "workflow/duplicate-name", at: { line: 2 } },
    ]);
    expect(problemsOf("task 2 -e p\ntask -e q")).toMatchObject([{ code: "workflow/duplicate-name", at: { line: 2 } }]);
    expect(problemsOf("task -e p\ntask 2 -e q")).toEqual([]);
  });

  it("finds two different files under one name", () => {
    const text = "task a -e p -i /one/x\ntask b -e p -i /two/x\ntask c -e p -i /one/x";
    expect(problemsOf(text, ["/one/x", "/two/x"])).toMatchObject([{ code: "workflow/same-destination", task: "b" }]);
    expect(problemsOf("task a -e p -o x\ntask b -e p -i /one/x", ["/one/x"])).toMatchObject([
      { code: "workflow/same-destination", task: "b" },
    ]);
  });

  it("names the missing file, the task and its place, unless it is provided under either name", () => {
    const text = "task a -e p\n -i /home/me/x.dat y.dat";
    const [first, second] = problemsOf(text);
    expect(first?.message).toBe(
      'The input "/home/me/x.dat" of task "a" is missing: no task writes it, and it is not provided.',
    );
    expect(second).toMatchObject({ code: "workflow/missing-input", task: "a", at: { line: 1, column: 1 } });
    expect(problemsOf(text, ["x.dat", "y.dat"])).toEqual([]);
    expect(problemsOf(text, ["/home/me/x.dat", "y.dat"])).toEqual([]);
    expect(checkWorkflow(text).problems).toEqual([]);
  });

  it("does not report as missing what a broken task would have written", () => {
    expect(problemsOf("task a -o x\ntask b -e p -i x").map(({ code }) => code)).toEqual(["gridadl/missing-executable"]);
  });

  it("warns only of arguments that are undeclared and look like files", () => {
    const arguments_ = '"-n 5 --file=x.txt 3.14 v1.2 example.org s/a.b/c/ declared.dat made.out forgotten.csv"';
    const problems = problemsOf(`task a -e p -a ${arguments_} -i declared.dat -o made.out`, ["declared.dat"]);
    expect(problems.map(({ message }) => message.split('"')[1])).toEqual(["forgotten.csv"]);
    expect(problemsOf('task a -e "sort forgotten.csv > x" -o x')).toEqual([]);
  });

  it("warns of a transient file that nobody writes", () => {
    expect(problemsOf("task a -e p -o x\ntransient x y")).toMatchObject([
      { severity: "warning", code: "workflow/transient-without-producer", at: { line: 2 } },
    ]);
  });

  it("wants at least one task", () => {
    const checked = checkWorkflow("# nothing\n");
    expect(checked.problems).toMatchObject([{ code: "workflow/empty" }]);
    expect(checked.workflow).toBeUndefined();
  });
});

describe("a workflow", () => {
  it("survives being stored as JSON", () => {
    const { application } = checkWorkflow(
      'foreach i in {"a b";c} {\n task ${i} -e p -o "${i}.x"\n task -e q -i "${i}.x"\n}',
    );
    const stored: Application = JSON.parse(JSON.stringify(application));
    const describeAll = (from: Application): unknown[] => {
      const { workflow } = buildWorkflow(from);
      return Array.from({ length: workflow.taskCount }, (_, i) => workflow.task(i));
    };
    expect(describeAll(stored)).toEqual(describeAll(application));
    expect(describeAll(stored)).toHaveLength(4);
  });

  it("says where each task is described", () => {
    const { workflow } = checkWorkflow("task a -e p\n\n  task b -e p -o x\n    -i y");
    expect(workflow?.placeOf(1)).toEqual({ line: 3, column: 3, endLine: 4, endColumn: 9 });
  });
});
