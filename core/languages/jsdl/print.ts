/**
 * The tasks of an application as JSDL in the GRAND thesis' extension (Figure F.12): ids are the tasks' numbers, `Input` and
 * `Output` are data files, so edges through files are in it; others need GRAND's edges beside it.
 */
import type { PrintedWorkflow } from "@/core/languages/format";
import { encodeText } from "@/core/languages/xml/decode";
import type { Problem } from "@/core/problem";
import type { Application } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import type { TaskSpec, Workflow } from "@/core/workflow/workflow";

const maxTasks = 200_000;

const head = `<?xml version="1.0" encoding="UTF-8"?>
<jsdl:JobDefinition
  xmlns:jsdl="http://schemas.ggf.org/jsdl/2005/04/jsdl"
  xmlns:jsdl-posix="http://schemas.ggf.org/jsdl/2005/04/jsdl-posix"
  xmlns:jsdl-grand="http://www.cos.ufrj.br/~grand/2005/06/jsdl-grand">
`;

export function printJsdl(application: Application): PrintedWorkflow {
  const { workflow } = buildWorkflow(application);
  const printed = printTasks(application, workflow);
  if (application.dependencies && application.dependencies.length > 0) {
    printed.problems.push(cannotSay("dependencies", "dependencies without a file between the tasks (GRAND can)"));
  }
  if (application.clusters) printed.problems.push(cannotSay("clusters", "clusters of tasks (GRAND can)"));
  return printed;
}

/** The document, and what it cannot say of the tasks and the application, edges and clusters left aside. */
export function printTasks(application: Application, workflow: Workflow): PrintedWorkflow {
  if (workflow.taskCount > maxTasks) {
    const message = `JSDL describes each task in full; ${workflow.taskCount} are too many for one document (at most ${maxTasks}).`;
    return { text: "", problems: [{ severity: "error", code: "jsdl/too-many-tasks", message }] };
  }
  const lost = new Map<string, string>();
  const jobs = Array.from({ length: workflow.taskCount }, (_, task) => job(workflow.task(task), lost));
  for (const [key, what] of ofApplications) {
    const value = application[key];
    if (value !== undefined && !(Array.isArray(value) && value.length === 0)) lost.set(key, what);
  }
  return {
    text: `${head}${jobs.join("")}</jsdl:JobDefinition>\n`,
    problems: [...lost].map(([key, what]) => cannotSay(key, what)),
  };
}

const ofApplications: readonly [keyof Application, string][] = [
  ["hint", "a hint on the class of the graph"],
  ["transient", "transient files"],
  ["fileSizes", "sizes of files"],
  ["categoryLimits", "limits on categories"],
  ["finalTask", "a task that runs whatever happened to the others"],
  ["machines", "recorded hosts"],
];

const ofTasks: readonly [keyof TaskSpec, string][] = [
  ["stdin", "a file for standard input"],
  ["stdout", "a file for standard output"],
  ["requirement", "a requirement on hosts"],
  ["rank", "a rank of hosts"],
  ["before", "a script before the task"],
  ["afterwards", "a script after the task"],
  ["retries", "a number of retries"],
  ["priority", "a priority"],
  ["category", "a category"],
  ["recorded", "recorded times and hosts"],
];

function cannotSay(key: string, what: string): Problem {
  return { severity: "warning", code: `jsdl/cannot-say-${key}`, message: `JSDL cannot say ${what}; left out.` };
}

function job(task: TaskSpec, lost: Map<string, string>): string {
  for (const [key, what] of ofTasks) if (task[key] !== undefined) lost.set(`task-${key}`, what);
  if (task.done) lost.set("task-done", "that a task is done");
  const { command, resources = {} } = task;
  const [program, words] =
    command.is === "exec" ? [command.executable, command.arguments] : ["/bin/sh", ["-c", command.line]];
  const data = (files: readonly string[], stream: string | undefined) => files.filter((file) => file !== stream);
  const posix = [
    element("jsdl-posix:Executable", program),
    ...words.map((word) => element("jsdl-posix:Argument", word)),
    ...data(task.inputs, undefined).map((file) => element("jsdl-posix:Input", file)),
    ...data(task.outputs, task.stderr).map((file) => element("jsdl-posix:Output", file)),
    ...(task.stderr === undefined ? [] : [element("jsdl-posix:Error", task.stderr)]),
    ...(task.environment ?? []).map(
      ({ name, value }) =>
        `<jsdl-posix:Environment name="${encodeText(name)}">${encodeText(value)}</jsdl-posix:Environment>`,
    ),
    ...(resources.wallSeconds === undefined
      ? []
      : [element("jsdl-posix:WallTimeLimit", String(resources.wallSeconds))]),
  ];
  return [
    "  <jsdl:JobDescription>",
    "    <jsdl:JobIdentification>",
    `      ${element("jsdl:JobName", task.name)}`,
    `      ${element("jsdl-grand:JobUID", String(task.index + 1))}`,
    `      ${element("jsdl-grand:JobWeight", String(task.weight))}`,
    "    </jsdl:JobIdentification>",
    "    <jsdl:Application>",
    "      <jsdl-posix:POSIXApplication>",
    ...posix.map((line) => `        ${line}`),
    "      </jsdl-posix:POSIXApplication>",
    "    </jsdl:Application>",
    ...printResources(resources, lost),
    "  </jsdl:JobDescription>\n",
  ].join("\n");
}

function printResources(resources: NonNullable<TaskSpec["resources"]>, lost: Map<string, string>): string[] {
  const amounts = [
    ["jsdl:IndividualCPUCount", resources.cores],
    ["jsdl:IndividualPhysicalMemory", resources.memoryBytes],
    ["jsdl:IndividualDiskSpace", resources.diskBytes],
  ] as const;
  for (const name of Object.keys(resources)) {
    if (!["cores", "memoryBytes", "diskBytes", "wallSeconds"].includes(name))
      lost.set(`task-${name}`, `the resource ${name}`);
  }
  const said = amounts.filter(([, amount]) => amount !== undefined);
  if (said.length === 0) return [];
  return [
    "    <jsdl:Resources>",
    ...said.map(([name, amount]) => `      <${name}>${element("jsdl:LowerBoundedRange", String(amount))}</${name}>`),
    "    </jsdl:Resources>",
  ];
}

function element(name: string, text: string): string {
  return `<${name}>${encodeText(text)}</${name}>`;
}
