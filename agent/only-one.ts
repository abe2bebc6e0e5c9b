/**
 * One agent a directory: a second one would start the same tasks again. An agent that is just being stopped gets a moment
 * to finish.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "./log";
import { startOf } from "./processes";

export async function beOnly(file: string, patienceMs = 5000): Promise<void> {
  const me = `${process.pid} ${startOf(process.pid)}\n`;
  for (const until = Date.now() + patienceMs; ; await delay(50)) {
    try {
      writeFileSync(file, me, { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    const [pid, start] = readFileSync(file, "utf8").trim().split(" ");
    if (startOf(Number(pid)) !== start) rmSync(file, { force: true });
    else if (Date.now() > until) throw new Error(`Another agent (process ${pid}) uses this directory.`);
  }
}
