/**
 * One set-up at a time in a checkout: `npm start` and a command in another terminal may both find something to do.
 * The lock names its holder's process; one that is gone holds nothing.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SetupProblem, say } from "./console.mjs";
import { root } from "./fingerprint.mjs";

const lockFile = join(root, "dist", ".setup.lock");
let depth = 0;

export async function exclusively(body) {
  if (depth === 0) await acquire();
  depth += 1;
  try {
    return await body();
  } finally {
    depth -= 1;
    if (depth === 0) release();
  }
}

async function acquire() {
  let told = false;
  for (;;) {
    try {
      mkdirSync(dirname(lockFile), { recursive: true });
      writeFileSync(lockFile, String(process.pid), { flag: "wx" });
      process.once("exit", release);
      return;
    } catch (error) {
      if (error.code === "EACCES" || error.code === "EROFS" || error.code === "EPERM") {
        throw new SetupProblem(
          `Something must be built, but ${root} cannot be written by this account. Run "npm run build" once as its owner.`,
        );
      }
      if (error.code !== "EEXIST") throw error;
    }
    const holder = Number(read() ?? 0);
    if (!holder || !isAlive(holder)) {
      // An empty lock may be one that is being written this instant.
      if (!holder) await sleep(200);
      if (Number(read() ?? 0) === holder) rmSync(lockFile, { force: true });
      continue;
    }
    if (!told) say(`waiting for another set-up of this checkout (process ${holder})…`);
    told = true;
    await sleep(200);
  }
}

function release() {
  process.removeListener("exit", release);
  if (Number(read() ?? 0) === process.pid) rmSync(lockFile, { force: true });
}

function read() {
  try {
    return readFileSync(lockFile, "utf8");
  } catch {
    return undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
