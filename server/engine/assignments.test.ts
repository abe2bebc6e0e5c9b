import { expect, test } from "vitest";
import type { Application } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import type { FileContent } from "@/server/journal/queries/lookup-inputs";
import { plain, taskGroup } from "@/server/journal/run-for-tests";
import type { ActiveRun } from "./active-run";
import { Assignments, type Prepared } from "./assignments";
import { FileIndex } from "./file-index";
import { defaultRunSettings } from "./run-settings";

const id = "0198c0de-0000-7000-8000-000000000000";
const application: Application = {
  groups: [
    taskGroup({ name: "first", inputs: ["in"], outputs: ["mid"] }),
    taskGroup({ name: "second", inputs: ["mid"], outputs: ["out"] }),
  ],
  transient: [{ loops: [], files: [plain("mid")] }],
};
const content = (name: string, transient = false): FileContent => ({
  name,
  sha256: "ef".repeat(32),
  size: 2,
  transient,
});

function setUp(stored: FileContent[], of = application) {
  const { workflow } = buildWorkflow(of);
  const asked: string[][] = [];
  const files = new FileIndex(3);
  const run: ActiveRun = {
    id,
    ownerId: "o",
    ownerAdmin: false,
    application: of,
    spawned: [],
    name: "run",
    settings: defaultRunSettings,
    workflow,
    plan: {
      id,
      ownerId: "o",
      ownerAdmin: false,
      taskCount: workflow.taskCount,
      successors: workflow.successors,
      predecessors: workflow.predecessors,
      doneTasks: [],
      retries: 1,
      producers: () => [],
    },
  };
  const assignments = new Assignments({
    run: (asked) => (asked === id ? run : undefined),
    files,
    isSkipped: () => false,
    lookup: async (_run, names) => {
      asked.push(names);
      return new Map(stored.filter(({ name }) => names.includes(name)).map((file) => [file.name, file]));
    },
  });
  const attempt = (task: number) => ({ run: id, task, ordinal: 1 });
  const prepare = (task: number) =>
    new Promise<Prepared>((resolve) => assignments.prepare({ attempt: attempt(task), epoch: 5 }, resolve));
  return { asked, files, assignments, attempt, prepare };
}

test("files known in memory need no look-up, and transient ones are the agent's to keep", async () => {
  const { asked, files, prepare } = setUp([]);
  files.set(id, content("mid", true));
  expect(await prepare(1)).toMatchObject({
    is: "ready",
    assignment: {
      epoch: 5,
      taskName: "second",
      inputs: [{ name: "mid", kept: true }],
      outputs: [{ name: "out", transient: false }],
    },
  });
  expect(asked).toEqual([]);
});

test("unknown files are looked up once for many attempts, then remembered", async () => {
  const { asked, prepare } = setUp([content("in"), content("mid", true)]);
  const both = await Promise.all([prepare(0), prepare(1)]);
  expect(both.map(({ is }) => is)).toEqual(["ready", "ready"]);
  expect(both[0]).toMatchObject({ assignment: { outputs: [{ name: "mid", transient: true }] } });
  expect(asked).toEqual([["in", "mid"]]);
  await prepare(0);
  expect(asked).toHaveLength(1);
});

test("a file that is nowhere is named", async () => {
  expect(await setUp([]).prepare(0)).toEqual({ is: "inputs-unknown", files: ["in"] });
});

test("a cancel does not overtake the assignment it is about", async () => {
  const { assignments, attempt } = setUp([content("in")]);
  const order: string[] = [];
  const done = new Promise<void>((resolve) => {
    assignments.prepare({ attempt: attempt(0), epoch: 5 }, () => order.push("assign"));
    assignments.afterAssignment(attempt(0), () => {
      order.push("cancel");
      resolve();
    });
  });
  assignments.afterAssignment(attempt(1), () => order.push("other"));
  await done;
  expect(order).toEqual(["other", "assign", "cancel"]);
});

test("a task that cannot be unfolded fails alone", async () => {
  const { prepare } = setUp([]);
  expect(await prepare(7)).toMatchObject({ is: "not-allowed" });
});

test("a task with more files than its report could name is not handed out", async () => {
  const outputs = Array.from({ length: 100_000 }, (_, index) => `f${index}`);
  const { prepare } = setUp([], { groups: [taskGroup({ name: "many", outputs })], transient: [] });
  const prepared = await prepare(0);
  expect(prepared).toEqual({ is: "not-allowed", problem: "100000 output files are more than one task may have" });
});

test("ten thousand outputs are fine", async () => {
  const outputs = Array.from({ length: 10_000 }, (_, index) => `f${index}`);
  const { prepare } = setUp([], { groups: [taskGroup({ name: "many", outputs })], transient: [] });
  expect((await prepare(0)).is).toBe("ready");
});

test("what a task asks for are its limits, and commands around it are split into words", async () => {
  const group = taskGroup({ name: "first" });
  group.task.resources = { wallSeconds: 5, diskBytes: 1000, memoryBytes: 0, cores: 3 };
  group.task.before = plain("prepare.sh 'a b' $RETRY.$JOBID");
  group.task.stdout = plain("out.txt");
  group.task.environment = [{ name: "X", value: plain("1 2") }];
  const { prepare } = setUp([], { groups: [group], transient: [] });
  const prepared = await prepare(0);
  expect(prepared).toMatchObject({
    is: "ready",
    assignment: {
      limits: { wallSeconds: 5, outputBytes: 1000, memoryBytes: defaultRunSettings.memoryBytes },
      cores: 3,
      before: ["prepare.sh", "a b", `0.${id}.0.1`],
      stdout: "out.txt",
      outputs: [{ name: "out.txt" }],
      environment: [{ name: "X", value: "1 2" }],
    },
  });
});

test("a task that was killed for memory gets what the engine raised it to", async () => {
  const group = taskGroup({ name: "first" });
  group.task.resources = { memoryBytes: 1000 };
  const { assignments, attempt } = setUp([], { groups: [group], transient: [] });
  const prepared = await new Promise<Prepared>((resolve) =>
    assignments.prepare({ attempt: attempt(0), epoch: 5, memoryBytes: 2000 }, resolve),
  );
  expect(prepared).toMatchObject({ is: "ready", assignment: { limits: { memoryBytes: 2000 } } });
});

test("a variable that no program could be given fails its task, with the reason", async () => {
  const group = taskGroup({ name: "first" });
  group.task.environment = [{ name: "1X", value: plain("x") }];
  const prepared = await setUp([], { groups: [group], transient: [] }).prepare(0);
  expect(prepared).toEqual({
    is: "not-allowed",
    problem: "environment.0.name: not a name for an environment variable",
  });
});

test("a command line that does nothing, with no file to it, is nothing to run", async () => {
  const group = taskGroup({ name: "wait" });
  group.task.shell = true;
  group.task.executable = plain(":");
  group.task.arguments = [];
  const prepared = (of: Application) => setUp([], of).prepare(0);
  expect(await prepared({ groups: [group], transient: [] })).toMatchObject({
    assignment: { command: { is: "no-op" } },
  });
  group.task.outputs = [plain("out")];
  expect(await prepared({ groups: [group], transient: [] })).toMatchObject({
    assignment: { command: { is: "shell" } },
  });
});
