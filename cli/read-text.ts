/** A file a command was given, or nothing after having said why it cannot be read. */
import type { Problem } from "@/core/problem";
import { formatProblem } from "@/core/problem";
import type { CommandIo } from "./io";

type ReadIo = Pick<CommandIo, "readFile" | "stderr">;

export async function readText(file: string, io: ReadIo): Promise<string | undefined> {
  try {
    return await io.readFile(file);
  } catch (error) {
    const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const reason = missing ? "there is no such file" : error instanceof Error ? error.message : String(error);
    io.stderr(`${file} cannot be read: ${reason}\n`);
    return undefined;
  }
}

/** What `read` makes of the file, or nothing after having said what is wrong in it. */
export async function readParsed<T extends { ok: true }>(
  file: string,
  io: ReadIo,
  read: (text: string) => T | { ok: false; problem: Problem },
): Promise<T | undefined> {
  const text = await readText(file, io);
  if (text === undefined) return undefined;
  const result = read(text);
  if (result.ok) return result;
  io.stderr(`${formatProblem(result.problem, file)}\n`);
  return undefined;
}
