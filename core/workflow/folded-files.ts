/**
 * The files of loops that can stay folded: names of which the pattern alone tells that no other task writes or reads
 * them. A pattern that might meet another name is unfolded, and the table of names (infer.ts) decides.
 */
import type { TaskGroup } from "./application";
import { type Bindings, noBindings } from "./expand";
import { inputDestination, outputDestination } from "./file-names";
import { expandReference, type FileReference, type FileRole, fileReferences } from "./file-references";
import { productSize } from "./loops";
import { hasPlaceholder, NamePattern, placeholderBindings } from "./name-pattern";
import type { NumberedGroup, TaskNumbering } from "./numbering";
import { dependsOnTaskNumber, withTaskNumber } from "./run-time-variables";

export interface FoldedFile {
  role: FileRole;
  reference: FileReference;
  pattern: NamePattern;
  numbered: NumberedGroup;
  absolute: boolean;
  /** It stands for the same files as another one before it. */
  repeated: boolean;
}

/** With more patterns than this, comparing each with each costs more than it saves. */
const maxPatterns = 1000;
const maxNameLength = 255;

export class FoldedFiles {
  readonly files: readonly FoldedFile[];
  readonly #references: ReadonlySet<FileReference>;
  readonly #referencesOf = new Map<TaskGroup, Record<FileRole, FileReference[]>>();

  constructor(numbering: TaskNumbering) {
    const candidates = this.#collect(numbering);
    const meeting = new Meetings(candidates);
    if (candidates.length > 0) this.#meetNames(numbering, candidates, meeting);
    this.files = candidates.filter((file) => !meeting.includes(file));
    this.#references = new Set(this.files.map(({ reference }) => reference));
  }

  /** The references of a group that are not folded: those that are the same for all its tasks, and the others. */
  unfolded(group: TaskGroup, role: FileRole): { constant: FileReference[]; varying: FileReference[] } {
    const references = (this.#referencesOf.get(group)?.[role] ?? fileReferences(group.task, role)).filter(
      (reference) => !this.#references.has(reference),
    );
    return {
      constant: references.filter((reference) => !varies(reference)),
      varying: references.filter(varies),
    };
  }

  #collect(numbering: TaskNumbering): FoldedFile[] {
    const found: FoldedFile[] = [];
    numbering.forEachGroup((group, _first, numbered) => {
      if (group.loops.length === 0 || productSize(group.loops) < 2 || found.length > maxPatterns) return;
      const references = { input: fileReferences(group.task, "input"), output: fileReferences(group.task, "output") };
      this.#referencesOf.set(group, references);
      const bindings = placeholderBindings(group);
      if (!bindings) return;
      for (const role of ["output", "input"] as const) {
        for (const reference of references[role]) {
          const file = varies(reference) ? foldedFile(role, reference, numbered, bindings) : undefined;
          if (file) found.push(file);
        }
      }
    });
    return found.length > maxPatterns ? [] : found;
  }

  /** Every name that is no candidate's, held against the candidates. */
  #meetNames(numbering: TaskNumbering, candidates: readonly FoldedFile[], meeting: Meetings): void {
    const patterns = new Set(candidates.map(({ reference }) => reference));
    const meet = (role: FileRole, task: number, written: string): void => {
      const destination = destinationOf(role, withTaskNumber(written, task));
      if (destination.is === "refused") return;
      for (const file of candidates) {
        if (!meeting.includes(file) && file.pattern.positions(destination.name)) meeting.add(file);
      }
    };
    for (const role of ["output", "input"] as const) {
      numbering.forEachTask((group) => {
        const references = this.#referencesOf.get(group)?.[role] ?? fileReferences(group.task, role);
        const varying: FileReference[] = [];
        for (const reference of references) {
          if (patterns.has(reference)) continue;
          if (varies(reference)) varying.push(reference);
          else for (const written of expandReference(reference, noBindings)) meet(role, 0, written);
        }
        if (varying.length === 0) return undefined;
        return (task, bindings) => {
          for (const reference of varying) {
            for (const written of expandReference(reference, bindings)) meet(role, task, written);
          }
        };
      });
    }
  }
}

/** Which candidates might meet another name. Those that stand for the same files stay or go together. */
class Meetings {
  readonly #meeting = new Set<FoldedFile>();
  readonly #twins = new Map<FoldedFile, FoldedFile[]>();

  constructor(candidates: readonly FoldedFile[]) {
    candidates.forEach((file, index) => {
      for (const other of candidates.slice(0, index)) {
        if (file.pattern.isApartFrom(other.pattern)) continue;
        if (areTwins(other, file)) {
          file.repeated = true;
          this.#link(file, other);
          this.#link(other, file);
        } else {
          this.add(file);
          this.add(other);
        }
      }
    });
    for (const file of [...this.#meeting]) this.#spread(file);
  }

  includes(file: FoldedFile): boolean {
    return this.#meeting.has(file);
  }

  add(file: FoldedFile): void {
    if (this.#meeting.has(file)) return;
    this.#meeting.add(file);
    this.#spread(file);
  }

  #spread(file: FoldedFile): void {
    for (const twin of this.#twins.get(file) ?? []) this.add(twin);
  }

  #link(file: FoldedFile, twin: FoldedFile): void {
    const twins = this.#twins.get(file);
    if (twins) twins.push(twin);
    else this.#twins.set(file, [twin]);
  }
}

/** Several tasks may read the same files; only one may write them, but it may say so twice. */
function areTwins(a: FoldedFile, b: FoldedFile): boolean {
  if (a.role !== b.role || a.absolute || b.absolute || !a.pattern.isSameAs(b.pattern)) return false;
  return a.role === "input" || (a.numbered.group === b.numbered.group && sameHoles(a.pattern, b.pattern));
}

function sameHoles(a: NamePattern, b: NamePattern): boolean {
  return a.holes.every((l, hole) => l === b.holes[hole]);
}

function foldedFile(
  role: FileRole,
  reference: FileReference,
  numbered: NumberedGroup,
  bindings: Bindings,
): FoldedFile | undefined {
  const { template } = reference;
  if (dependsOnTaskNumber(template) || template.some((piece) => "text" in piece && hasPlaceholder(piece.text))) {
    return undefined;
  }
  const [written, ...others] = expandReference(reference, bindings);
  if (written === undefined || others.length > 0) return undefined;
  const destination = destinationOf(role, written);
  if (destination.is === "refused" || !hasPlaceholder(destination.name)) return undefined;
  if (NamePattern.longest(written) > maxNameLength) return undefined;
  const pattern = NamePattern.of(destination.name, numbered.group.loops);
  // An absolute name may lose a hole with its directory: then different files would have one name.
  const isWhole = pattern && (!destination.absolute || pattern.holes.length === placeholdersIn(written));
  if (!pattern || !isWhole || (role === "output" && !pattern.isDistinct)) return undefined;
  return { role, reference, pattern, numbered, absolute: destination.absolute, repeated: false };
}

function placeholdersIn(written: string): number {
  return [...written].filter(hasPlaceholder).length;
}

function destinationOf(role: FileRole, written: string) {
  return role === "input" ? inputDestination(written) : outputDestination(written);
}

/** Whether the tasks of a loop may get different names out of it. */
function varies({ template }: FileReference): boolean {
  return template.some((piece) => "variable" in piece) || dependsOnTaskNumber(template);
}
