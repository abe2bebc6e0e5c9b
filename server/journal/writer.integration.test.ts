import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { countsOf } from "@/core/engine/counts-for-tests";
import type { JournalRecord } from "@/core/engine/ports";
import { TaskState } from "@/core/engine/task-state";
import { startTestDatabase, type TestDatabase } from "@/server/postgres/test-database";
import { acquireLease, holderIdentity, releaseLease, renewLease } from "./lease";
import { chunkSize } from "./pages";
import { openPool, type Pool } from "./pool";
import { attemptsOfTask } from "./queries/attempts-of-task";
import { eventsOfRun } from "./queries/events-of-run";
import { getRun } from "./queries/get-run";
import { lookupInputs } from "./queries/lookup-inputs";
import { outputsOfRun } from "./queries/outputs-of-run";
import { taskStatesSince } from "./queries/task-states-since";
import { activeRuns, loadRun } from "./recovery";
import { storeRun } from "./run-for-tests";
import { JournalWriter, type WriterEvents } from "./writer";

let database: TestDatabase;
let pool: Pool;
let lease: string;

beforeAll(async () => {
  database = await startTestDatabase();
  pool = openPool(database.url);
});
afterAll(async () => {
  await pool.end();
  await database.stop();
});
beforeEach(() => {
  lease = `test-${randomUUID()}`;
});

const agent = randomUUID();
const at = Date.UTC(2024, 0, 1);
const sha256 = "ab".repeat(32);

function record(run: string, task = 0, ordinal = 1) {
  const attempt = { run, task, ordinal };
  return {
    attempt: { is: "attempt", attempt, agent, cluster: "local", host: "here", because: "first", at },
    started: { is: "attempt-started", attempt, at },
    succeeded: (name: string): JournalRecord => ({
      is: "outcome",
      attempt,
      outcome: { is: "succeeded", outputs: [{ name, sha256, size: 3, transient: false }] },
      usage: { peakMemoryBytes: 7 },
      at,
    }),
    failed: (detail: string): JournalRecord => ({
      is: "outcome",
      attempt,
      outcome: { is: "failed", reason: "exit-code", exitCode: 3, detail },
      usage: {},
      at,
    }),
    state: (state: TaskState): JournalRecord => ({ is: "task-state", run, task, state }),
    event: { is: "event", run, task, code: "attempt-failed", args: { exitCode: 3 }, at },
    running: { is: "run-state", run, state: "running", at },
  } satisfies Record<string, JournalRecord | ((argument: never) => JournalRecord)>;
}

async function openWriter(events: Partial<WriterEvents> = {}) {
  const epoch = await acquireLease(pool, holderIdentity(), lease);
  if (epoch === undefined) throw new Error("the lease is taken");
  const writer = new JournalWriter(
    database.url,
    epoch,
    { onStalled() {}, onFlowing() {}, onOver: (_reason, error) => expect.fail(error.message), ...events },
    lease,
  );
  return { writer, epoch };
}

const committed = (writer: JournalWriter) => new Promise<void>((resolve) => writer.afterCommit(resolve));

/** Another engine takes the lease while this one does not notice. */
async function takeOver(): Promise<number> {
  await pool.query("UPDATE engine.lease SET expires_at = now() WHERE name = $1", [lease]);
  const epoch = await acquireLease(pool, JSON.stringify(["elsewhere", 1, ""]), lease);
  if (epoch === undefined) throw new Error("the lease was not given away");
  return epoch;
}

describe("writer", () => {
  test("what was appended is read back by the queries and by recovery", async () => {
    const { run } = await storeRun(pool, { taskCount: chunkSize + 2 });
    const { writer, epoch } = await openWriter();
    const before = await loadRun(pool, run);
    writer.openRun(run, before!.states, before!.seq);
    const last = chunkSize + 1;
    for (const entry of [
      record(run).running,
      record(run, 0).attempt,
      record(run, 0).started,
      record(run, 0).failed("bad\0luck \ud800"),
      record(run, 0).event,
      record(run, 0, 2).attempt,
      record(run, 0, 2).succeeded("a result’s file"),
      record(run, 0).state(TaskState.running),
      record(run, 0).state(TaskState.finished),
      record(run, last).attempt,
      record(run, last).started,
      record(run, last).state(TaskState.running),
    ]) {
      writer.append(entry);
    }
    await committed(writer);

    expect(writer.statistics).toEqual({ batches: 1, records: 12 });
    const states = await taskStatesSince(pool, run, -1);
    expect(states).toMatchObject({
      state: "running",
      counts: countsOf({ waiting: chunkSize, running: 1, finished: 1 }),
    });
    expect(states!.chunks.map((chunk) => chunk.states.length)).toEqual([chunkSize, 2]);
    expect(states!.chunks[1]!.states[1]).toBe(TaskState.running);
    expect(states!.startedAt).toEqual(new Date(at));
    expect(await taskStatesSince(pool, run, states!.seq)).toMatchObject({ chunks: [] });

    const attempts = await attemptsOfTask(pool, run, 0);
    expect(attempts).toMatchObject([
      { ordinal: 1, outcome: "failed", exitCode: 3, detail: "bad\ufffdluck \ufffd", startedAt: new Date(at) },
      { ordinal: 2, outcome: "succeeded", exitCode: 0, startedAt: null, usage: { peakMemoryBytes: 7 } },
    ]);
    expect(await outputsOfRun(pool, run)).toMatchObject([{ name: "a result’s file", task: 0, sha256, size: 3 }]);
    expect(await eventsOfRun(pool, run, { limit: 10 })).toMatchObject([{ code: "attempt-failed", task: 0 }]);
    expect((await lookupInputs(pool, run, ["a result’s file", "x"])).size).toBe(1);

    expect(await activeRuns(pool)).toContain(run);
    const recovered = await loadRun(pool, run);
    expect([...recovered!.attempts]).toEqual(
      expect.arrayContaining([
        { task: 0, ordinal: 2, failures: 1, losses: 0, memoryKills: 0, won: 2 },
        { task: last, ordinal: 1, failures: 0, losses: 0, memoryKills: 0 },
      ]),
    );
    const open = { attempt: { run, task: last, ordinal: 1 }, epoch, agent, cluster: "local", host: "here" };
    expect(recovered!.open).toEqual([{ ...open, because: "first", sentAt: at, startedAt: at }]);
    await writer.close(1000);
  });

  test("a message is released only after what was appended before it is committed", async () => {
    const { run } = await storeRun(pool, {});
    const { writer } = await openWriter();
    writer.openRun(run, new Uint8Array(4), 0);
    const seen: Promise<string | undefined>[] = [];
    writer.append(record(run).running);
    writer.afterCommit(() => seen.push(getRun(pool, run).then((row) => row?.state)));
    expect(seen).toEqual([]);
    await committed(writer);
    expect(await Promise.all(seen)).toEqual(["running"]);
    await writer.close(1000);
  });

  test("an engine that was replaced writes nothing and says nothing any more", async () => {
    const { run } = await storeRun(pool, {});
    const over: string[] = [];
    const { writer, epoch } = await openWriter({ onOver: (reason) => over.push(reason) });
    writer.openRun(run, new Uint8Array(4), 0);
    writer.append(record(run).running);
    await committed(writer);

    expect(await takeOver()).toBe(epoch + 1);
    expect(await renewLease(pool, epoch, lease)).toBe(false);
    let released = false;
    writer.append(record(run).attempt);
    writer.afterCommit(() => {
      released = true;
    });
    await expect.poll(() => over).toEqual(["stale-epoch"]);
    expect(released).toBe(false);
    expect(await attemptsOfTask(pool, run, 0)).toEqual([]);
    await writer.close(100);
  });

  test("a message without records is held back too once the lease is lost", async () => {
    const over: string[] = [];
    const { writer } = await openWriter({ onOver: (reason) => over.push(reason) });
    await committed(writer);
    await takeOver();
    let released = false;
    writer.afterCommit(() => {
      released = true;
    });
    await expect.poll(() => over).toEqual(["stale-epoch"]);
    expect(released).toBe(false);
    await writer.close(100);
  });

  test("a connection that is cut again and again delays commits, and each record is there once", async () => {
    const { run } = await storeRun(pool, { taskCount: 400 });
    const { writer } = await openWriter();
    writer.openRun(run, new Uint8Array(400), 0);
    writer.append(record(run).running);
    let done = false;
    const cutting = (async () => {
      while (!done) {
        await pool.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gridloom journal'",
        );
        await sleep(40);
      }
    })();
    for (let task = 0; task < 400; task++) {
      writer.append(record(run, task).attempt);
      writer.append(record(run, task).event);
      writer.append(record(run, task).failed("no"));
      writer.append(record(run, task).state(TaskState.failed));
      if (task % 10 === 0) await sleep(5);
    }
    done = true;
    await cutting;
    await committed(writer);
    const counted = await pool.query(
      `SELECT (SELECT count(*) FROM engine.attempt WHERE run = $1)::int AS attempts,
              (SELECT count(*) FROM engine.outcome WHERE run = $1)::int AS outcomes,
              (SELECT count(*) FROM engine.event WHERE run = $1)::int AS events`,
      [run],
    );
    expect(counted.rows).toEqual([{ attempts: 400, outcomes: 400, events: 400 }]);
    expect((await getRun(pool, run))!.counts).toEqual(countsOf({ failed: 400 }));
    await writer.close(1000);
  });

  test("readers are told at most four times a second, and once more after the last change", async () => {
    const { run } = await storeRun(pool, {});
    const { writer } = await openWriter();
    writer.openRun(run, new Uint8Array(4), 0);
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    const seen: number[] = [];
    listener.on("notification", (notice) => {
      if (notice.payload === run) seen.push(Date.now());
    });
    await listener.query("LISTEN gridloom_run");
    for (let ordinal = 1; ordinal <= 60; ordinal++) {
      writer.append(record(run, 0, ordinal).attempt);
      await sleep(10);
    }
    await committed(writer);
    const lastChange = Date.now();
    await sleep(400);
    expect(seen.length).toBeGreaterThanOrEqual(3);
    expect(seen.length).toBeLessThanOrEqual(6);
    expect(seen.at(-1)!).toBeGreaterThan(lastChange - 50);
    await listener.end();
    await writer.close(1000);
  });
});

describe("lease", () => {
  test("it is held by one at a time and given away when released", async () => {
    const first = await acquireLease(pool, JSON.stringify(["elsewhere", 1, ""]), lease);
    expect(first).toBe(1);
    expect(await acquireLease(pool, holderIdentity(), lease)).toBeUndefined();
    expect(await renewLease(pool, first!, lease)).toBe(true);
    await releaseLease(pool, first!, lease);
    expect(await acquireLease(pool, holderIdentity(), lease)).toBe(2);
  });

  test("a holder on this machine that no longer exists is replaced at once", async () => {
    const dead = JSON.stringify([hostname(), 2 ** 30, "long ago"]);
    expect(await acquireLease(pool, dead, lease)).toBe(1);
    expect(await acquireLease(pool, holderIdentity(), lease)).toBe(2);
    expect(await acquireLease(pool, JSON.stringify(["elsewhere", 1, ""]), lease)).toBeUndefined();
  });

  test("an engine that was paused in the middle of a commit does not keep the lease by keeping its row locked", async () => {
    expect(await acquireLease(pool, JSON.stringify(["elsewhere", 1, ""]), lease)).toBe(1);
    await releaseLease(pool, 1, lease);
    const paused = new pg.Client({ connectionString: database.url });
    paused.on("error", () => undefined);
    await paused.connect();
    await paused.query("BEGIN");
    await paused.query("SELECT engine.enter_batch($1, 1, 1)", [lease]);
    await expect.poll(() => acquireLease(pool, holderIdentity(), lease), { timeout: 5_000 }).toBe(2);
    await expect(paused.query("COMMIT")).rejects.toThrow();
    await paused.end().catch(() => undefined);
  });
});
