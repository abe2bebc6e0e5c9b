/**
 * Closes what whoever started the agent had open and let through by accident, so that it does not reach the tasks. The
 * runtime already keeps the low numbers from programs it starts, but stops at the first gap; its own descriptors are all marked
 * as not to be passed on, and stay.
 */
import { closeSync, readdirSync, readFileSync } from "node:fs";

const closedOnExec = 0o2000000;

export function closeInheritedDescriptors(): void {
  for (const name of readdirSync("/proc/self/fd")) {
    const descriptor = Number(name);
    if (descriptor <= 2 || isKeptToOurselves(descriptor)) continue;
    try {
      closeSync(descriptor);
    } catch {
      // The one that listed the directory is gone already.
    }
  }
}

function isKeptToOurselves(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"));
    return flags?.[1] === undefined || (Number.parseInt(flags[1], 8) & closedOnExec) !== 0;
  } catch {
    return true;
  }
}
