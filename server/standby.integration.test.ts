/**
 * Two engines, one matcher: the second takes over from the first, whether that was killed or only paused, and the paused
 * one that wakes up does no harm, in the database or on the machines. The whole portal, with real tasks.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { flawless, TestPortal } from "./portal-for-tests";
import { isAlive } from "./process-identity";

const takeoverMs = 10_000;
let portal: TestPortal | undefined;
const paused = new Set<number>();

afterEach(async () => {
  // A paused process does not hear that it should stop.
  for (const pid of paused) if (isAlive(pid)) process.kill(pid, "SIGCONT");
  paused.clear();
  await portal?.stop();
  portal = undefined;
});

/** Takes the matcher away and returns how long it was until the other engine had handed out a task. */
async function takeAway(from: TestPortal, signal: "SIGKILL" | "SIGSTOP"): Promise<{ pid: number; tookMs: number }> {
  const { pid, epoch } = await from.matcher();
  const at = Date.now();
  process.kill(pid, signal);
  if (signal === "SIGSTOP") paused.add(pid);
  const handedOut = () => from.firstHandOutAfter(epoch);
  await expect.poll(handedOut, { timeout: 30_000, interval: 50 }).toBeDefined();
  return { pid, tookMs: ((await handedOut()) ?? Number.POSITIVE_INFINITY) - at };
}

test("the standby takes over within ten seconds from an engine that is killed, and from one that is paused", async () => {
  portal = await TestPortal.start({ standby: true });
  const tasks = 160;
  const run = await portal.startFanOut(tasks);
  await expect.poll(() => portal?.started(tasks), { timeout: 10_000 }).toBeGreaterThan(5);

  const killed = await takeAway(portal, "SIGKILL");
  expect(killed.tookMs).toBeLessThan(takeoverMs);

  await sleep(1000);
  const stopped = await takeAway(portal, "SIGSTOP");
  expect(stopped.tookMs).toBeLessThan(takeoverMs);
  console.info(`taken over after ${Math.round(killed.tookMs)} ms (killed), ${Math.round(stopped.tookMs)} ms (paused)`);

  // It wakes in the middle of what it was doing, finds that its time is over, and ends.
  process.kill(stopped.pid, "SIGCONT");
  await expect.poll(() => isAlive(stopped.pid), { timeout: 5_000 }).toBe(false);

  expect(await portal.settle(run, 60_000)).toEqual(flawless(tasks));
  const { rows } = await portal.pool.query<{ early: number }>(
    `SELECT count(*)::int AS early FROM engine.attempt AS older JOIN engine.attempt AS newer
       ON newer.run = older.run AND newer.epoch > older.epoch AND newer.sent_at < older.sent_at`,
  );
  expect(rows).toEqual([{ early: 0 }]);
});

test("an engine that is paused again and again, at any moment, never does a task twice", async () => {
  portal = await TestPortal.start({ standby: true });
  const tasks = 120;
  const run = await portal.startFanOut(tasks);
  for (const pauseMs of [3_000, 5_900, 6_100, 7_500]) {
    if (!(await portal.goesOn(run))) break;
    const { pid } = await portal.matcher();
    process.kill(pid, "SIGSTOP");
    paused.add(pid);
    await sleep(pauseMs);
    process.kill(pid, "SIGCONT");
    await sleep(400);
  }
  expect(await portal.settle(run, 60_000)).toEqual(flawless(tasks));
});
