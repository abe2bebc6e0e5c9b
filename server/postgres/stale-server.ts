/**
 * What a crashed predecessor may have left in a data directory: a postmaster.pid whose number now belongs to somebody
 * else, or a server that still runs. The caller holds the home's lock, so nobody else wants that server.
 */
import { spawnSync } from "node:child_process";
import { readFile, readlink, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "@/server/process-identity";
import { StartProblem } from "@/server/start-problem";

export async function endStaleServer(directory: string, log: (line: string) => void): Promise<void> {
  const file = join(directory, "postmaster.pid");
  const pid = Number((await readFile(file, "utf8").catch(() => "")).split("\n")[0]);
  if (!Number.isInteger(pid) || pid <= 1) return;
  if (isAlive(pid) && (await isServerOf(pid, directory))) {
    log("ending the database server of a portal that crashed");
    await end(pid, directory);
  }
  await rm(file, { force: true });
}

/** A postmaster works in its data directory; where /proc does not tell, its command line names it. */
async function isServerOf(pid: number, directory: string): Promise<boolean> {
  const real = await realpath(directory);
  if (process.platform === "linux") return (await readlink(`/proc/${pid}/cwd`).catch(() => "")) === real;
  const { stdout } = spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" });
  return stdout.includes("postgres") && stdout.includes(directory);
}

async function end(pid: number, directory: string): Promise<void> {
  // Fast shutdown, then immediate, then without asking: the write-ahead log makes each of them safe.
  for (const [signal, patienceMs] of [
    ["SIGINT", 8000],
    ["SIGQUIT", 3000],
    ["SIGKILL", 2000],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (let waited = 0; waited < patienceMs; waited += 50) {
      if (!isAlive(pid)) return;
      await sleep(50);
    }
  }
  throw new StartProblem(`A database server (process ${pid}) still uses ${directory} and could not be ended.`);
}
