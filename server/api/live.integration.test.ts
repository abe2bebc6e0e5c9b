/** The live side with a real PostgreSQL: notifications wake it, a lost connection does not lose anything. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TaskState } from "@/core/engine/task-state";
import type { SessionUser } from "@/server/auth/session";
import type { Backend } from "./backend";
import { contextOf, startTestBackend, type TestBackend } from "./backend-for-tests";
import { followOutput } from "./output-views";
import { createCaller } from "./root";
import type { OutputChunk } from "./views";

let test: TestBackend;
let backend: Backend;
let alice: SessionUser;
let run: string;

beforeAll(async () => {
  test = await startTestBackend({ maxUploadBytes: 1000 });
  backend = test.backend;
  alice = await test.person("scientist");
});

afterAll(async () => {
  await test?.stop();
});

beforeEach(async () => {
  const text = "foreach N in 1..3 {\n  task -e true\n}\n";
  run = (await createCaller(contextOf(backend, alice)).runs.start({ name: "r", text })).id;
});

/** What the journal does in one commit. */
async function commit(states: number[], seq: number) {
  await backend.pool.query(
    `WITH chunk AS (UPDATE engine.task_chunk SET states = $2, seq = $3 WHERE run = $1)
     UPDATE engine.run SET seq = $3 WHERE id = $1`,
    [run, Buffer.from(states), seq],
  );
  await backend.pool.query("SELECT pg_notify('gridloom_run', $1)", [run]);
}

function watch(since?: number) {
  const end = new AbortController();
  const stream = backend.live.watch(run, since, end.signal);
  return {
    async next() {
      const { value } = await stream.next();
      if (!value) throw new Error("The stream ended.");
      return value;
    },
    stop: () => end.abort(),
  };
}

describe("a watched run", () => {
  it("is told in states and then in changes, within a moment of the commit", async () => {
    const watcher = watch();
    const first = await watcher.next();
    expect(first.ranges).toEqual([{ from: 0, states: Buffer.from([0, 0, 0]).toString("base64") }]);
    const before = performance.now();
    await commit([2, 1, 0], 5);
    expect(await watcher.next()).toMatchObject({
      seq: 5,
      changes: [
        [0, TaskState.running],
        [1, TaskState.ready],
      ],
    });
    // Far below the interval at which it would look without being told.
    expect(performance.now() - before).toBeLessThan(2000);
    watcher.stop();
  });

  it("goes on when the listening connection was cut", async () => {
    const watcher = watch();
    await watcher.next();
    await commit([1, 1, 1], 1);
    await watcher.next();
    await backend.pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()",
    );
    await commit([3, 3, 3], 2);
    expect(await watcher.next()).toMatchObject({ seq: 2 });
    watcher.stop();
  });

  it("gives one that comes back what it missed", async () => {
    await commit([3, 3, 0], 9);
    const watcher = watch(4);
    const update = await watcher.next();
    expect(update.seq).toBe(9);
    expect(Buffer.from(update.ranges[0]?.states ?? "", "base64")).toEqual(Buffer.from([3, 3, 0]));
    watcher.stop();
  });
});

describe("the list of the home page", () => {
  it("comes again when one's own run changes or a new one is started, not when another's does", async () => {
    const end = new AbortController();
    const bob = await test.person("scientist");
    const changes = backend.live.changes(bob.id, end.signal);
    await changes.next();
    await commit([1, 1, 1], 1);
    const start = performance.now();
    const changed = changes.next();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    await createCaller(contextOf(backend, bob)).runs.start({ name: "b", text: "task -e true\n" });
    await changed;
    expect(performance.now() - start).toBeGreaterThan(1100);
    end.abort();
  });
});

describe("the output of an attempt", () => {
  it("is followed as it grows, whole characters only, to its end", async () => {
    const attempt = { run, task: 0, ordinal: 1 };
    await backend.pool.query(
      `INSERT INTO engine.attempt (run, task, ordinal, epoch, agent, cluster, host, sent_at)
       VALUES ($1, 0, 1, 1, gen_random_uuid(), 'local', 'here', now())`,
      [run],
    );
    const text = Buffer.from("π is 3.14\n");
    const write = (from: number, to: number) =>
      backend.output.write(attempt, { stream: "stdout", offset: from, bytes: text.subarray(from, to) }, 1000);
    await write(0, 1);
    const { signal } = new AbortController();
    const stream = followOutput(backend, { ...attempt, stream: "stdout" }, 0, signal);
    const chunks: OutputChunk[] = [];
    const reading = (async () => {
      for await (const chunk of stream) chunks.push(chunk);
    })();
    await write(1, 4);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(chunks.map((chunk) => chunk.text).join("")).toBe("π i");
    await write(4, text.length);
    await backend.pool.query(
      `INSERT INTO engine.outcome (run, task, ordinal, outcome, exit_code, usage, recorded_at)
       VALUES ($1, 0, 1, 'failed', 3, '{}', now())`,
      [run],
    );
    await reading;
    expect(chunks.map((chunk) => chunk.text).join("")).toBe("π is 3.14\n");
    expect(chunks.at(-1)).toMatchObject({ ended: true, next: text.length });
    const task = await createCaller(contextOf(backend, alice)).tasks.get({ run, task: 0 });
    expect(task.output?.stdout).toEqual({ offset: 0, size: text.length, text: "π is 3.14\n" });
    expect(task.attempts).toMatchObject([{ ordinal: 1, outcome: "failed", exitCode: 3 }]);
  });
});

describe("an admin's decision on a cluster", () => {
  it("is stored, logged, and seen by the people it concerns", async () => {
    const admin = await test.person("admin");
    await backend.db.cluster.create({
      data: { id: "c", name: "c", driver: "local", isolation: "accounts", isolationNote: "apart", slots: 2 },
      select: { id: true },
    });
    const asAdmin = createCaller(contextOf(backend, admin)).clusters;
    const asAlice = createCaller(contextOf(backend, alice)).clusters;
    expect(await asAlice.list()).toMatchObject([{ id: "c", usable: true, agents: 0 }]);
    await asAdmin.setAccess({ id: "c", access: "admins" });
    expect(await asAlice.list()).toMatchObject([
      { usable: false, unusableBecause: "Only admins may run tasks on it." },
    ]);
    expect(await asAdmin.list()).toMatchObject([{ usable: true }]);
    await asAdmin.setEnabled({ id: "c", enabled: false });
    expect(await asAdmin.list()).toMatchObject([{ usable: false, unusableBecause: "It is switched off." }]);
    const log = await backend.db.auditLog.findMany({
      where: { actor: admin.id },
      orderBy: { id: "asc" },
      select: { action: true, subject: true, details: true },
    });
    expect(log).toEqual([
      { action: "cluster.access", subject: "c", details: { access: "admins" } },
      { action: "cluster.disabled", subject: "c", details: { enabled: false } },
    ]);
    await expect(asAdmin.setEnabled({ id: "none", enabled: true })).rejects.toThrow("There is no such cluster.");
  });
});
