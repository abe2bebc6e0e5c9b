/**
 * One portal for one GRIDLOOM_HOME. `run/portal.json` names the process that holds it (with the time it started, so
 * that a reused process number is not taken for it) and tells programs on this machine how to reach it. Mode 0600:
 * the database's address includes its password.
 */
import { link, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Home } from "./home";
import { startOf } from "./process-identity";
import { writePrivateFile } from "./secrets";
import { StartProblem } from "./start-problem";

const portalFile = z.object({
  pid: z.number().int().positive(),
  start: z.string(),
  /** False for the engine that the command line starts for its own run. */
  web: z.boolean(),
  /** Absent until it is ready. */
  address: z.object({ databaseUrl: z.string(), gatewayUrl: z.string(), url: z.string().optional() }).optional(),
});
export type RunningPortal = z.infer<typeof portalFile>;
export type PortalAddress = NonNullable<RunningPortal["address"]>;

const fileOf = (home: Home) => join(home.run, "portal.json");

/** The live portal of this home, if there is one. */
export async function runningPortal(home: Home): Promise<RunningPortal | undefined> {
  const portal = parse(await read(fileOf(home)));
  return portal && startOf(portal.pid) === portal.start ? portal : undefined;
}

export class PortalLock {
  private constructor(
    private readonly home: Home,
    private readonly self: RunningPortal,
  ) {}

  static async take(home: Home, web: boolean): Promise<PortalLock> {
    const start = startOf(process.pid);
    if (start === undefined) throw new Error("This process cannot find itself in the process table.");
    const self: RunningPortal = { pid: process.pid, start, web };
    await mkdir(home.run, { recursive: true, mode: 0o700 });
    const file = fileOf(home);
    const mine = `${file}.${process.pid}`;
    await writePrivateFile(mine, JSON.stringify(self));
    try {
      // A link is made only if the name is free, and the file is complete from the first moment.
      while (!(await linkIfFree(mine, file))) {
        const found = await read(file);
        const other = parse(found);
        if (other && startOf(other.pid) === other.start) throw new StartProblem(alreadyRunning(home, other));
        await removeStale(file, found);
      }
    } finally {
      await rm(mine, { force: true });
    }
    return new PortalLock(home, self);
  }

  /** Tells where it can be reached, once it can. */
  async announce(address: PortalAddress): Promise<void> {
    await writePrivateFile(fileOf(this.home), `${JSON.stringify({ ...this.self, address })}\n`);
  }

  async release(): Promise<void> {
    await rm(fileOf(this.home), { force: true });
  }
}

function alreadyRunning(home: Home, other: RunningPortal): string {
  if (!other.web) {
    return `A command line run (process ${other.pid}) is using ${home.root}. Wait for it to end, or set GRIDLOOM_HOME to another directory.`;
  }
  const where = other.address?.url ? ` at ${other.address.url}` : "";
  return `Gridloom is already running${where} (process ${other.pid}, state in ${home.root}). To run a second one, set GRIDLOOM_HOME and PORT.`;
}

async function linkIfFree(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Two starters may find the same stale file. Moving it away succeeds for one of them; should the other move the
 * winner's fresh file instead, it sees that it is not the one it judged and puts it back.
 */
async function removeStale(file: string, judged: string | undefined): Promise<void> {
  const aside = `${file}.${process.pid}.stale`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
  if ((await read(aside)) !== judged) await linkIfFree(aside, file);
  await rm(aside, { force: true });
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

function parse(text: string | undefined): RunningPortal | undefined {
  if (text === undefined) return undefined;
  try {
    return portalFile.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
