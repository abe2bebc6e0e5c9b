/**
 * Edges from data flow (GR-2): a task waits for whoever writes its inputs. One table from file names to producers,
 * filled once and asked once per input, so it takes linear time where the thesis' prototype took quadratic. Files of
 * loops that concern nobody else never enter the table (folded-files.ts).
 */
import { EdgeList } from "./adjacency";
import { noBindings } from "./expand";
import { ExternalFiles } from "./external-files";
import { inputDestination, outputDestination } from "./file-names";
import { expandReference, type FileRole, forEachName } from "./file-references";
import { FoldedFiles } from "./folded-files";
import { forEachElement, forEachNumber } from "./loops";
import type { NumberedGroup, TaskNumbering } from "./numbering";
import { Producers } from "./producers";
import { isOfOneJob, withTaskNumber } from "./run-time-variables";
import type { ExternalInput } from "./workflow";

export interface Inference {
  producers: Producers;
  external: ExternalFiles;
  /** Files of tasks marked `done` that are among the external ones too. */
  doneFiles: ReadonlySet<string>;
  edges: EdgeList;
}

/** What inference finds wrong; the wording is the reporter's. */
export interface InferenceReports {
  refused(task: number, role: FileRole, name: string, reason: string): void;
  twoProducers(file: string, first: number, second: number): void;
  readsOwnOutput(file: string, task: number): void;
  /** A submitter's file would be staged under the name of a file that `producer` writes. */
  hidesOutput(source: string, name: string, task: number, producer: number): void;
  /** Two different files of the submitter's would be staged under one name. */
  sameDestination(name: string, first: ExternalInput, source: string, task: number): void;
  tooMany(limit: number): void;
}

/** More file names than this, over all tasks, are refused. */
const maxReferences = 100_000_000;

export function inferEdges(numbering: TaskNumbering, reports: InferenceReports): Inference {
  const folded = new FoldedFiles(numbering);
  const inference = new Inferring(numbering, folded, reports);
  numbering.forEachGroup((_group, _first, numbered) => inference.addOutputs(numbered));
  numbering.forEachGroup((_group, _first, numbered) => inference.addInputs(numbered));
  return inference;
}

class Inferring implements Inference {
  readonly producers: Producers;
  readonly external: ExternalFiles;
  readonly edges = new EdgeList();
  readonly doneFiles = new Set<string>();
  readonly #numbering: TaskNumbering;
  readonly #folded: FoldedFiles;
  readonly #reports: InferenceReports;
  /** The last consumer an edge from this producer was drawn to: one edge, however many files go along it. */
  #lastConsumer: Int32Array | undefined;
  #references = 0;
  #anyDone = false;

  constructor(numbering: TaskNumbering, folded: FoldedFiles, reports: InferenceReports) {
    this.#numbering = numbering;
    this.#folded = folded;
    this.#reports = reports;
    const outputs = folded.files.filter(({ role }) => role === "output");
    this.producers = new Producers(outputs, numbering.groupCount);
    const inputs = folded.files.filter(({ role, numbered }) => role === "input" && !numbered.group.task.done);
    this.external = new ExternalFiles(inputs);
    numbering.forEachGroup(({ task }) => {
      this.#anyDone ||= task.done;
    });
  }

  addOutputs({ group, first, strides }: NumberedGroup): void {
    if (group.loops.length === 0) {
      forEachName(group.task, "output", (written) => this.#output(first, written));
      return;
    }
    const { constant, varying } = this.#folded.unfolded(group, "output");
    for (const reference of constant) {
      for (const written of expandReference(reference, noBindings)) {
        forEachNumber(group.loops, strides, first, (task) => this.#output(task, written));
      }
    }
    if (varying.length === 0) return;
    forEachElement(group.loops, strides, first, (task, bindings) => {
      for (const reference of varying) {
        for (const written of expandReference(reference, bindings)) this.#output(task, written);
      }
    });
  }

  addInputs({ group, first, strides }: NumberedGroup): void {
    if (group.loops.length === 0) {
      forEachName(group.task, "input", (written) => this.#input(first, written));
      return;
    }
    const { constant, varying } = this.#folded.unfolded(group, "input");
    for (const reference of constant) {
      for (const written of expandReference(reference, noBindings)) {
        const producer = this.#input(first, written);
        // What holds for the first task of a loop holds for all; only the edges are one for each.
        if (producer === undefined) continue;
        forEachNumber(group.loops, strides, first, (task) => this.#edge(producer, task, written));
      }
    }
    if (varying.length === 0) return;
    forEachElement(group.loops, strides, first, (task, bindings) => {
      for (const reference of varying) {
        for (const written of expandReference(reference, bindings)) this.#input(task, written);
      }
    });
  }

  #output(task: number, template: string): void {
    if (!this.#count() || isOfOneJob(template)) return;
    const written = withTaskNumber(template, task);
    const destination = outputDestination(written);
    if (destination.is === "refused") {
      this.#reports.refused(task, "output", written, destination.reason);
      return;
    }
    const other = this.producers.add(destination.name, task);
    if (other !== task) this.#reports.twoProducers(destination.name, other, task);
  }

  /** The producer, if there is an edge from it. */
  #input(task: number, template: string): number | undefined {
    if (!this.#count()) return undefined;
    const written = withTaskNumber(template, task);
    const destination = inputDestination(written);
    if (destination.is === "refused") {
      this.#reports.refused(task, "input", written, destination.reason);
      return undefined;
    }
    const { name, absolute } = destination;
    const producer = this.producers.ofName(name);
    if (producer !== undefined && !absolute) {
      this.#edge(producer, task, name);
      // What a task marked `done` has written is the submitter's to bring along, like any other file.
      if (this.#isDone(producer) && !this.#isDone(task)) {
        this.external.add(name, name, task);
        this.doneFiles.add(name);
      }
      return producer;
    }
    if (producer !== undefined) this.#reports.hidesOutput(written, name, task, producer);
    // A task marked `done` is never run, so it needs nothing.
    else if (!this.#isDone(task)) {
      const source = absolute ? written : name;
      const known = this.external.add(name, source, task);
      if (known) this.#reports.sameDestination(name, known, source, task);
    }
    return undefined;
  }

  #isDone(task: number): boolean {
    return this.#anyDone && this.#numbering.groupOf(task).task.done;
  }

  #edge(producer: number, task: number, file: string): void {
    if (producer === task) {
      this.#reports.readsOwnOutput(file, task);
      return;
    }
    this.#lastConsumer ??= new Int32Array(this.#numbering.taskCount).fill(-1);
    if (this.#lastConsumer[producer] === task) return;
    this.#lastConsumer[producer] = task;
    this.edges.add(producer, task);
  }

  #count(): boolean {
    this.#references += 1;
    if (this.#references === maxReferences + 1) this.#reports.tooMany(maxReferences);
    return this.#references <= maxReferences;
  }
}
