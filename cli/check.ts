/**
 * `gridloom check FILE [--json] [--graph]`: what a workflow is and what is wrong with it, without running it.
 * Problems are printed as `FILE:LINE:COL: message`, the form editors can jump to. Exit code 0 without errors,
 * 1 with errors, 2 if the command itself was wrong.
 */
import { dirname, resolve } from "node:path";
import { formatProblem, hasErrors, type Problem, sentenceOf } from "@/core/problem";
import { type CheckedWorkflow, checkWorkflow } from "@/core/workflow/check";
import type { Workflow } from "@/core/workflow/workflow";
import { filesBeside } from "./files-beside";
import type { CommandIo } from "./io";
import { readText } from "./read-text";

type CheckIo = Pick<CommandIo, "readFile" | "fileExists" | "stdout" | "stderr">;

const usage = "usage: gridloom check FILE [--json] [--graph]\n";

export async function runCheck(argv: readonly string[], io: CheckIo): Promise<number> {
  const flags = argv.filter((argument) => argument.startsWith("--"));
  const [file, ...extra] = argv.filter((argument) => !argument.startsWith("--"));
  const unknown = flags.find((flag) => flag !== "--json" && flag !== "--graph");
  if (file === undefined || extra.length > 0 || unknown) {
    if (unknown) io.stderr(`There is no option ${unknown}.\n`);
    io.stderr(usage);
    return 2;
  }
  const text = await readText(file, io);
  if (text === undefined) return 2;
  const checked = await checkWithFiles(text, file, io);
  const withGraph = flags.includes("--graph");
  io.stdout(
    flags.includes("--json")
      ? `${JSON.stringify(asJson(file, checked, withGraph))}\n`
      : report(file, checked, withGraph),
  );
  return hasErrors(checked.problems) ? 1 : 0;
}

/** The workflow says which files it needs, so it is read once to ask for them and once to judge the answer. */
async function checkWithFiles(text: string, file: string, io: CheckIo): Promise<CheckedWorkflow> {
  const beside = await filesBeside(text, file, io.readFile);
  const { workflow } = checkWorkflow(text, file, undefined, beside);
  const provided = new Set<string>();
  for (const { source } of workflow?.externalInputs ?? []) {
    if (await io.fileExists(resolve(dirname(file), source))) provided.add(source);
  }
  return checkWorkflow(text, file, provided, beside);
}

interface CheckJson {
  format: string;
  class: string;
  tasks: number;
  edges: number;
  /** Every file that is read or written, each once, by its name in the tasks' directories. */
  files: string[];
  problems: ProblemJson[];
  graph?: GraphJson;
}

interface ProblemJson extends Pick<Problem, "severity" | "code" | "message" | "task"> {
  file: string;
  line?: number;
  column?: number;
}

interface GraphJson {
  tasks: string[];
  edges: [string, string][];
}

function factsOf({ format, workflow }: CheckedWorkflow) {
  return {
    format,
    class: workflow?.class ?? "independent",
    tasks: workflow?.taskCount ?? 0,
    edges: workflow?.successors.targets.length ?? 0,
  };
}

function asJson(file: string, checked: CheckedWorkflow, withGraph: boolean): CheckJson {
  const { workflow, problems } = checked;
  const json: CheckJson = {
    ...factsOf(checked),
    files: workflow ? filesOf(workflow) : [],
    problems: problems.map((problem) => ({
      severity: problem.severity,
      code: problem.code,
      message: sentenceOf(problem),
      file,
      line: problem.at?.line,
      column: problem.at?.column,
      task: problem.task,
    })),
  };
  if (withGraph) json.graph = workflow ? graphOf(workflow) : { tasks: [], edges: [] };
  return json;
}

function filesOf(workflow: Workflow): string[] {
  const names = new Set<string>();
  for (let task = 0; task < workflow.taskCount; task++) {
    const { inputs, outputs } = workflow.task(task);
    for (const name of inputs) names.add(name);
    for (const name of outputs) names.add(name);
  }
  return [...names].sort();
}

function graphOf(workflow: Workflow): GraphJson {
  const tasks = Array.from({ length: workflow.taskCount }, (_, task) => workflow.name(task));
  const edges: [string, string][] = [];
  const { offsets, targets } = workflow.successors;
  tasks.forEach((name, task) => {
    for (let e = offsets[task]!; e < offsets[task + 1]!; e++) edges.push([name, tasks[targets[e]!]!]);
  });
  return { tasks, edges };
}

function report(file: string, checked: CheckedWorkflow, withGraph: boolean): string {
  const { workflow, problems } = checked;
  const facts = { ...factsOf(checked), files: workflow?.fileCount ?? 0 };
  const lines = Object.entries(facts).map(([name, value]) => `${`${name}:`.padEnd(8)} ${value}`);
  if (withGraph && workflow) for (const [from, to] of graphOf(workflow).edges) lines.push(`edge:    ${from} -> ${to}`);
  for (const problem of problems) lines.push(formatProblem(problem, file));
  return `${lines.join("\n")}\n`;
}
