/**
 * The files of a workflow in the editor: which are needed, which are there, which are on their way. Pure;
 * `use-uploads.ts` moves the bytes.
 */
import type { ExternalInput } from "@/core/workflow/workflow";
import type { UploadedFile } from "@/server/api/views";

export type FileState =
  | { is: "provided"; file: UploadedFile }
  | { is: "uploading"; sent: number; size: number }
  | { is: "failed"; sentence: string };

export type FileStates = ReadonlyMap<string, FileState>;

export interface NeededFile {
  name: string;
  /** As written in the text, where that differs: a path on the submitter's own machine. */
  source?: string;
  state: FileState | { is: "missing" };
}

export interface FileOverview {
  /** Inputs of tasks that no task writes. */
  needed: NeededFile[];
  /** Part of the description: submit files and the like. */
  companions: NeededFile[];
  /** Brought along, but no task reads it under this name. */
  unused: { name: string; state: FileState }[];
  missing: string[];
  uploading: number;
}

export function overviewFiles(
  inputs: readonly ExternalInput[],
  files: FileStates,
  asked: readonly string[] = [],
): FileOverview {
  const names = new Set([...asked, ...inputs.map((input) => input.name)]);
  const needed = inputs.map((input) => ({
    name: input.name,
    source: input.source === input.name ? undefined : input.source,
    state: files.get(input.name) ?? ({ is: "missing" } as const),
  }));
  return {
    needed,
    companions: asked.map((name) => ({ name, state: files.get(name) ?? { is: "missing" } })),
    unused: [...files].filter(([name]) => !names.has(name)).map(([name, state]) => ({ name, state })),
    missing: needed
      .filter((file) => file.state.is === "missing" || file.state.is === "failed")
      .map((file) => file.name),
    uploading: [...files.values()].filter((state) => state.is === "uploading").length,
  };
}

/** The name a dropped file gets: that of the input it is meant for, even if the text names it in a folder. */
export function destinationFor(fileName: string, inputs: readonly ExternalInput[], files: FileStates): string {
  if (inputs.some((input) => input.name === fileName)) return fileName;
  const inFolder = inputs.filter((input) => input.name.split("/").at(-1) === fileName && !files.has(input.name));
  return inFolder.length === 1 ? (inFolder[0]?.name ?? fileName) : fileName;
}

export function providedFiles(files: FileStates): UploadedFile[] {
  return [...files.values()].flatMap((state) => (state.is === "provided" ? [state.file] : []));
}
