/** The listings of the thesis, as printed. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buildWorkflow } from "@/core/workflow/build";
import { parseGridAdl } from ".";

function figure(name: string) {
  const text = readFileSync(new URL(`../../../examples/figures/${name}.gadl`, import.meta.url), "utf8");
  const { application, problems } = parseGridAdl(text);
  const { workflow, problems: wholeProblems } = buildWorkflow(application);
  return { application, problems, workflow, wholeProblems };
}

function edgesOf(workflow: ReturnType<typeof figure>["workflow"]): string[] {
  const edges: string[] = [];
  for (let task = 0; task < workflow.taskCount; task++) {
    for (let e = workflow.successors.offsets[task]!; e < workflow.successors.offsets[task + 1]!; e++) {
      edges.push(`${workflow.name(task)} ${workflow.name(workflow.successors.targets[e]!)}`);
    }
  }
  return edges;
}

describe("Figure F.8, the diamond", () => {
  const { workflow, problems } = figure("f8-diamond");

  it("has four tasks and the edges of Figure F.7(a)", () => {
    expect(problems).toEqual([]);
    expect(edgesOf(workflow)).toEqual(["A B", "A C", "B D", "C D"]);
    expect(workflow.class).toBe("phases");
    expect(workflow.hint).toBe("loosely-coupled");
  });

  it("asks the submitter only for what no task writes", () => {
    expect(workflow.externalInputs).toEqual([{ source: "data.in", name: "data.in", neededBy: 0 }]);
    expect(workflow.producerOf("c.out")).toBe(2);
    expect(workflow.producerOf("data.in")).toBe(-1);
  });
});

describe("Figure F.9, the fan-in with a string that grows", () => {
  const { workflow, application, wholeProblems } = figure("f9-fan-in");

  it("opens the loop, because OUTPUT carries a value from turn to turn", () => {
    expect(application.groups).toHaveLength(6);
    expect(edgesOf(workflow)).toEqual(["1 6", "2 6", "3 6", "4 6", "5 6"]);
  });

  it("reads options on the next line, adjacent pieces and variables", () => {
    expect(workflow.task(0)).toMatchObject({ inputs: ["in1.dat"], outputs: ["out1.png"] });
    expect(workflow.task(2)).toEqual({
      index: 2,
      name: "3",
      command: { is: "exec", executable: "/usr/local/bin/gnuplot", arguments: ["3.txt"] },
      inputs: ["in3.dat"],
      outputs: ["out3.png"],
      weight: 1,
      done: false,
    });
    expect(workflow.task(5).inputs).toEqual(["out1.png", "out2.png", "out3.png", "out4.png", "out5.png"]);
  });

  it("keeps the single pictures transient, and the result not", () => {
    expect(["out1.png", "out5.png", "data.ps"].map((file) => workflow.isTransient(file))).toEqual([true, true, false]);
  });

  it("warns, once for each line, of arguments that look like files nobody declared", () => {
    expect(wholeProblems.map(({ code, at }) => [code, at?.line])).toEqual([
      ["workflow/undeclared-file", 4],
      ["workflow/undeclared-file", 7],
    ]);
  });
});

describe("Figure F.10, a bag of tasks without names", () => {
  const { workflow, application } = figure("f10-bag");

  it("stays one folded group", () => {
    expect(application.groups).toHaveLength(1);
    expect(application.groups[0]?.loops).toEqual([{ variable: "TASK", values: { from: 1, to: 6, step: 1 } }]);
  });

  it("numbers the tasks in the order of creation", () => {
    expect(Array.from({ length: 6 }, (_, task) => workflow.name(task))).toEqual(["1", "2", "3", "4", "5", "6"]);
    expect(workflow.class).toBe("independent");
  });
});

describe("Figure G.3, a command line in a do block", () => {
  const { workflow, problems } = figure("g3-shell");

  it("includes both ends of the range", () => {
    expect(problems).toEqual([]);
    expect(workflow.taskCount).toBe(101);
  });

  it("runs a quoted command line by a shell, and stages the absolute input under its last component", () => {
    expect(workflow.task(7)).toMatchObject({
      name: "7",
      command: { is: "shell", line: "chmod a+x teste; ./teste > t.out.7" },
      inputs: ["teste"],
      outputs: ["t.out.7"],
    });
    expect(workflow.externalInputs).toEqual([{ source: "/home/SO/kayser/tmp/teste", name: "teste", neededBy: 0 }]);
  });
});
