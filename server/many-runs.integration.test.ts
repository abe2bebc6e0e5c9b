/**
 * Ten thousand runs in the database, each with attempts, outcomes, files and events. What people and engines ask most is
 * answered from indexes: every statement that the API and a starting engine send is explained, and none may go over a
 * whole table. Pages of the list meet each run once.
 */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Backend } from "./api/backend";
import { contextOf, startTestBackend, type TestBackend } from "./api/backend-for-tests";
import { createCaller } from "./api/root";
import type { SessionUser } from "./auth/session";
import { agentMayRead } from "./journal/queries/agent-may-read";
import { attemptsOfAgent } from "./journal/queries/attempts-of-agent";
import { listRuns } from "./journal/queries/list-runs";
import { lookupInputs } from "./journal/queries/lookup-inputs";
import { openCommands, queuedRuns } from "./journal/queries/waiting-requests";
import { activeRuns, loadRun } from "./journal/recovery";
import { independentTasks } from "./journal/run-for-tests";
import { namesOfWholeScans } from "./plans-for-tests";

const runs = 10_000;
const tasksEach = 20;
/** Of the tasks of a run, so many were tried. */
const triedEach = 10;
const agent = randomUUID();

let started: TestBackend;
let backend: Backend;
let alice: SessionUser;
let aRun: string;

beforeAll(async () => {
  started = await startTestBackend({ maxUploadBytes: 1000 });
  backend = started.backend;
  alice = await started.person("scientist");
  const bob = await started.person("scientist");
  await storeRuns([alice.id, bob.id]);
  const { rows } = await backend.pool.query<{ id: string }>(
    "SELECT id FROM engine.run WHERE owner = $1 AND state = 'running' LIMIT 1",
    [alice.id],
  );
  aRun = rows[0]?.id ?? "";
}, 240_000);

afterAll(async () => {
  await started?.stop();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Nine of ten are Alice's; one of a hundred is active. */
async function storeRuns([most, others]: string[]): Promise<void> {
  const { pool } = backend;
  await pool.query(
    `INSERT INTO engine.run (id, owner, owner_admin, name, format, source, application, settings, task_count, edge_count,
                             state, counts, created_at, started_at)
     SELECT gen_random_uuid(), CASE WHEN n % 10 = 0 THEN $2 ELSE $1 END, false, 'protein ' || n, 'gridadl', '', $3, '{}',
            $4, 0, CASE WHEN n % 100 = 1 THEN 'running' WHEN n % 7 = 0 THEN 'failed' ELSE 'succeeded' END,
            '{0,0,0,20,0,0}', now() - make_interval(mins => n / 3), now()
     FROM generate_series(1, $5::int) AS n`,
    [most, others, JSON.stringify(independentTasks(tasksEach)), tasksEach, runs],
  );
  await pool.query(
    `INSERT INTO engine.task_chunk (run, chunk, seq, states)
     SELECT id, 0, 0, decode(repeat('03', $1), 'hex') FROM engine.run`,
    [tasksEach],
  );
  const tried = "FROM engine.run CROSS JOIN generate_series(0, $1::int - 1) AS task";
  await pool.query(
    `INSERT INTO engine.attempt (run, task, ordinal, epoch, agent, cluster, host, sent_at)
     SELECT id, task, 1, 1, CASE WHEN task = 0 AND created_at > now() - interval '1 hour' THEN $2::uuid ELSE gen_random_uuid() END,
            'local', 'n' || task, now() ${tried}`,
    [triedEach, agent],
  );
  await pool.query(
    `INSERT INTO engine.attempt_start (run, task, ordinal, started_at) SELECT id, task, 1, now() ${tried}`,
    [triedEach],
  );
  await pool.query(
    "INSERT INTO engine.run_input (run, name, sha256, size) SELECT id, 'in.txt', sha256('in'), 2 FROM engine.run",
  );
  await pool.query(
    `INSERT INTO engine.outcome (run, task, ordinal, outcome, exit_code, usage, recorded_at)
     SELECT id, task, 1, CASE WHEN task = 9 THEN 'failed' ELSE 'succeeded' END, 0, '{}', now() ${tried}`,
    [triedEach],
  );
  await pool.query(
    `INSERT INTO engine.output (run, name, task, ordinal, sha256, size, transient)
     SELECT id, 'out.' || task, task, 1, sha256(id::text::bytea), 1, false ${tried}`,
    [triedEach],
  );
  await pool.query(
    `INSERT INTO engine.event (run, task, code, args, at) SELECT id, task, 'attempt-failed', '{}', now() ${tried}`,
    [triedEach],
  );
  await pool.query("VACUUM ANALYZE");
}

/** Does something, and says which tables it went over from end to end. */
async function wholeScans(what: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(backend.pool, "query");
  const before = performance.now();
  await what();
  console.info(`${expect.getState().currentTestName}: ${(performance.now() - before).toFixed(1)} ms`);
  const calls = [...query.mock.calls];
  query.mockRestore();
  const found = await namesOfWholeScans(backend.pool, calls);
  if (found.statements === 0) throw new Error("It asked the database nothing.");
  return found.tables;
}

const caller = () => createCaller(contextOf(backend, alice));

describe("with ten thousand runs, no table is read from end to end by", () => {
  const asked: Record<string, () => Promise<unknown>> = {
    "the first page of one's runs": () => caller().runs.list({}),
    "a later page": async () => caller().runs.list({ cursor: aRun }),
    "a page of the failed ones": () => caller().runs.list({ state: "failed" }),
    "a page by name": () => caller().runs.list({ name: "PROTEIN 77" }),
    "a name nobody used": () => caller().runs.list({ name: "nothing like it" }),
    "everybody's runs": () => listRuns(backend.pool, { limit: 30, before: aRun }),
    "opening a run": async () => {
      await caller().runs.get({ id: aRun });
      await caller().runs.graph({ id: aRun });
      await caller().runs.states({ id: aRun });
      await caller().runs.events({ id: aRun });
      await caller().files.list({ run: aRun });
    },
    "opening a task": () => caller().tasks.get({ run: aRun, task: 3 }),
    "asking for a kill": () => caller().runs.kill({ id: aRun }),
    "an engine that starts": async () => {
      for (const run of await activeRuns(backend.pool)) await loadRun(backend.pool, run);
    },
    "an engine that looks for work": async () => {
      await queuedRuns(backend.pool);
      await openCommands(backend.pool);
      await lookupInputs(backend.pool, aRun, ["out.1", "out.2"]);
    },
    "the directory, by task, by machine and by run": async () => {
      await caller().directory.search({ task: "7", run: aRun });
      await caller().directory.search({ host: "n7", limit: 5 });
      await caller().directory.search({ runName: "protein 77", state: "failed" });
    },
    "a gateway": async () => {
      await attemptsOfAgent(backend.pool, agent, [{ run: aRun, task: 0, ordinal: 1 }]);
      await agentMayRead(backend.pool, agent, "0".repeat(64));
    },
  };
  test.each(Object.entries(asked))("%s", async (_, what) => {
    expect(await wholeScans(what)).toEqual([]);
  });
});

test("a run that is started now is the first of the list", async () => {
  const before = performance.now();
  const { id } = await caller().runs.start({ name: "one more", text: "graph independent\ntask A -e true\n" });
  console.info(`starting a run: ${(performance.now() - before).toFixed(1)} ms`);
  expect((await caller().runs.list({ limit: 1 })).items.map((run) => run.id)).toEqual([id]);
});

test("the pages together have each run once, newest first, whatever moments runs share", async () => {
  const seen: { id: string; createdAt: Date }[] = [];
  let cursor: string | null = null;
  do {
    const answer: { items: { id: string; createdAt: Date }[]; nextCursor: string | null } = await caller().runs.list({
      limit: 100,
      cursor,
      name: "protein",
    });
    seen.push(...answer.items);
    cursor = answer.nextCursor;
  } while (cursor);
  expect(seen.length).toBe(runs * 0.9);
  expect(new Set(seen.map((run) => run.id)).size).toBe(seen.length);
  expect(seen.every((run, at) => at === 0 || seen[at - 1]!.createdAt >= run.createdAt)).toBe(true);
});

test("a name is looked for as it is written, not as a pattern", async () => {
  expect((await caller().runs.list({ name: "%" })).items).toEqual([]);
  expect((await caller().runs.list({ name: "protein_77" })).items).toEqual([]);
  expect((await caller().runs.list({ name: "Protein 777" })).items.map((run) => run.name)).toContain("protein 777");
});

test("the planner is seen to choose: without its index, the first page reads the whole table", async () => {
  await backend.pool.query("DROP INDEX engine.run_page, engine.run_page_by_state, engine.run_page_of_all");
  expect(await wholeScans(() => caller().runs.list({}))).toEqual(["run"]);
});
