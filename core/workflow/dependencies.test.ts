import { describe, expect, it } from "vitest";
import type { Application, TaskGroup, TaskTemplate } from "./application";
import { buildWorkflow } from "./build";
import type { Workflow } from "./workflow";

const plain = (text: string) => [{ text, quoted: true }];

function task(name: string, more: Partial<TaskTemplate> = {}): TaskGroup {
  const template = { executable: plain("p"), shell: false, arguments: [], inputs: [], outputs: [], weight: 1 };
  return { loops: [], task: { name: plain(name), ...template, done: false, ...more } };
}

function build(groups: TaskGroup[], pairs: string[], more: Partial<Application> = {}) {
  const dependencies = pairs.map((pair) => {
    const [before = "", after = ""] = pair.split(" ");
    return { before, after };
  });
  return buildWorkflow({ groups, transient: [], dependencies, ...more });
}

function edgesOf(workflow: Workflow): string[] {
  const { offsets, targets } = workflow.successors;
  return Array.from({ length: workflow.taskCount }, (_, from) =>
    [...targets.subarray(offsets[from], offsets[from + 1])].map((to) => `${workflow.name(from)} ${workflow.name(to)}`),
  ).flat();
}

describe("dependencies by name", () => {
  it("are edges beside those of files, each once", () => {
    const groups = [task("a", { outputs: [plain("x")] }), task("b", { inputs: [plain("x")] }), task("c"), task("d")];
    const { workflow, problems } = build(groups, ["a c", "a b", "c d", "c d", "b d"]);
    expect(problems).toEqual([]);
    expect(edgesOf(workflow)).toEqual(["a b", "a c", "b d", "c d"]);
    expect([...workflow.predecessors.targets]).toEqual([0, 0, 1, 2]);
    expect([...workflow.predecessors.offsets]).toEqual([0, 0, 1, 2, 4]);
    expect(workflow.class).toBe("phases");
  });

  it("reach the tasks of loops, and those that are only numbered", () => {
    const looped = task("");
    looped.loops = [{ variable: "i", values: { from: 1, to: 2, step: 1 } }];
    looped.task.name = [...plain("t"), { variable: "i", quoted: true }];
    const numbered = task("");
    delete numbered.task.name;
    expect(edgesOf(build([looped, numbered], ["t2 3", "t1 t2"]).workflow)).toEqual(["t1 t2", "t2 3"]);
  });

  it("name the task that is not there, with the place of the dependency", () => {
    const at = { line: 4, column: 1, endLine: 4, endColumn: 9 };
    const { problems } = build([task("a")], [], { dependencies: [{ before: "a", after: "z", at }], finalTask: "end" });
    expect(problems).toMatchObject([
      { code: "workflow/unknown-task", message: 'There is no task called "z".', at },
      { code: "workflow/unknown-task", message: 'There is no task called "end".' },
    ]);
  });

  it("are found in circles together with files", () => {
    const groups = [task("a", { inputs: [plain("x")] }), task("b"), task("c", { outputs: [plain("x")] })];
    const { problems } = build(groups, ["a b", "b c"]);
    expect(problems.map(({ message }) => message)).toEqual([
      "These tasks wait for each other in a circle: a → b → c → a.",
    ]);
    expect(build([task("a")], ["a a"]).problems).toMatchObject([{ code: "workflow/cycle", task: "a" }]);
  });
});

describe("what a task carries to the host", () => {
  it("counts the files of its streams among its own", () => {
    const groups = [
      task("a", { stdout: plain("my log.txt"), stderr: plain("/dev/null") }),
      task("b", { stdin: plain("./my log.txt"), inputs: [plain("other")] }),
    ];
    const { workflow, problems } = build(groups, []);
    expect(problems).toEqual([]);
    expect(edgesOf(workflow)).toEqual(["a b"]);
    expect(workflow.task(0)).toMatchObject({ outputs: ["my log.txt"], stdout: "my log.txt" });
    expect(workflow.task(0)).not.toHaveProperty("stderr");
    expect(workflow.task(1)).toMatchObject({ inputs: ["other", "my log.txt"], stdin: "my log.txt" });
  });

  it("joins the application's requirement with its own, and prefers its own rank", () => {
    const groups = [task("a", { requirement: { text: "Memory > 4" }, rank: { text: "Cpus" } }), task("b")];
    const { workflow } = build(groups, [], { requirement: { text: "A || B" }, rank: { text: "Memory" } });
    expect(workflow.task(0)).toMatchObject({ requirement: "(A || B) && (Memory > 4)", rank: "Cpus" });
    expect(workflow.task(1)).toMatchObject({ requirement: "A || B", rank: "Memory" });
  });

  it("fills loop variables into its environment and scripts", () => {
    const looped = task("t", {
      environment: [{ name: "N", value: [...plain("n="), { variable: "i", quoted: true }] }],
      before: [{ variable: "i", quoted: true }],
      retries: { times: 2, unlessExit: 9 },
      resources: { cores: 4 },
    });
    looped.loops = [{ variable: "i", values: ["x"] }];
    expect(build([looped], []).workflow.task(0)).toMatchObject({
      environment: [{ name: "N", value: "n=x" }],
      before: "x",
      retries: { times: 2, unlessExit: 9 },
      resources: { cores: 4 },
    });
  });
});
