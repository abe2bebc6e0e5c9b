/**
 * The application as a WfFormat instance. Ids may only have certain characters; others are replaced, and it is told.
 * Commands have their place among the recordings of a run, so they are written with a run time of 0 where there is none.
 */
import type { PrintedWorkflow } from "@/core/languages/format";
import { edgesOf } from "@/core/languages/workflow-edges";
import { ProblemList } from "@/core/problem-list";
import type { Application, Machine, TaskTemplate } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import { TaskNumbering } from "@/core/workflow/numbering";
import type { Command, Workflow } from "@/core/workflow/workflow";

export type WfFormatVersion = "1.5" | "1.6";

/** Unknown, but the format wants one. */
const noTime = "1970-01-01T00:00:00Z";

export function printWfFormat(application: Application, version: WfFormatVersion = "1.6"): PrintedWorkflow {
  const problems = new ProblemList();
  const warn = (code: string, message: string): void => {
    problems.add({ severity: "warning", code: `wfformat/${code}`, message });
  };
  const { workflow } = buildWorkflow(application);
  const numbering = new TaskNumbering(application);
  const forbidden = version === "1.5" ? /[^0-9a-zA-Z_.-]/g : /[^0-9a-zA-Z_.#:/-]/g;
  const taskIds = new Ids(forbidden, (name, id) => warn("renamed", `Task "${name}" has the id "${id}" in WfFormat.`));
  const fileIds = new Ids(forbidden, (name, id) => warn("renamed", `File "${name}" has the id "${id}" in WfFormat.`));
  const ids = Array.from({ length: workflow.taskCount }, (_, task) => taskIds.of(workflow.name(task)));
  const children = edgesOf(application, workflow);
  const parents: number[][] = ids.map(() => []);
  children.forEach((targets, from) => {
    for (const to of targets) parents[to]!.push(from);
  });
  const files = new Map<string, number>();
  const templateOf = (task: number): TaskTemplate => numbering.groupOf(task).task;
  const specified = ids.map((id, task) => {
    const { inputs, outputs, command } = workflow.task(task);
    const list = (names: string[]): string[] =>
      names.map((name) => {
        const file = fileIds.of(name);
        files.set(file, application.fileSizes?.[name] ?? 0);
        return file;
      });
    return {
      name: templateOf(task).category ?? programName(command),
      id,
      parents: parents[task]!.map((parent) => ids[parent]),
      children: children[task]!.map((child) => ids[child]),
      inputFiles: list(inputs),
      outputFiles: list(outputs),
    };
  });
  const specification: Record<string, unknown> = {
    tasks: specified,
    files: [...files].map(([id, sizeInBytes]) => ({ id, sizeInBytes })),
  };
  if (version === "1.6") specification.metrics = metrics(workflow, files);
  const workflowPart: Record<string, unknown> = { specification };
  if (ids.length > 0) workflowPart.execution = execution(application, workflow, ids, templateOf);
  tellWhatIsLost(application, files, warn);
  const instance = { name: "workflow", schemaVersion: version, workflow: workflowPart };
  return { text: `${write(instance, "")}\n`, problems: problems.toArray() };
}

/** Objects over several lines, but each element of a list on one: a task a line is readable, and half as long. */
function write(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[\n${value.map((item) => inner + JSON.stringify(item)).join(",\n")}\n${indent}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)}: ${write(member, inner)}`,
  );
  return `{\n${members.join(",\n")}\n${indent}}`;
}

/** Ids made of allowed characters, each once, the same for the same name. */
class Ids {
  readonly #ids = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(
    private readonly forbidden: RegExp,
    private readonly renamed: (name: string, id: string) => void,
  ) {}

  of(name: string): string {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    let id = name.replace(this.forbidden, "_") || "_";
    while (this.#taken.has(id)) id += "_";
    this.#taken.add(id);
    this.#ids.set(name, id);
    if (id !== name) this.renamed(name, id);
    return id;
  }
}

function programName(command: Command): string {
  const program = command.is === "shell" ? "sh" : command.executable;
  return program.slice(program.lastIndexOf("/") + 1) || "task";
}

function metrics(workflow: Workflow, files: ReadonlyMap<string, number>): Record<string, number> {
  let sumOfFileSizesInBytes = 0;
  for (const size of files.values()) sumOfFileSizesInBytes += size;
  return { numberOfTasks: workflow.taskCount, numberOfFiles: files.size, sumOfFileSizesInBytes };
}

function execution(
  application: Application,
  workflow: Workflow,
  ids: readonly string[],
  templateOf: (task: number) => TaskTemplate,
): Record<string, unknown> {
  let makespanInSeconds = 0;
  const tasks = ids.map((id, task) => {
    const { recorded, resources, priority } = templateOf(task);
    const { command } = workflow.task(task);
    makespanInSeconds = Math.max(makespanInSeconds, recorded?.seconds ?? 0);
    const executed: Record<string, unknown> = { id, runtimeInSeconds: recorded?.seconds ?? 0 };
    executed.command =
      command.is === "shell"
        ? { program: "/bin/sh", arguments: ["-c", command.line] }
        : { program: command.executable, arguments: command.arguments };
    if (resources?.cores !== undefined) executed.coreCount = Math.max(1, resources.cores);
    if (resources?.memoryBytes !== undefined) executed.memoryInBytes = resources.memoryBytes;
    if (priority !== undefined) executed.priority = priority;
    if (recorded?.machine !== undefined) executed.machines = [recorded.machine];
    return executed;
  });
  // How long it took altogether is not known here: at least as long as its longest task.
  const part: Record<string, unknown> = { makespanInSeconds, executedAt: noTime, tasks };
  if (application.machines && application.machines.length > 0) part.machines = application.machines.map(machine);
  return part;
}

function machine({ name, system, architecture, memoryBytes, cores, coreMhz }: Machine): Record<string, unknown> {
  const written: Record<string, unknown> = { nodeName: name };
  if (system !== undefined) written.system = system;
  if (architecture !== undefined) written.architecture = architecture;
  if (memoryBytes !== undefined) written.memoryInBytes = memoryBytes;
  const cpu: Record<string, number> = {};
  if (cores !== undefined) cpu.coreCount = cores;
  if (coreMhz !== undefined) cpu.speedInMHz = coreMhz;
  if (Object.keys(cpu).length > 0) written.cpu = cpu;
  return written;
}

type Warn = (code: string, message: string) => void;

function tellWhatIsLost(application: Application, files: ReadonlyMap<string, number>, warn: Warn): void {
  const tasks = application.groups.map(({ task }) => task);
  const lost: [boolean, string][] = [
    [application.hint !== undefined, "The hint on the shape of the graph"],
    [application.transient.length > 0, "Which files are transient"],
    [application.finalTask !== undefined, "Which task runs last whatever happens"],
    [application.categoryLimits !== undefined, "How many tasks of a category may run at a time"],
    [
      application.requirement !== undefined || tasks.some(({ requirement }) => requirement),
      "What is required of a host",
    ],
    [application.rank !== undefined || tasks.some(({ rank }) => rank), "Which hosts are preferred"],
    [tasks.some(({ stdin, stdout, stderr }) => stdin ?? stdout ?? stderr), "Which files are standard input and output"],
    [tasks.some(({ environment }) => environment), "The environment of tasks"],
    [tasks.some(({ retries }) => retries), "How often tasks are tried again"],
    [tasks.some(({ before, afterwards }) => before ?? afterwards), "Commands before and after tasks"],
    [tasks.some(({ done }) => done), "Which tasks are done already"],
    [tasks.some(({ weight, recorded }) => weight !== 1 && weight !== recorded?.seconds), "The weights of tasks"],
    [tasks.some(({ when, join, spawns }) => when ?? join ?? spawns), "Branching on exit codes and adding tasks"],
    [
      tasks.some(({ software, resources }) => software ?? resources?.named ?? resources?.processes),
      "Software and licences",
    ],
    [
      tasks.some(({ resources }) => resources?.diskBytes ?? resources?.gpus ?? resources?.wallSeconds),
      "Disk, GPUs and time limits",
    ],
  ];
  for (const [isLost, what] of lost) if (isLost) warn("not-written", `${what} cannot be said in WfFormat.`);
  const unknown = [...files.keys()].filter((file) => application.fileSizes?.[file] === undefined).length;
  if (unknown > 0) warn("no-size", `The sizes of ${unknown} files are not known; they are written as 0.`);
  if (tasks.some(({ recorded }) => recorded?.seconds === undefined)) {
    warn("no-runtime", "Tasks without a recorded run time are written with 0 seconds.");
  }
}
