/**
 * The application as a DAG: one text, descriptions inline (HTCondor 9 and later read them). Tasks of a loop share one
 * description and differ in their VARS; where a loop's values would be read otherwise by HTCondor, each task has its own.
 * Dependencies through files become PARENT … CHILD, since DAGMan does not infer them.
 */
import type { PrintedWorkflow } from "@/core/languages/format";
import { edgesOf } from "@/core/languages/workflow-edges";
import type { Problem } from "@/core/problem";
import { ProblemList } from "@/core/problem-list";
import type { Application, TaskGroup, TaskTemplate } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import type { Bindings } from "@/core/workflow/expand";
import { TaskNumbering } from "@/core/workflow/numbering";
import { taskName } from "@/core/workflow/tasks";
import { describe, scriptText } from "./print-description";

export function printDagman(application: Application): PrintedWorkflow {
  return printDag(application, () => false);
}

/** With the tasks that are `finished` marked DONE, beside those the application marks itself. */
export function printDag(application: Application, finished: (taskName: string) => boolean): PrintedWorkflow {
  const problems = new ProblemList();
  const warn = (code: string, message: string, task?: TaskTemplate): void => {
    const problem: Problem = { severity: "warning", code: `dagman/${code}`, message };
    if (task?.at) problem.at = task.at;
    problems.add(problem);
  };
  const numbering = new TaskNumbering(application);
  const { workflow } = buildWorkflow(application);
  const names = nodeNames(application, numbering, warn);
  const lines: string[] = [];
  let descriptions = 0;
  numbering.forEachTask((group) => {
    tellWhatIsLost(group.task, warn);
    const shared = sharesDescription(group) ? `description${++descriptions}` : undefined;
    if (shared) {
      const macros = new Map(group.loops.map(({ variable }) => [variable, `$(${macroName(variable)})`]));
      const { shell, lines: description } = describe(group.task, macros, warn);
      if (!shell) lines.push(`SUBMIT-DESCRIPTION ${shared} {`, ...description, "}");
      else return (task, bindings) => printTask(group.task, bindings, task, undefined);
    }
    return (task, bindings) => printTask(group.task, bindings, task, shared);
  });
  printEdges();
  for (const [category, limit] of Object.entries(application.categoryLimits ?? {})) {
    lines.push(`MAXJOBS ${plainWord(category)} ${limit}`);
  }
  tellWhatTheApplicationLoses(application, warn);
  return { text: `${lines.join("\n")}\n`, problems: problems.toArray() };

  function printTask(template: TaskTemplate, bindings: Bindings, task: number, shared: string | undefined): void {
    const node = names[task]!;
    const own = taskName(template, bindings, task);
    const isFinal = own === application.finalTask;
    const done = (template.done || finished(own)) && !isFinal ? " DONE" : "";
    const keyword = isFinal ? "FINAL" : "JOB";
    if (shared) {
      lines.push(`${keyword} ${node} ${shared}${done}`);
      const values = [...bindings].map(([name, value]) => ` ${macroName(name)}="${value}"`);
      lines.push(`VARS ${node}${values.join("")}`);
    } else {
      lines.push(`${keyword} ${node} {`, ...describe(template, bindings, warn).lines, `}${done}`);
    }
    if (template.retries) {
      const { times, unlessExit } = template.retries;
      lines.push(`RETRY ${node} ${times}${unlessExit === undefined ? "" : ` UNLESS-EXIT ${unlessExit}`}`);
    }
    if (template.before) lines.push(`SCRIPT PRE ${node} ${scriptText(template.before, bindings)}`);
    if (template.afterwards) lines.push(`SCRIPT POST ${node} ${scriptText(template.afterwards, bindings)}`);
    if (template.priority !== undefined) lines.push(`PRIORITY ${node} ${Math.round(template.priority)}`);
    if (template.category !== undefined) lines.push(`CATEGORY ${node} ${plainWord(template.category)}`);
  }

  /** Parents with the same children share a line. */
  function printEdges(): void {
    const parentsOf = new Map<string, number[]>();
    edgesOf(application, workflow).forEach((children, parent) => {
      const kept = children.filter((child) => workflow.name(child) !== application.finalTask);
      if (kept.length === 0) return;
      const key = kept.join(" ");
      const parents = parentsOf.get(key);
      if (parents) parents.push(parent);
      else parentsOf.set(key, [parent]);
    });
    for (const [key, parents] of parentsOf) {
      const children = key.split(" ").map((child) => names[Number(child)]);
      lines.push(`PARENT ${parents.map((parent) => names[parent]).join(" ")} CHILD ${children.join(" ")}`);
    }
  }
}

type Warn = (code: string, message: string, task?: TaskTemplate) => void;

/** Names DAGMan can read: no blanks, none of its words, each once. */
function nodeNames(application: Application, numbering: TaskNumbering, warn: Warn): string[] {
  const names: string[] = new Array(numbering.taskCount);
  const taken = new Set<string>();
  numbering.forEachTask((group) => (task, bindings) => {
    const own = taskName(group.task, bindings, task);
    let name = plainWord(own);
    if (/^(?:PARENT|CHILD|ALL_NODES)$/i.test(name)) name += "_";
    while (taken.has(name)) name += "_";
    taken.add(name);
    names[task] = name;
    if (name !== own) warn("renamed", `Task "${own}" is called "${name}" in the DAG.`, group.task);
  });
  if (application.groups.length > 0 && numbering.taskCount === 0) warn("no-task", "The application has no task.");
  return names;
}

function plainWord(text: string): string {
  const word = text.replace(/[\s"{}\\#\0]/g, "_");
  return word === "" ? "_" : word;
}

/** A name for a loop variable that no setting of a description has. */
function macroName(variable: string): string {
  return `loop_${variable.replace(/\W/g, "_")}`;
}

function sharesDescription({ loops, task }: TaskGroup): boolean {
  if (loops.length === 0) return false;
  const macros = new Set(loops.map(({ variable }) => macroName(variable).toLowerCase()));
  const plain = loops.every(
    ({ values }) => !Array.isArray(values) || values.every((value) => /^[\w.+-]+$/.test(value)),
  );
  return plain && macros.size === loops.length && !task.shell;
}

function tellWhatIsLost(task: TaskTemplate, warn: Warn): void {
  if (task.weight !== 1) warn("not-written", `The weight ${task.weight} of a task cannot be said in a DAG.`, task);
  if (task.when ?? task.join) warn("not-written", "Branching on exit codes cannot be said in a DAG.", task);
  if (task.spawns) warn("not-written", "Adding tasks while a run goes on cannot be said in a DAG.", task);
  if (task.software) warn("not-written", "Software that a task needs cannot be said in a DAG.", task);
  if (task.resources?.processes) warn("not-written", "Processes over several hosts cannot be said in a DAG.", task);
  if (task.recorded) warn("not-written", "Recorded run times cannot be said in a DAG.", task);
}

function tellWhatTheApplicationLoses(application: Application, warn: Warn): void {
  if (application.hint) warn("not-written", `The hint "${application.hint}" cannot be said in a DAG.`);
  if (application.requirement)
    warn("not-written", "The requirement of the whole application cannot be said in a DAG; give it to each task.");
  if (application.rank)
    warn("not-written", "The rank of the whole application cannot be said in a DAG; give it to each task.");
  if (application.transient.length > 0) warn("not-written", "Which files are transient cannot be said in a DAG.");
  if (application.machines) warn("not-written", "Recorded machines cannot be said in a DAG.");
  if (application.fileSizes) warn("not-written", "Sizes of files cannot be said in a DAG.");
}
