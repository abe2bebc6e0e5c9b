/** The whole portal without pages, with real processes: it comes up once, can be found, and goes away altogether. */
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runningPortal } from "./portal-lock";
import { startTestDatabase } from "./postgres/test-database";
import { isAlive } from "./process-identity";
import { type Stack, type StackOptions, StackStopped, startStack } from "./stack";
import { makeTemporaryHome, type TemporaryHome } from "./temporary-home";

let temporary: TemporaryHome;
let stack: Stack | undefined;

beforeEach(async () => {
  temporary = await makeTemporaryHome();
});

afterEach(async () => {
  await stack?.stop();
  stack = undefined;
  await temporary.remove();
});

describe("startStack", () => {
  it("registers this machine as a cluster, and keeps what an admin decided about it", async () => {
    stack = await start({ slots: 3 });
    expect(await query(stack.databaseUrl, "SELECT id, driver, enabled, slots FROM portal.cluster")).toEqual([
      { id: "local", driver: "local", enabled: true, slots: 3 },
    ]);
    await query(stack.databaseUrl, "UPDATE portal.cluster SET enabled = false, access = 'admins'");
    await stack.stop();

    stack = await start({ slots: 1 });
    expect(await query(stack.databaseUrl, "SELECT enabled, access, slots FROM portal.cluster")).toEqual([
      { enabled: false, access: "admins", slots: 1 },
    ]);
  });

  it("keeps only the hash of its agent's token", async () => {
    stack = await start();
    const [agent] = await query(stack.databaseUrl, "SELECT cluster, length(token_hash) AS bytes FROM engine.agent");
    expect(agent).toEqual({ cluster: "local", bytes: 32 });
  });

  it("refuses a second one on the same home and leaves the first alone", async () => {
    stack = await start();
    await expect(start()).rejects.toThrow(new RegExp(`process ${process.pid}`));
    expect((await runningPortal(temporary.home))?.address?.databaseUrl).toBe(stack.databaseUrl);
    expect(await query(stack.databaseUrl, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("stops within five seconds and leaves no process and no lock", async () => {
    stack = await start();
    const pids = Object.values(stack.pids()).filter((pid) => pid !== undefined);
    expect(pids.length).toBeGreaterThanOrEqual(2);
    const begin = performance.now();
    await stack.stop();
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await runningPortal(temporary.home)).toBeUndefined();
    await expect(query(stack.databaseUrl, "SELECT 1")).rejects.toThrow(/ECONNREFUSED/);
  });

  it("stops a standby before it could take over", async () => {
    stack = await start({ standby: true });
    await stack.stop();
    expect(await runningPortal(temporary.home)).toBeUndefined();
  });

  it("can be stopped in the middle of its start", async () => {
    const abort = new AbortController();
    const starting = start({}, abort.signal);
    setTimeout(() => abort.abort(), 300);
    await expect(starting).rejects.toThrow(StackStopped);
    expect(await runningPortal(temporary.home)).toBeUndefined();
  });

  it("uses an external database when it is given one, and says in a sentence when it cannot", async () => {
    const database = await startTestDatabase();
    try {
      stack = await start({ databaseUrl: database.url });
      expect(stack.databaseUrl).toBe(database.url);
      await stack.stop();
      const wrong = Object.assign(new URL(database.url), { password: "guess" }).href;
      await expect(start({ databaseUrl: wrong })).rejects.toThrow(/The database of DATABASE_URL .* cannot be used/);
      await expect(start({ databaseUrl: wrong })).rejects.not.toThrow(/guess/);
    } finally {
      await stack?.stop();
      await database.stop();
    }
  });
});

function start(options: Partial<StackOptions> = {}, abort?: AbortSignal): Promise<Stack> {
  return startStack({ home: temporary.home, web: false, slots: 1, log: () => {}, ...options }, abort);
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
