/**
 * The disk that holds the journal fills up during a run. People see why nothing moves; when there is room again the run
 * goes on by itself, with nothing lost and nothing done twice. Both ways a full disk shows: PostgreSQL refuses what needs
 * a new page and stays up, or finds no room for its write-ahead log and falls over, again and again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { homeAt } from "./home";
import { flawless, TestPortal } from "./portal-for-tests";
import type { PortalStatus } from "./portal-trouble";
import { isAlive } from "./process-identity";
import { runInNamespaces, SmallDisk } from "./small-disk-for-tests";
import { makeTemporaryHome, type TemporaryHome } from "./temporary-home";

const megabytes = 256;
let disk: SmallDisk | undefined;
let temporary: TemporaryHome | undefined;
let portal: TestPortal | undefined;

afterEach(async () => {
  await disk?.free().catch(() => undefined);
  await portal?.stop();
  await temporary?.remove();
  await disk?.remove();
  portal = temporary = disk = undefined;
});

const statusOf = async (running: TestPortal): Promise<PortalStatus> =>
  (await fetch(`${running.stack.url}/api/status`)).json();

test("the disk of the journal is full: the run waits, people see why, and it goes on when there is room", async () => {
  disk = await SmallDisk.make(megabytes);
  if (!disk) return runInNamespaces("server/disk-full.integration.test.ts", megabytes);
  temporary = await makeTemporaryHome();
  const home = { ...homeAt(temporary.home.root), database: `${disk.directory}/postgres` };
  portal = await TestPortal.start({ home, web: true });
  const tasks = 160;
  const run = await portal.startFanOut(tasks);
  const started = async () => (await portal?.started(tasks)) ?? 0;
  await expect.poll(started, { timeout: 20_000 }).toBeGreaterThan(8);
  expect(await statusOf(portal)).toEqual({ trouble: null });

  // First: no room for a further page of a table. The server stays up.
  await disk.fill();
  const full = {
    trouble: { is: "disk-full", sentence: expect.stringMatching(/^The portal's disk is full; runs wait/) },
  };
  await expect.poll(() => statusOf(portal!), { timeout: 40_000 }).toMatchObject(full);
  const before = await started();
  await sleep(3000);
  // Agents finish what they have and get nothing new.
  expect((await started()) - before).toBeLessThanOrEqual(8);
  await disk.free();
  await expect.poll(() => statusOf(portal!), { timeout: 20_000 }).toEqual({ trouble: null });
  await expect.poll(started, { timeout: 20_000 }).toBeGreaterThan(before + 8);

  // Then: no room for the write-ahead log. The server falls over and cannot come up.
  expect(await portal.goesOn(run)).toBe(true);
  const database = await portal.databasePid();
  await disk.fill();
  for (let segment = 0; segment < 40 && isAlive(database); segment++) {
    // A segment is left for the next one only if something is in it; this needs no page of a table.
    const used = "SELECT pg_logical_emit_message(false, 'room', 'taken'); SELECT pg_switch_wal()";
    await portal.pool.query(used).catch(() => undefined);
    await sleep(50);
  }
  await expect.poll(() => isAlive(database), { timeout: 20_000 }).toBe(false);
  await expect.poll(() => statusOf(portal!), { timeout: 20_000 }).toMatchObject(full);
  await sleep(3000);
  expect(await statusOf(portal)).toMatchObject(full);
  await disk.free();
  await expect.poll(() => statusOf(portal!), { timeout: 40_000 }).toEqual({ trouble: null });

  expect(await portal.settle(run, 90_000)).toEqual(flawless(tasks));
}, 300_000);
