/**
 * Removing what tasks leave, in two ways.
 *
 * A directory with few entries, bottom up and without asking first: the library's own recursive removal tries the top first
 * and learns from the error, which costs more than all the rest for the small trees of short tasks.
 *
 * Anything else by the system's own programs, which go down step by step and hold on to where they are: directories may be
 * nested deeper than a path name can be long, closed to their own owner, or changed by others meanwhile.
 */
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./log";
import { runProgram } from "./run-program";

export function removeSmallTree(path: string): void {
  try {
    emptySmallTree(path);
    rmdirSync(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

function emptySmallTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) removeSmallTree(child);
    else unlinkSync(child);
  }
}

/** Throws if something stays. */
export async function removeAwkwardTree(path: string): Promise<void> {
  const { code } = await runProgram(["rm", "-rf", "--", path]);
  if (code === 0) return;
  // Root needs no permission, and must not give any in a tree that is not its own.
  if (process.getuid?.() !== 0) {
    await runProgram(["chmod", "-R", "u+rwx", "--", path]);
    await runProgram(["rm", "-rf", "--", path]);
  }
  if (lstatSync(path, { throwIfNoEntry: false })) throw new Error(`${path} could not be removed.`);
}
