/** The files a workflow's text names as part of its description (a DAG's submit files, its splices), read from beside it. */
import { dirname, resolve } from "node:path";
import { parseWithCompanions } from "@/core/languages/companions";

export async function filesBeside(
  text: string,
  file: string,
  readFile: (path: string) => Promise<string>,
): Promise<(name: string) => string | undefined> {
  const read = (name: string) => readFile(resolve(dirname(file), name)).catch(() => undefined);
  return (await parseWithCompanions(text, file, read)).readFile;
}
