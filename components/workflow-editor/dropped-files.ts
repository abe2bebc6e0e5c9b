/**
 * Files dropped together: which one is the workflow, which belong to its description, which are inputs. A file the
 * present workflow asks for is what it asks for; `core/languages/pick.ts` looks for a workflow among the others.
 */
import type { Format } from "@/core/languages";
import { pickWorkflow, readWithCompanions, type TextFile } from "@/core/languages/pick";
import type { ExternalInput } from "@/core/workflow/workflow";
import type { Description } from "./description";
import { destinationFor, type FileStates } from "./input-files";

/** As much text as the portal stores for a workflow. */
const largestText = 16 * 1024 * 1024;

/** The part of `File` this needs. */
export interface DroppedFile {
  name: string;
  size: number;
  text(): Promise<string>;
}

export interface ReadFile<F> extends TextFile {
  file: F;
}

/** A file and the name it is kept under. */
export interface PlacedFile<F> {
  name: string;
  file: F;
}

export interface Placed<F> {
  companions: (PlacedFile<F> & { text: string })[];
  inputs: PlacedFile<F>[];
}

export type Sorted<F> =
  | ({ is: "workflow"; main: ReadFile<F>; format: Format } & Placed<F>)
  | ({ is: "files" } & Placed<F>)
  | { is: "choice"; candidates: { name: string; title: string }[] };

/** The answer to a choice: the workflow's name, or that it is none of them. */
export type Choice = { workflow: string } | { workflow: undefined };

/** What cannot be a text is left empty, and so can only be an input. */
export async function readDropped<F extends DroppedFile>(files: readonly F[]): Promise<ReadFile<F>[]> {
  return await Promise.all(
    files.map(async (file) => ({
      name: file.name,
      file,
      text: file.size <= largestText ? await file.text() : "",
    })),
  );
}

export function sortDropped<F extends object>(
  dropped: readonly ReadFile<F>[],
  present: Description,
  known: FileStates,
  choice?: Choice,
): Sorted<F> {
  const forPresent = place(dropped, present, known);
  const asked = new Set([...forPresent.companions, ...forPresent.wanted].map(({ file }) => file));
  const picked = choice ? chosen(dropped, choice) : pickWorkflow(dropped.filter(({ file }) => !asked.has(file)));
  if (picked.is === "none") return { is: "files", companions: forPresent.companions, inputs: forPresent.inputs };
  if (picked.is === "choice") {
    return { is: "choice", candidates: picked.candidates.map(({ file, format }) => named(file, format)) };
  }
  const { file: main, format } = picked;
  const beside = dropped.filter((other) => other !== main);
  const { companions, inputs } = place(beside, { ...present, name: main.name, text: main.text }, known);
  return { is: "workflow", main, format, companions, inputs };
}

function chosen<F extends object>(
  dropped: readonly ReadFile<F>[],
  { workflow }: Choice,
): ReturnType<typeof pickWorkflow<ReadFile<F>>> {
  return workflow === undefined ? { is: "none" } : pickWorkflow(dropped.filter(({ name }) => name === workflow));
}

function named({ name }: TextFile, { title }: Format): { name: string; title: string } {
  return { name, title };
}

/** Where each of the files goes if `text` is the workflow; `wanted` are the inputs it asks for. */
function place<F extends object>(
  dropped: readonly ReadFile<F>[],
  { name = "", text, companions: present }: Description,
  known: FileStates,
): Placed<F> & { wanted: PlacedFile<F>[] } {
  const again = new Set(dropped.map((file) => file.name));
  const kept = [...present]
    .filter(([companion]) => !again.has(lastPart(companion)))
    .map(([companion, content]) => ({ name: companion, text: content, file: undefined }));
  const read = readWithCompanions<TextFile & { file: F | undefined }>({ name, text }, [...dropped, ...kept]);
  const companions = [...read.companions].flatMap(([to, from]) =>
    from.file === undefined ? [] : [{ name: to, file: from.file, text: from.text }],
  );
  const described = new Set(companions.map(({ file }) => file));
  const inputs = dropped
    .filter(({ file }) => !described.has(file))
    .map((file) => ({ name: destinationFor(file.name, read.inputs, known), file: file.file }));
  return { companions, inputs, wanted: inputs.filter((input) => isInput(input.name, read.inputs)) };
}

function isInput(name: string, inputs: readonly ExternalInput[]): boolean {
  return inputs.some((input) => input.name === name);
}

function lastPart(path: string): string {
  return path.split("/").at(-1) ?? path;
}
