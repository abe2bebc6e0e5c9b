/** Loops are kept folded where their patterns allow it; nothing but speed may depend on it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Application, Loop, Template } from "./application";
import { buildWorkflow } from "./build";
import { checkWorkflow } from "./check";
import { NamePattern, placeholderBindings } from "./name-pattern";
import { TaskNumbering } from "./numbering";

const literal = fc.constantFrom("a", "b", "a1", "1", "-", ".", "x/", "./", "/d/", "0");
const piece = fc.oneof(
  literal.map((text) => ({ text, quoted: true })),
  fc.constantFrom("i", "j").map((variable) => ({ variable, quoted: true })),
);
const template: fc.Arbitrary<Template> = fc.array(piece, { minLength: 1, maxLength: 4 });
const values: fc.Arbitrary<Loop["values"]> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ from: fc.nat(12), to: fc.nat(14), step: fc.constantFrom(1, 2, 3) }) },
  { weight: 1, arbitrary: fc.constant({ from: -1, to: 2, step: 1 }) },
  { weight: 1, arbitrary: fc.uniqueArray(fc.constantFrom("1", "a", "2x"), { minLength: 1 }) },
);
const group = fc.record({
  i: values,
  j: fc.option(values, { nil: undefined }),
  name: fc.option(template, { nil: undefined }),
  inputs: fc.array(template, { maxLength: 2 }),
  outputs: fc.array(template, { maxLength: 2 }),
});

function applicationOf(groups: (typeof group extends fc.Arbitrary<infer T> ? T : never)[]): Application {
  return {
    transient: [],
    groups: groups.map(({ i, j, name, inputs, outputs }) => {
      const loops: Loop[] = [{ variable: "i", values: i }];
      loops.push({ variable: "j", values: j ?? ["7"] });
      const executable = [{ text: "p", quoted: true }];
      const task = { executable, shell: false, arguments: [], inputs, outputs, weight: 1, done: false };
      return { loops, task: name ? { name, ...task } : task };
    }),
  };
}

/** Every task a group of its own, no loop left. */
function opened(application: Application): Application {
  const numbering = new TaskNumbering(application);
  const fill = (holes: Template, bindings: ReadonlyMap<string, string>): Template =>
    holes.map((part) => ("text" in part ? part : { text: bindings.get(part.variable)!, quoted: part.quoted }));
  const groups = Array.from({ length: numbering.taskCount }, (_, number) => {
    const { task } = numbering.groupOf(number);
    const bindings = numbering.bindings(number);
    const inputs = task.inputs.map((file) => fill(file, bindings));
    const outputs = task.outputs.map((file) => fill(file, bindings));
    const single = { ...task, inputs, outputs };
    return { loops: [], task: task.name ? { ...single, name: fill(task.name, bindings) } : single };
  });
  return { ...application, groups };
}

describe("a folded workflow", () => {
  it("is the same as the one with every loop opened", () => {
    fc.assert(
      fc.property(fc.array(group, { maxLength: 3 }), (groups) => {
        const application = applicationOf(groups);
        const folded = buildWorkflow(application);
        const open = buildWorkflow(opened(application));
        expect(folded.workflow.successors).toEqual(open.workflow.successors);
        expect(folded.workflow.predecessors).toEqual(open.workflow.predecessors);
        expect(folded.workflow.fileCount).toBe(open.workflow.fileCount);
        expect(folded.workflow.externalInputs).toEqual(open.workflow.externalInputs);
        const codes = (problems: { code: string }[]) => [...new Set(problems.map(({ code }) => code))].sort();
        expect(codes(folded.problems)).toEqual(codes(open.problems));
        for (let task = 0; task < open.workflow.taskCount; task++) {
          for (const file of open.workflow.task(task).outputs) {
            expect(folded.workflow.producerOf(file)).toBe(open.workflow.producerOf(file));
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("knows its transient files without listing them", () => {
    const text = "foreach i in 1..900000 {\n task -e p -o t${i}.tmp r${i}\n transient t${i}.tmp\n}";
    const { workflow, problems } = checkWorkflow(text);
    expect(problems).toEqual([]);
    expect(["t1.tmp", "t900000.tmp", "t0.tmp", "t900001.tmp", "r1"].map((file) => workflow?.isTransient(file))).toEqual(
      [true, true, false, false, false],
    );
  });

  it("finds the one name among many that meets another", () => {
    const loop = "foreach i in 1..90000 { task t${i} -e p -o out${i} }\n";
    expect(checkWorkflow(`${loop}task t77 -e p`).problems).toMatchObject([{ code: "workflow/duplicate-name" }]);
    expect(checkWorkflow(`${loop}task x -e p -o out90000`).problems).toMatchObject([
      { code: "workflow/two-producers" },
    ]);
    const { workflow } = checkWorkflow(`${loop}task x -e p -i out0 out5`);
    expect([...(workflow?.predecessors.targets ?? [])]).toEqual([4]);
    expect(workflow?.externalInputs).toEqual([{ source: "out0", name: "out0", neededBy: 90_000 }]);
  });
});

describe("a pattern of names", () => {
  const loops: Loop[] = [
    { variable: "i", values: { from: 0, to: 120, step: 1 } },
    { variable: "j", values: { from: 5, to: 15, step: 5 } },
  ];
  const pattern = (name: string): NamePattern => {
    const bindings = placeholderBindings({ loops });
    const filled = name.replace(/[ij]/g, (variable) => bindings?.get(variable) ?? "");
    const made = NamePattern.of(filled, loops);
    if (!made) throw new Error(`${name} makes no pattern`);
    return made;
  };

  it("finds the element that gives a name", () => {
    expect(pattern("a5i-5j").positions("a5105-510")).toEqual([105, 1]);
    expect(pattern("i5-j").positions("105-15")).toEqual([10, 2]);
    expect(pattern("i-j-i").positions("7-5-7")).toEqual([7, 0]);
    for (const other of ["7-5-8", "7-6-7", "07-5-7", "121-5-121", "-5-7", "7-5-7x"]) {
      expect(pattern("i-j-i").positions(other)).toBeUndefined();
    }
  });

  it("knows which can never meet", () => {
    expect(pattern("outi").isApartFrom(pattern("outi.log"))).toBe(true);
    expect(pattern("out1i").isApartFrom(pattern("outi"))).toBe(false);
    expect(pattern("i-j").isApartFrom(pattern("j-i"))).toBe(false);
    expect(pattern("ai.b").isApartFrom(pattern("bi.b"))).toBe(true);
  });
});
