/**
 * The files a workflow expects from its submitter. Relative names are beside the workflow file, or in another directory
 * that was named; absolute ones are where they say, since the submitter's machine is this one.
 */
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { ExternalInput } from "@/core/workflow/workflow";
import type { FileStore } from "@/server/files/store";
import type { RunInput } from "@/server/journal/queries/create-run";

export interface FoundInput {
  name: string;
  path: string;
}

/** Those that exist; the check then names the others. */
export async function findInputs(
  inputs: readonly ExternalInput[],
  directories: readonly string[],
): Promise<FoundInput[]> {
  const found = await Promise.all(
    inputs.map(async ({ source, name }) => {
      for (const directory of directories) {
        const path = resolve(directory, source);
        const file = await stat(path).catch(() => undefined);
        if (file?.isFile()) return { name, path };
      }
      return undefined;
    }),
  );
  return found.filter((input) => input !== undefined);
}

export async function storeInputs(store: FileStore, inputs: readonly FoundInput[]): Promise<RunInput[]> {
  const stored: RunInput[] = [];
  for (const { name, path } of inputs) stored.push({ name, ...(await store.put(createReadStream(path))) });
  return stored;
}
