/**
 * Removing what tasks leave, in two ways.
 *
 * A directory with few entries, bottom up and without asking first: the library's own recursive removal tries the top first
 * and learns from the error, which costs more than all the rest for the small trees of short tasks.
 *
 * Anything else by the system's own programs, which go down step by step: directories may be nested deeper than a path name
 * can be long, and closed to their own owner.
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

export function emptySmallTree(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) removeSmallTree(child);
    else unlinkSync(child);
  }
}

/** Throws if something stays. Nothing may run any more that could change the tree meanwhile. */
export async function removeAwkwardTree(path: string): Promise<void> {
  const { code } = await runProgram(["rm", "-rf", "--", path]);
  if (code === 0) return;
  await runProgram(["chmod", "-R", "u+rwx", "--", path]);
  await runProgram(["rm", "-rf", "--", path]);
  if (lstatSync(path, { throwIfNoEntry: false })) throw new Error(`${path} could not be removed.`);
}
