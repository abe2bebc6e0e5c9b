/**
 * What describes a workflow in the editor: its text, and the texts of the files it names as part of itself (a DAG's
 * submit files). The companions go by the names they are kept under; the text itself goes by `mainFile`.
 */
import { companionName } from "@/core/languages/companions";
import type { Problem, Span } from "@/core/problem";

export const mainFile = "";

export interface Description {
  /** The name of the file the text came in, if it came in one. */
  name?: string;
  text: string;
  companions: ReadonlyMap<string, string>;
}

export interface Place {
  file: string;
  at: Span;
}

export function textOf(description: Description, file: string): string {
  return file === mainFile ? description.text : (description.companions.get(file) ?? "");
}

export function withText(description: Description, file: string, text: string): Description {
  if (file === mainFile) return { ...description, text };
  return { ...description, companions: new Map(description.companions).set(file, text) };
}

export function withoutCompanion(description: Description, file: string): Description {
  if (!description.companions.has(file)) return description;
  const companions = new Map(description.companions);
  companions.delete(file);
  return { ...description, companions };
}

export function readCompanion(description: Description, asked: string): string | undefined {
  return description.companions.get(companionName(asked));
}

/** Where a problem can be mended: in the companion it is about, if that is here. */
export function placeOf(problem: Problem, { companions }: Description): Place | undefined {
  const file = problem.inFile && companionName(problem.inFile.name);
  if (problem.inFile && file && companions.has(file)) return { file, at: problem.inFile.at };
  return problem.at && { file: mainFile, at: problem.at };
}

/** `split.sub:3:12`, `w.dag:1:7`; `1:7` for a text without a name. */
export function placeLabel(problem: Problem, { name }: Description): string {
  const { inFile } = problem;
  const at = inFile?.at ?? problem.at;
  if (!at) return "";
  return [inFile?.name ?? name, at.line, at.column].filter((part) => part !== undefined).join(":");
}

/** The problems to mark in one of the files. What is wrong in a companion is marked there and where it is named. */
export function marksIn(file: string, problems: readonly Problem[]): (Pick<Problem, "severity"> & MarkText)[] {
  return problems.flatMap(({ severity, message, at, inFile }) => {
    if (file !== mainFile) {
      return inFile && companionName(inFile.name) === file ? [{ severity, message, at: inFile.at }] : [];
    }
    return at ? [{ severity, message: inFile ? `${inFile.name}:${inFile.at.line}: ${message}` : message, at }] : [];
  });
}

interface MarkText {
  message: string;
  at: Span;
}
