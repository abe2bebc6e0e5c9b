/**
 * Edges from data flow (GR-2): a task waits for whoever writes its inputs. One table from file names to producers,
 * filled once and asked once per input, so it takes linear time where the thesis' prototype took quadratic.
 */
import { EdgeList } from "./adjacency";
import { noBindings } from "./expand";
import { ExternalFiles } from "./external-files";
import { inputDestination, outputDestination } from "./file-names";
import { expandReference, type FileReference, type FileRole, fileReferences } from "./file-references";
import type { TaskNumbering } from "./numbering";
import type { ExternalInput } from "./workflow";

export interface Inference {
  producers: ReadonlyMap<string, number>;
  external: ExternalFiles;
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
  const producers = new Map<string, number>();
  const external = new ExternalFiles();
  const edges = new EdgeList();
  let references = 0;
  const count = (): boolean => {
    references += 1;
    if (references === maxReferences + 1) reports.tooMany(maxReferences);
    return references <= maxReferences;
  };

  forEachFile(numbering, "output", (task, written) => {
    if (!count()) return;
    const destination = outputDestination(written);
    if (destination.is === "refused") {
      reports.refused(task, "output", written, destination.reason);
      return;
    }
    const other = producers.get(destination.name);
    if (other === undefined) producers.set(destination.name, task);
    else if (other !== task) reports.twoProducers(destination.name, other, task);
  });

  // The last consumer an edge from this producer was drawn to: one edge, however many files go along it.
  const lastConsumer = new Int32Array(numbering.taskCount).fill(-1);
  forEachFile(numbering, "input", (task, written) => {
    if (!count()) return;
    const destination = inputDestination(written);
    if (destination.is === "refused") {
      reports.refused(task, "input", written, destination.reason);
      return;
    }
    const { name } = destination;
    const producer = producers.get(name);
    if (producer === undefined || destination.absolute) {
      if (producer !== undefined) reports.hidesOutput(written, name, task, producer);
      else {
        const source = destination.absolute ? written : name;
        const known = external.add(name, source, task);
        if (known) reports.sameDestination(name, known, source, task);
      }
    } else if (producer === task) reports.readsOwnOutput(name, task);
    else if (lastConsumer[producer] !== task) {
      lastConsumer[producer] = task;
      edges.add(producer, task);
    }
  });

  return { producers, external, edges };
}

/** Every file name of every task, as written. Templates without holes are expanded once for their whole group. */
function forEachFile(numbering: TaskNumbering, role: FileRole, visit: (task: number, written: string) => void): void {
  numbering.forEachTask((group) => {
    const references = fileReferences(group.task, role);
    if (references.length === 0) return undefined;
    const varying = references.filter(hasHole);
    const constant = references
      .filter((reference) => !hasHole(reference))
      .flatMap((reference) => expandReference(reference, noBindings));
    return (task, bindings) => {
      for (const name of constant) visit(task, name);
      for (const reference of varying) for (const name of expandReference(reference, bindings)) visit(task, name);
    };
  });
}

function hasHole({ template }: FileReference): boolean {
  return template.some((piece) => "variable" in piece);
}
