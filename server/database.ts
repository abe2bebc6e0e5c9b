/**
 * The portal's database: the embedded PostgreSQL, kept running, or the external one that DATABASE_URL names.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { Home } from "./home";
import { PartLog } from "./part-log";
import type { TroubleKind } from "./portal-trouble";
import { saysDiskFull } from "./postgres/data-directory";
import { EmbeddedPostgres } from "./postgres/server";
import { StartProblem } from "./start-problem";
import { type BackOff, defaultBackOff } from "./supervised-part";

export interface Database {
  url: string;
  stop(patienceMs: number): Promise<void>;
}

export interface DatabaseEvents {
  /** Lines for people. */
  log: (line: string) => void;
  /** The server ended by itself, and why; undefined when it is back. */
  onTrouble: (trouble: TroubleKind | undefined) => void;
}

export async function openDatabase(
  home: Home,
  externalUrl: string | undefined,
  events: DatabaseEvents,
): Promise<Database> {
  if (externalUrl) {
    await checkExternal(externalUrl);
    return { url: externalUrl, stop: async () => {} };
  }
  return startEmbedded(home, events);
}

async function startEmbedded(home: Home, { log, onTrouble }: DatabaseEvents): Promise<Database> {
  const output = new PartLog(join(home.logs, "postgres.log"));
  let stopping = false;
  /** Since it last came up, the server said that there was no room. */
  let diskFull = false;
  const server = await EmbeddedPostgres.start({
    home,
    log,
    output: (text) => {
      if (saysDiskFull(text)) diskFull = true;
      for (const line of text.trimEnd().split("\n")) output.write(line);
    },
    onUnexpectedExit: (how) => void bringBack(how),
  });

  async function bringBack(how: string, backOff: BackOff = defaultBackOff): Promise<void> {
    let what = `exited (${how})`;
    for (let delayMs = backOff.firstMs; !stopping; delayMs = Math.min(delayMs * 2, backOff.longestMs)) {
      log(`database ${what}, restarting in ${delayMs / 1000} s`);
      onTrouble(diskFull ? "disk-full" : "database-away");
      await sleep(delayMs);
      if (stopping) return;
      try {
        await server.restart();
        diskFull = false;
        onTrouble(undefined);
        return;
      } catch (error) {
        what = `did not start (${error instanceof Error ? error.message : String(error)})`;
      }
    }
  }

  return {
    url: server.url,
    stop: async (patienceMs) => {
      stopping = true;
      await server.stop(patienceMs);
      output.close();
    },
  };
}

async function checkExternal(url: string): Promise<void> {
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new StartProblem(
      "DATABASE_URL is not the address of a PostgreSQL database: postgresql://USER:PASSWORD@HOST:PORT/NAME",
    );
  }
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on("error", () => {});
  try {
    await client.connect();
  } catch (error) {
    const { hostname, port, pathname } = new URL(url);
    const place = `${hostname}${port ? `:${port}` : ""}${pathname}`;
    throw new StartProblem(
      `The database of DATABASE_URL (${place}) cannot be used: ${error instanceof Error && error.message ? error.message : "no connection"}.`,
    );
  } finally {
    await client.end().catch(() => {});
  }
}
