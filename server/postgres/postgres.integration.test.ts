/** The embedded PostgreSQL as the portal uses it: made once, durable, and never left behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { build } from "esbuild";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkoutDirectory } from "@/server/checkout";
import type { Home } from "@/server/home";
import { createHome } from "@/server/open-home";
import { isAlive } from "@/server/process-identity";
import { makeTemporaryHome } from "@/server/temporary-home";
import { EmbeddedPostgres } from "./server";

let home: Home;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ home, remove } = await makeTemporaryHome());
  await createHome(home);
});

afterEach(() => remove());

describe("the embedded PostgreSQL", () => {
  it("keeps what was committed over a stop and a start, on the same port", async () => {
    const first = await start();
    await query(first.url, "CREATE TABLE kept (value integer)");
    await query(first.url, "INSERT INTO kept VALUES (42)");
    const url = first.url;
    await first.stop();

    const second = await start();
    try {
      expect(second.url).toBe(url);
      expect(await query(second.url, "SELECT value FROM kept")).toEqual([{ value: 42 }]);
    } finally {
      await second.stop();
    }
  });

  it("listens on the loopback interface only and asks for the generated password, kept in a file of mode 0600", async () => {
    const server = await start();
    try {
      expect(await query(server.url, "SHOW listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }]);
      expect((await stat(join(home.secrets, "database-password"))).mode & 0o777).toBe(0o600);
      const wrong = new URL(server.url);
      wrong.password = "guess";
      await expect(query(wrong.href, "SELECT 1")).rejects.toThrow(/password authentication failed/);
    } finally {
      await server.stop();
    }
  });

  it("ends when whoever started it is killed outright", async () => {
    const starter = await startInOtherProcess();
    const server = await serverPid();
    expect(isAlive(server)).toBe(true);

    starter.kill("SIGKILL");

    await until(() => !isAlive(server));
  });

  it("starts again after its server was killed and its pid file now names a stranger", async () => {
    const first = await start();
    await query(first.url, "CREATE TABLE kept (value integer)");
    process.kill(await serverPid(), "SIGKILL");
    await first.stop();
    await writeFile(join(home.database, "postmaster.pid"), `${process.pid}\n${home.database}\n`);

    const second = await start();
    try {
      expect(await query(second.url, "SELECT count(*)::integer AS rows FROM kept")).toEqual([{ rows: 0 }]);
    } finally {
      await second.stop();
    }
  });

  it("replaces a server that outlived its portal", async () => {
    const starter = await startInOtherProcess();
    const stale = await serverPid();
    starter.kill("SIGSTOP");
    try {
      const server = await start();
      expect(isAlive(stale)).toBe(false);
      await server.stop();
    } finally {
      starter.kill("SIGKILL");
    }
  });

  it("tells when the server ends by itself, and comes back on the same address", async () => {
    let told: (how: string) => void = () => {};
    const exit = new Promise<string>((resolve) => {
      told = resolve;
    });
    const server = await EmbeddedPostgres.start({ home, log: () => {}, onUnexpectedExit: (how) => told(how) });
    try {
      const { url } = server;
      process.kill(await serverPid(), "SIGKILL");
      expect(await exit).toMatch(/signal|code/);
      await server.restart();
      expect(await query(url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    } finally {
      await server.stop();
    }
  });

  it("says in a sentence that the data was made by another version", async () => {
    const server = await start();
    await server.stop();
    await writeFile(join(home.database, "PG_VERSION"), "12\n");

    await expect(start()).rejects.toThrow(/was made by PostgreSQL 12/);
  });
});

function start(): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({ home, log: () => {} });
}

/** A small program that starts the server and waits, so that it can be killed. */
async function startInOtherProcess(): Promise<ChildProcess> {
  const program = join(home.root, "starter.mjs");
  const source = `
    import { EmbeddedPostgres } from "@/server/postgres/server";
    import { homeAt } from "@/server/home";
    await EmbeddedPostgres.start({ home: homeAt(${JSON.stringify(home.root)}), log: () => {} });
    process.send("up");
    setInterval(() => {}, 1000);`;
  await build({
    stdin: { contents: source, resolveDir: checkoutDirectory(), loader: "ts" },
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    define: { "import.meta.url": JSON.stringify(`file://${checkoutDirectory()}/server/starter.ts`) },
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    logLevel: "silent",
  });
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await once(child, "message");
  return child;
}

async function serverPid(): Promise<number> {
  return Number((await readFile(join(home.database, "postmaster.pid"), "utf8")).split("\n")[0]);
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; !condition(); waited += 50) {
    if (waited > 10_000) throw new Error("It did not happen within 10 s");
    await sleep(50);
  }
}
