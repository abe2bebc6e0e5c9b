/**
 * Directories of agents that could not remove them: killed with their job, or with their host. Living agents touch a file in theirs
 * every half minute; one that nobody touched for two days is nobody's. They may be of other hosts with the same home.
 */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { log, sentenceOf } from "./log";
import { removeAwkwardTree } from "./remove-tree";

const abandonedMs = 2 * 24 * 3600 * 1000;

export function touch(directory: string): void {
  try {
    writeFileSync(join(directory, "alive"), "", { mode: 0o600 });
  } catch (error) {
    log(`${directory} cannot be written to: ${sentenceOf(error)}`);
  }
}

/** Those beside the agent's own. */
export async function removeAbandoned(own: string, now = Date.now()): Promise<void> {
  const place = dirname(own);
  for (const name of readdirSync(place)) {
    const path = join(place, name);
    if (!/^[0-9a-f-]{36}\./.test(name) || name === basename(own) || now - lastTouch(path) < abandonedMs) continue;
    await removeAwkwardTree(path).catch((error) => log(`${path} could not be removed: ${sentenceOf(error)}`));
  }
}

function lastTouch(path: string): number {
  const found = [join(path, "alive"), path].map((one) => statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.max(...found);
}
