/** Nodes → the application: each node's tasks, and the dependencies between them by their names. */

import { SubmitEvaluation } from "@/core/languages/condor-submit/evaluation";
import { type Submit, SubmitReader } from "@/core/languages/condor-submit/file";
import type { Place, Reports } from "@/core/languages/condor-submit/source";
import { literal, literalFile } from "@/core/languages/literals";
import type { Application, Dependency, TaskGroup, TaskTemplate, Template } from "@/core/workflow/application";
import { quoteWord, splitWords } from "@/core/workflow/shell-words";
import type { Dag, DagNode } from "./dag";

/** Between tasks; a node of a thousand tasks before another of a thousand has a million. */
const maxDependencies = 5_000_000;

export class Lowering {
  readonly #reports: Reports;
  readonly #reader: SubmitReader;
  readonly #submits = new Map<Place, Submit>();
  readonly #taskCounts = new Map<DagNode, number>();

  constructor(reports: Reports, readFile: (name: string) => string | undefined) {
    this.#reports = reports;
    this.#reader = new SubmitReader(reports, readFile);
  }

  application(dag: Dag): Application {
    const application: Application = { groups: [], transient: [] };
    dag.nodes.forEach((node, i) => {
      if (this.#reports.isFull) return;
      for (const group of this.#groups(node, i + 1)) application.groups.push(group);
    });
    this.#dependencies(dag, application);
    if (dag.limits.size > 0) application.categoryLimits = Object.fromEntries(dag.limits);
    if (dag.finalNode && this.#taskCounts.get(dag.finalNode) === 1) application.finalTask = dag.finalNode.name;
    else if (dag.finalNode && (this.#taskCounts.get(dag.finalNode) ?? 0) > 1) {
      const message = `The FINAL node "${dag.finalNode.name}" must queue exactly one task.`;
      this.#reports.error("final-tasks", message, dag.finalNode.place);
    }
    return application;
  }

  #groups(node: DagNode, cluster: number): TaskGroup[] {
    const groups = node.description ? this.#described(node, node.description, cluster) : [this.#noop(node)];
    for (const { task } of groups) complete(task, node);
    return groups;
  }

  #described(node: DagNode, description: Place, cluster: number): TaskGroup[] {
    let submit = this.#submits.get(description);
    if (!submit) {
      submit = this.#reader.read(description);
      this.#submits.set(description, submit);
    }
    const { name, variables, directory, place } = node;
    const evaluation = new SubmitEvaluation(submit, { name, cluster, variables, directory, place }, this.#reports);
    const groups = evaluation.groups();
    this.#taskCounts.set(node, evaluation.taskCount);
    if (evaluation.taskCount === 0) {
      this.#reports.warning("no-task", `Node "${name}" queues nothing, so it has no task.`, place);
    }
    return groups;
  }

  /** A NOOP node does nothing, but others wait for it and it waits for others. */
  #noop(node: DagNode): TaskGroup {
    this.#taskCounts.set(node, 1);
    const { source, start, end } = node.place;
    const task: TaskTemplate = {
      name: literal(node.name),
      executable: literal(":"),
      shell: true,
      arguments: [],
      inputs: [],
      outputs: [],
      weight: 1,
      done: false,
      at: source.span(start, end),
    };
    return { loops: [], task };
  }

  #dependencies(dag: Dag, application: Application): void {
    const dependencies: Dependency[] = [];
    const known = new Set<string>();
    const order = new Map(dag.nodes.map((node, i) => [node, i]));
    for (const { before, after, at } of dag.edges) {
      const key = `${order.get(before)}>${order.get(after)}`;
      if (known.has(key)) continue;
      known.add(key);
      const many = (this.#taskCounts.get(before) ?? 0) * (this.#taskCounts.get(after) ?? 0);
      if (dependencies.length + many > maxDependencies) {
        const message = `The tasks of "${before.name}" and "${after.name}" make more than ${maxDependencies} dependencies.`;
        this.#reports.errorOnce("dependencies", "too-many-edges", message, after.place);
        return;
      }
      for (const first of this.#taskNames(before)) {
        for (const second of this.#taskNames(after)) dependencies.push({ before: first, after: second, at });
      }
    }
    if (dependencies.length > 0) application.dependencies = dependencies;
  }

  #taskNames(node: DagNode): string[] {
    const count = this.#taskCounts.get(node) ?? 0;
    return count === 1 ? [node.name] : Array.from({ length: count }, (_, process) => `${node.name}.${process}`);
  }
}

/** What the DAG file says of the node wins over its description. */
function complete(task: TaskTemplate, node: DagNode): void {
  task.done = node.done;
  if (node.retries) task.retries = { ...node.retries };
  if (node.priority !== undefined) task.priority = node.priority;
  if (node.category !== undefined) task.category = node.category;
  if (node.before !== undefined) task.before = script(node.before, node, task);
  if (node.afterwards !== undefined) task.afterwards = script(node.afterwards, node, task);
}

/** It runs where the node's files are. If it is a file, and not a program of the host, it is one of those. */
function script(written: string, node: DagNode, task: TaskTemplate): Template {
  const command = scriptCommand(written, node);
  const [program = "", ...rest] = splitWords(command);
  const directory = /^\/|^[A-Za-z]:/.test(node.directory) ? "" : node.directory;
  const isFile = /[./]/.test(program) && !program.startsWith("/");
  if (isFile) {
    const file = literalFile([directory, program.replace(/^(?:\.\/+)+/, "")].filter(Boolean).join("/"));
    const known = task.inputs.some((input) => JSON.stringify(input) === JSON.stringify(file));
    if (!known) task.inputs.push(file);
  }
  if (directory === "") return literal(command);
  const name = quoteWord(isFile && !program.includes("/") ? `./${program}` : program);
  const makeRunnable = isFile ? `chmod +x ${name} && ` : "";
  const line = `cd ${quoteWord(directory)} && ${makeRunnable}exec ${[name, ...rest.map(quoteWord)].join(" ")}`;
  return literal(`/bin/sh -c ${quoteWord(line)}`);
}

/** `$JOB` and `$MAX_RETRIES` are known now; `$RETURN`, `$RETRY` and the others when the script runs. */
function scriptCommand(command: string, node: DagNode): string {
  return command
    .replace(/\$JOB\b/g, () => node.name)
    .replace(/\$MAX_RETRIES\b/g, () => String(node.retries?.times ?? 0));
}
