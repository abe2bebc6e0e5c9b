/**
 * One agent a directory: a second one would start the same tasks again. An agent that is just being stopped gets a moment
 * to finish.
 *
 * The lock gets its name only when it is whole, so one that is not (written by a full disk, torn by a power failure) is nobody's.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "./log";
import { startOf } from "./processes";

export async function beOnly(file: string, patienceMs = 5000): Promise<void> {
  const mine = `${file}.${process.pid}`;
  try {
    writeFileSync(mine, `${process.pid} ${startOf(process.pid)}\n`, { mode: 0o600 });
    for (const until = Date.now() + patienceMs; !claim(mine, file); await delay(50)) {
      const holder = holderOf(file);
      if (holder === undefined) rmSync(file, { force: true });
      else if (Date.now() > until) throw new Error(`Another agent (process ${holder}) uses this directory.`);
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function claim(mine: string, file: string): boolean {
  try {
    linkSync(mine, file);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  }
}

/** The process that holds the lock, if it still runs. */
function holderOf(file: string): number | undefined {
  try {
    const [pid, start] = readFileSync(file, "utf8").trim().split(" ");
    return start !== undefined && startOf(Number(pid)) === start ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}
