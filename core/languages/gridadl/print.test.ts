import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Application, Loop, Piece, TaskGroup, TaskTemplate, Template } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import { parseGridAdl } from ".";
import { printGridadl } from "./print";

/** Without places, and with pieces as the parser makes them: neighbours of one kind joined, nothing empty. */
function normal(application: Application): unknown {
  const template = (pieces: Template): Template => {
    const joined: Piece[] = [];
    for (const piece of pieces) {
      const last = joined.at(-1);
      if ("text" in piece && piece.text === "") continue;
      if (last && "text" in last && "text" in piece && last.quoted === piece.quoted) {
        joined[joined.length - 1] = { text: last.text + piece.text, quoted: piece.quoted };
      } else joined.push(piece);
    }
    return joined;
  };
  return JSON.parse(
    JSON.stringify(application, (key, value) => {
      if (["at", "hintAt", "finalTaskAt"].includes(key)) return undefined;
      const isTemplate = ["name", "executable", "arguments"].includes(key) && Array.isArray(value);
      if (isTemplate) return template(value);
      return ["inputs", "outputs", "files"].includes(key) ? value.map(template) : value;
    }),
  );
}

const text = fc.oneof(
  fc.constantFrom("a", "out.dat", "x/y-1", "-n", "done", "a b", "p;q", " ", "'", '"', "\\", "\\;", "$", "{", "${HOME}"),
  fc.constantFrom("${GW_ARCH}", "#", "é ü", "“", "a  b", "5", "=", "\\${", "text1"),
  fc.string({ minLength: 1, maxLength: 6 }).filter((made) => !/[\n\r\f\v\u00a0\ufeff]/.test(made)),
);

function templateWith(variables: readonly string[]): fc.Arbitrary<Template> {
  const texts = fc.record({ text, quoted: fc.boolean() });
  const holes = variables.map((variable) => fc.record({ variable: fc.constant(variable), quoted: fc.boolean() }));
  return fc.array(fc.oneof(texts, texts, ...holes), { minLength: 1, maxLength: 4 });
}

/** What a program is, is read off its text: only such a task can be written that the reading agrees with. */
function taskWith(variables: readonly string[]): fc.Arbitrary<TaskTemplate> {
  const template = templateWith(variables);
  const plainArguments = fc.array(fc.constantFrom("-n 5", "x", "--all", "a  b"), { maxLength: 2 });
  return fc
    .record({
      name: fc.option(template, { nil: undefined }),
      program: fc.constantFrom("p", "/bin/run", "run > x", "a b"),
      bare: fc.boolean(),
      arguments: plainArguments.map((words) => words.map((word, i) => ({ text: word, quoted: i === 0 }))),
      inputs: fc.array(template, { maxLength: 2 }),
      outputs: fc.array(template, { maxLength: 2 }),
      weight: fc.constantFrom(1, 0, 2.5, 1e-7, 1e21),
      done: fc.boolean(),
      requirement: fc.constantFrom(undefined, "Memory >= 512", 'Arch == "X86_64" && member(1, {1, 2})'),
    })
    .map(({ name, program, bare, requirement, ...rest }) => {
      const shell = !bare && /[ >]/.test(program);
      const task: TaskTemplate = { ...rest, executable: [{ text: program, quoted: !bare }], shell };
      if (name) task.name = name;
      if (requirement !== undefined) task.requirement = { text: requirement };
      return task;
    });
}

const loopValues: fc.Arbitrary<Loop["values"]> = fc.oneof(
  fc.record({
    from: fc.integer({ min: -5, max: 5 }),
    to: fc.integer({ min: 6, max: 9 }),
    step: fc.constantFrom(1, 2, 3),
  }),
  fc.constant({ from: 5, to: 1, step: -2 }),
  fc.array(listable(), { minLength: 1, maxLength: 3 }),
);

/** What can be an item of a list. */
function listable(): fc.Arbitrary<string> {
  return text.filter((value) => !/\\;|\\$/.test(value));
}

type Tree = { task: TaskTemplate } | { values: Loop["values"]; body: Tree[] };

function treeWith(variables: readonly string[], depth: number): fc.Arbitrary<Tree> {
  const task = taskWith(variables).map((made): Tree => ({ task: made }));
  if (depth === 0) return task;
  const body = fc.array(treeWith([...variables, `v${depth}`], depth - 1), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    task,
    fc.record({ values: loopValues, body }).map((loop): Tree => loop),
  );
}

/** The model of nested loops, made without the parser. */
function applicationOf(trees: readonly Tree[], extra: Partial<Application>): Application {
  const groups: { group: TaskGroup; first: number; strides: number[] }[] = [];
  const walk = (body: readonly Tree[], depth: number, start: number): number => {
    let next = start;
    for (const tree of body) {
      if ("task" in tree) {
        groups.push({ group: { loops: [], task: tree.task }, first: next, strides: [] });
        next += 1;
        continue;
      }
      const before = groups.length;
      const perTurn = walk(tree.body, depth - 1, next) - next;
      const { values } = tree;
      const loop: Loop = { variable: `v${depth}`, values };
      for (const made of groups.slice(before)) {
        made.group.loops.unshift(loop);
        made.strides.unshift(perTurn);
      }
      const size = Array.isArray(values) ? values.length : Math.floor((values.to - values.from) / values.step) + 1;
      next += perTurn * size;
    }
    return next;
  };
  walk(trees, 2, 0);
  let expected = 0;
  for (const { group, first, strides } of groups) {
    const sizes = group.loops.map(({ values }) =>
      Array.isArray(values) ? values.length : Math.floor((values.to - values.from) / values.step) + 1,
    );
    const dense = sizes.map((_, l) => sizes.slice(l + 1).reduce((a, b) => a * b, 1));
    if (first !== expected || dense.some((stride, l) => stride !== strides[l])) group.numbering = { first, strides };
    expected += sizes.reduce((a, b) => a * b, 1);
  }
  return { groups: groups.map(({ group }) => group), transient: [], ...extra };
}

const extras = fc.record(
  {
    dependencies: fc.array(fc.record({ before: listable(), after: listable() }), { minLength: 1, maxLength: 4 }),
    finalTask: listable(),
    hint: fc.constantFrom("independent", "loosely-coupled", "tightly-coupled"),
    requirement: fc.constantFrom({ text: 'OpSys == "LINUX" && Memory >= 512' }, { text: 'regexp("a b{2}", Machine)' }),
    transient: fc.array(
      fc.record({
        loops: loopValues.map((values) => [{ variable: "t", values }]),
        files: fc.array(templateWith(["t"]), { minLength: 1, maxLength: 2 }),
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
) satisfies fc.Arbitrary<Partial<Application>>;

describe("printing", () => {
  it("gives a text that reads back as the same application", () => {
    fc.assert(
      fc.property(fc.array(treeWith([], 2), { maxLength: 4 }), extras, (trees, extra) => {
        const application = applicationOf(trees, extra);
        const printed = printGridadl(application);
        const read = parseGridAdl(printed.text);
        expect(read.problems.filter(({ severity }) => severity === "error")).toEqual([]);
        expect(normal(read.application)).toEqual(normal(application));
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it("keeps every example as it is", () => {
    const examples = new URL("../../../examples/", import.meta.url);
    const paths = readdirSync(examples, { recursive: true, encoding: "utf8" });
    for (const path of paths.filter((name) => name.endsWith(".gadl") && !name.includes("bad"))) {
      const { application } = parseGridAdl(readFileSync(new URL(path, examples), "utf8"));
      const printed = printGridadl(application);
      expect(printed.problems).toEqual([]);
      expect(normal(parseGridAdl(printed.text).application)).toEqual(normal(application));
    }
  });

  it("writes what a person would", () => {
    const source = `graph loosely-coupled
requirement = (OpSys == "LINUX" && Memory >= 512)
foreach i in 1..9 step 2 {
  task first\${i} -e prog -a "-n \${i}" -o "out\${i}.dat"
  foreach j in {"a"; "b c"} {
    task -e "sort x > y" -i "out\${i}.dat" -c 2.5 -r "Cpus > 2" done
  }
}
foreach i in 1..9 step 2 {
  transient out\${i}.dat
}
`;
    expect(printGridadl(parseGridAdl(source).application)).toEqual({ text: source, problems: [] });
  });

  it("unfolds what no loop of the language can do", () => {
    const task = (name: string): TaskTemplate => ({
      ...{
        name: [
          { text: name, quoted: true },
          { variable: "i", quoted: true },
        ],
        shell: false,
        arguments: [],
      },
      ...{ executable: [{ text: "p", quoted: true }], inputs: [], outputs: [], weight: 1, done: false },
    });
    const loops: Loop[] = [{ variable: "i", values: ["x", ""] }];
    const application = { groups: [{ loops, task: task("a") }], transient: [] };
    const names = (made: Application): string[] => {
      const { workflow } = buildWorkflow(made);
      return Array.from({ length: workflow.taskCount }, (_, n) => workflow.name(n));
    };
    expect(names(parseGridAdl(printGridadl(application).text).application)).toEqual(["ax", "a"]);
  });

  it("names what it has to leave out", () => {
    const { application } = parseGridAdl("task a -e p\ntask b -e p");
    for (const { task } of application.groups) task.environment = [{ name: "X", value: [] }];
    application.dependencies = [{ before: "a", after: "b\n" }];
    const { problems } = printGridadl(application);
    expect(problems.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      'warning: GRID-ADL cannot say that "b\n" follows "a"; left out.',
      'warning: GRID-ADL cannot say environment variables; left out for task "a" and 1 more.',
    ]);
  });
});
