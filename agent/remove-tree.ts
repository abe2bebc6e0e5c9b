/**
 * Removes a directory with few entries, bottom up and without asking first. The library's own recursive removal tries
 * the top first and learns from the error, which costs more than all the rest for the small trees of short tasks.
 */
import { readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./log";

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
