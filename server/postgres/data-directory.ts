/**
 * The data directory: made by initdb beside its final place and renamed when complete, so that a start that was
 * interrupted leaves nothing half made behind.
 */
import { spawn } from "node:child_process";
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StartProblem } from "@/server/start-problem";
import type { Account } from "./account";
import { plainEnvironment } from "./plain-environment";
import type { PostgresPrograms } from "./programs";

export const databaseOwner = "gridloom";

export async function prepareDataDirectory(
  directory: string,
  programs: PostgresPrograms,
  account: Account | undefined,
  password: string,
): Promise<void> {
  const version = await readFile(join(directory, "PG_VERSION"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (version !== undefined) {
    if (version.trim() === programs.major) return;
    throw new StartProblem(
      `The database in ${directory} was made by PostgreSQL ${version.trim()}, but this Gridloom brings PostgreSQL ${programs.major}. ` +
        "Dump it with the earlier Gridloom and load it into a new GRIDLOOM_HOME.",
    );
  }
  await makeDataDirectory(directory, programs, account, password);
}

async function makeDataDirectory(
  directory: string,
  programs: PostgresPrograms,
  account: Account | undefined,
  password: string,
): Promise<void> {
  const unfinished = `${directory}.new`;
  const passwordFile = `${directory}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(dirname(directory), { recursive: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  try {
    if (account) {
      await chown(unfinished, account.uid, account.gid);
      await chown(passwordFile, account.uid, account.gid);
    }
    await runInitdb(programs.initdb, unfinished, passwordFile, account);
    await chmod(unfinished, 0o700);
    await rename(unfinished, directory);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function runInitdb(initdb: string, directory: string, passwordFile: string, account: Account | undefined) {
  // The builtin locale sorts and folds the same on every machine, whatever its C library knows.
  const options = [
    `--pgdata=${directory}`,
    `--username=${databaseOwner}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
  ];
  const child = spawn(initdb, options, {
    cwd: "/",
    env: plainEnvironment,
    stdio: ["ignore", "pipe", "pipe"],
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const status = await new Promise<number | string>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal ?? "unknown"));
  });
  if (status !== 0) throw new StartProblem(explainDatabaseFailure(said, directory, `initdb ended with ${status}`));
}

export function saysDiskFull(said: string): boolean {
  return /No space left on device|disk quota/i.test(said);
}

/** Turns what PostgreSQL said before it gave up into a sentence, with the last lines beneath for those who know it. */
export function explainDatabaseFailure(said: string, directory: string, what: string): string {
  const tail = said.trim().split("\n").slice(-8).join("\n");
  const sentence = saysDiskFull(said)
    ? `The disk that holds ${directory} is full. Free some space and start again.`
    : /Permission denied|Operation not permitted|wrong ownership/i.test(said)
      ? `The database may not write to ${directory}. Its directory must belong to the account that runs it, and be on a file system that knows owners.`
      : /could not bind|Address already in use/i.test(said)
        ? "The database's port was taken by another program in the meantime. Start again."
        : /error while loading shared libraries|GLIBC|not found \(required by/i.test(said)
          ? "The embedded PostgreSQL does not run on this system (a library is missing). Set DATABASE_URL to a PostgreSQL server of your own."
          : `The embedded PostgreSQL did not start (${what}).`;
  return tail === "" ? sentence : `${sentence}\n${tail}`;
}
