/**
 * The files a workflow's text names as part of its description (a DAG's submit files, its splices), read from beside it.
 * Which they are is known only when the text has been read, so it is read again until it asks for no more.
 */
import { dirname, resolve } from "node:path";
import { parseWorkflow } from "@/core/languages";

/** Files that name further files are followed this deep at most. */
const maxRounds = 100;

export async function filesBeside(
  text: string,
  file: string,
  readFile: (path: string) => Promise<string>,
): Promise<(name: string) => string | undefined> {
  const known = new Map<string, string | undefined>();
  for (let round = 0; round < maxRounds; round++) {
    const wanted = new Set<string>();
    parseWorkflow(text, file, (name) => {
      if (!known.has(name)) wanted.add(name);
      return known.get(name);
    });
    if (wanted.size === 0) break;
    for (const name of wanted) {
      known.set(name, await readFile(resolve(dirname(file), name)).catch(() => undefined));
    }
  }
  return (name) => known.get(name);
}
