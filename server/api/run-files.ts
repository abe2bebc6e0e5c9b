/** The files of a run: what was brought and what was made, and which of them can be downloaded. */
import type { RunId } from "@/core/engine/ids";
import { inputsOfRun } from "@/server/journal/queries/inputs-of-run";
import { lookupInputs } from "@/server/journal/queries/lookup-inputs";
import { outputsOfRun } from "@/server/journal/queries/outputs-of-run";
import type { Backend } from "./backend";
import type { RunFile } from "./views";

type Access = Pick<Backend, "pool">;

export interface StoredRunFile {
  name: string;
  sha256: string;
  size: number;
}

export async function listFiles({ pool }: Access, run: RunId): Promise<RunFile[]> {
  const [inputs, outputs] = await Promise.all([inputsOfRun(pool, run), outputsOfRun(pool, run)]);
  return [
    ...outputs.map(({ name, size, task, transient }) => ({ name, size, task, transient })),
    ...inputs.map(({ name, size }) => ({ name, size, task: null, transient: false })),
  ];
}

/** What an archive of the results holds. */
export async function resultsOfRun({ pool }: Access, run: RunId): Promise<StoredRunFile[]> {
  const outputs = await outputsOfRun(pool, run);
  return outputs.filter((output) => !output.transient).map(({ name, sha256, size }) => ({ name, sha256, size }));
}

/** A file of the run by its name; nothing if there is none or if it stayed on the grid. */
export async function fileOfRun({ pool }: Access, run: RunId, name: string): Promise<StoredRunFile | undefined> {
  // No file has such a name, and the database would not take the question.
  if (name.includes("\0")) return undefined;
  const found = (await lookupInputs(pool, run, [name])).get(name);
  return found && !found.transient ? found : undefined;
}
