/**
 * The database goes away while a run goes on: stopped without a clean end, or killed with everything it had in memory. The
 * engine waits and goes on, and no task is done twice.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { flawless, TestPortal } from "./portal-for-tests";
import { isAlive } from "./process-identity";

let portal: TestPortal | undefined;

afterEach(async () => {
  await portal?.stop();
  portal = undefined;
});

test("PostgreSQL is stopped and killed during a run: the same engine goes on, and each task runs once", async () => {
  portal = await TestPortal.start();
  const tasks = 120;
  const run = await portal.startFanOut(tasks);
  const engine = await portal.pid("engine");
  let restarts = 0;
  for (const signal of ["SIGQUIT", "SIGKILL", "SIGQUIT", "SIGKILL"] as const) {
    await sleep(1500);
    expect(await portal.goesOn(run)).toBe(true);
    const database = await portal.databasePid();
    process.kill(database, signal);
    await expect.poll(() => isAlive(database), { timeout: 10_000 }).toBe(false);
    await expect.poll(() => portal?.databasePid(), { timeout: 20_000 }).not.toBe(database);
    restarts += 1;
  }
  expect(await portal.settle(run, 60_000)).toEqual(flawless(tasks));
  expect(restarts).toBe(4);
  expect(await portal.pid("engine")).toBe(engine);
});

test("a run that is submitted while the engine cannot commit is taken up when it can", async () => {
  portal = await TestPortal.start();
  const database = await portal.databasePid();
  process.kill(database, "SIGQUIT");
  await expect.poll(() => isAlive(database), { timeout: 10_000 }).toBe(false);
  await expect.poll(() => portal?.startFanOut(8, 0.1).catch(() => undefined), { timeout: 30_000 }).toBeDefined();
  const { rows } = await portal.pool.query<{ id: string }>("SELECT id FROM engine.run");
  for (const { id } of rows) expect((await portal.settle(id, 30_000)).state).toBe("succeeded");
});
