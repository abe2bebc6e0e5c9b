/**
 * From the application to the workflow: tasks numbered, edges inferred, the class found, and everything that is
 * wrong with it as a whole reported. A workflow comes out even then, so that it can be shown; it may only be
 * run if none of the problems is an error.
 */
import type { Problem, Span } from "@/core/problem";
import { ProblemList } from "@/core/problem-list";
import type { Application, GraphHint, TaskTemplate } from "./application";
import { warnOfUndeclaredFiles } from "./argument-files";
import { addConditions, type Branches } from "./branches";
import { BuildReports } from "./build-reports";
import { addDependencies } from "./dependencies";
import type { ExitCodes } from "./exit-codes";
import type { ExternalFiles } from "./external-files";
import { type Inference, inferEdges } from "./infer";
import { cyclesOf, levelsOf } from "./levels";
import { TaskNumbering } from "./numbering";
import type { Producers } from "./producers";
import { reportDuplicateNames } from "./task-names";
import { taskName, taskSpec } from "./tasks";
import { classify, contradiction } from "./taxonomy";
import { TransientFiles } from "./transient-files";
import type { Adjacency, Condition, ExternalInput, GraphClass, TaskSpec, Workflow } from "./workflow";

export function buildWorkflow(application: Application): { workflow: Workflow; problems: Problem[] } {
  const problems = new ProblemList();
  const numbering = new TaskNumbering(application);
  const reports = new BuildReports(numbering, problems);
  reportDuplicateNames(numbering, reports);
  const inference = inferEdges(numbering, reports);
  addDependencies(application, numbering, inference.edges, reports);
  const branches = addConditions(application, numbering, inference.edges, reports);
  const adjacency = inference.edges.adjacency(numbering.taskCount);
  const graph = { taskCount: numbering.taskCount, ...adjacency };
  const levels = levelsOf(graph);
  for (const cycle of cyclesOf(graph, levels)) reports.cycle(cycle);
  const found = classify(graph, levels);
  if (application.hint && numbering.taskCount > 1 && levels.order.length === numbering.taskCount) {
    const better = contradiction(application.hint, found);
    if (better) reports.wrongHint(application.hint, better, application.hintAt);
  }
  const transient = new TransientFiles(application, inference.producers, (file, at) =>
    reports.transientWithoutProducer(file, at),
  );
  warnOfUndeclaredFiles(numbering, reports);
  const workflow = new BuiltWorkflow(application, numbering, inference, adjacency, found, transient, branches);
  return { workflow, problems: problems.toArray() };
}

class BuiltWorkflow implements Workflow {
  readonly taskCount: number;
  readonly successors: Adjacency;
  readonly predecessors: Adjacency;
  readonly hint?: GraphHint;
  readonly class: GraphClass;
  readonly fileCount: number;
  readonly #application: Application;
  readonly #numbering: TaskNumbering;
  readonly #producers: Producers;
  readonly #transient: TransientFiles;
  readonly #external: ExternalFiles;
  readonly #branches: Branches;
  #externalInputs: readonly ExternalInput[] | undefined;

  constructor(
    application: Application,
    numbering: TaskNumbering,
    inference: Inference,
    adjacency: { successors: Adjacency; predecessors: Adjacency },
    found: GraphClass,
    transient: TransientFiles,
    branches: Branches,
  ) {
    this.taskCount = numbering.taskCount;
    this.successors = adjacency.successors;
    this.predecessors = adjacency.predecessors;
    if (application.hint) this.hint = application.hint;
    this.#application = application;
    this.class = found;
    this.fileCount = inference.producers.fileCount + inference.external.size - inference.doneFiles.size;
    this.#external = inference.external;
    this.#numbering = numbering;
    this.#producers = inference.producers;
    this.#transient = transient;
    this.#branches = branches;
  }

  /** Sorting a million names takes longer than the rest, so it waits until somebody asks. */
  get externalInputs(): readonly ExternalInput[] {
    this.#externalInputs ??= this.#external.list();
    return this.#externalInputs;
  }

  name(task: number): string {
    return taskName(this.#numbering.groupOf(task).task, this.#numbering.bindings(task), task);
  }

  task(task: number): TaskSpec {
    return taskSpec(this.#numbering.groupOf(task).task, this.#numbering.bindings(task), task, this.#application);
  }

  template(task: number): TaskTemplate {
    return this.#numbering.groupOf(task).task;
  }

  placeOf(task: number): Span | undefined {
    return this.#numbering.groupOf(task).task.at;
  }

  producerOf(file: string): number {
    return this.#producers.of(file);
  }

  isTransient(file: string): boolean {
    return this.#transient.has(file);
  }

  conditionsOf(task: number): readonly Condition[] {
    return this.#branches.conditionsOf(task);
  }

  answersOf(task: number): ExitCodes {
    return this.#branches.answersOf(task);
  }
}
