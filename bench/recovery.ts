/**
 * An engine that is killed loses nothing, and is back soon. Twenty times with SIGKILL in the middle of 5,000 tasks, which say
 * themselves how often they started; and once more with a million tasks half finished in the journal, as a bag and as
 * half a million chains of two.
 *
 * A restart is timed from the moment the new process exists to the first task it hands out.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunId } from "@/core/engine/ids";
import { TaskState } from "@/core/engine/task-state";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { defaultRunSettings } from "@/server/engine/run-settings";
import { chunkSize, countStates } from "@/server/journal/pages";
import { getRun } from "@/server/journal/queries/get-run";
import { requestCommand } from "@/server/journal/queries/request-command";
import { TestPortal } from "@/server/portal-for-tests";
import { type Measurement, rounded } from "./measurement";

const tasks = 5000;
const kills = 20;
const million = 1_000_000;
/** Rounds of the restart with a million tasks; the worst counts. */
const rounds = 3;
const patienceMs = 240_000;

const bag = `graph independent\nforeach N in 1..${million} {\n  task -e true -o out.\${N}\n}\n`;
const chains = `graph phases
foreach N in 1..${million / 2} {
  task -e true -o first.\${N}
}
foreach N in 1..${million / 2} {
  task -e true -i first.\${N} -o second.\${N}
}
`;

export async function measure(): Promise<Measurement> {
  const soon = { firstMs: 100, longestMs: 100, healthyMs: 30_000 };
  const portal = await TestPortal.start({ backOff: soon, slots: 2 });
  try {
    const fire = await underFire(portal);
    const restart1m = await restartWith(portal, bag);
    const restart1mChains = await restartWith(portal, chains);
    return {
      measures: {
        kills: fire.kills,
        lost: fire.lost,
        doubled: fire.doubled,
        restart_to_dispatch_s_max: rounded(fire.longestMs / 1000),
        restart_1m_s: rounded(restart1m / 1000),
        restart_1m_chains_s: rounded(restart1mChains / 1000),
      },
      peers: {},
      notes:
        `The engine killed with SIGKILL ${fire.kills} times during ${tasks} tasks, which were counted outside the portal. ` +
        `A restart is timed from the new process to its first hand-out; with a million tasks half finished, the worst of ${rounds}.`,
    };
  } finally {
    await portal.stop();
  }
}

async function underFire(portal: TestPortal) {
  const run = await portal.startFanOut(tasks, 0);
  const restarts: number[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    await finished(portal, run, Math.floor((tasks * kill) / (kills + 1)));
    restarts.push(await restartEngine(portal));
  }
  const { state, starts } = await portal.settle(run, patienceMs);
  if (state !== "succeeded") throw new Error(`The run under fire ended as ${state}.`);
  return {
    kills: restarts.length,
    lost: starts.filter((count) => count === 0).length,
    doubled: starts.filter((count) => count > 1).length,
    longestMs: Math.max(...restarts),
  };
}

async function finished(portal: TestPortal, run: RunId, count: number): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const done = (await getRun(portal.pool, run))?.counts[TaskState.finished] ?? 0;
    if (done >= count) return;
    if (performance.now() > until) throw new Error(`Only ${done} of ${count} tasks finished in time.`);
    await sleep(20);
  }
}

/** Kills the engine; milliseconds from the next process to the first task it hands out. */
async function restartEngine(portal: TestPortal): Promise<number> {
  const { epoch } = await portal.matcher();
  const before = await portal.pid("engine");
  process.kill(before, "SIGKILL");
  let startedAt = 0;
  for (let pid = before; pid === before; startedAt = Date.now()) {
    await sleep(2);
    pid = portal.stack.pids().engine ?? before;
  }
  const until = startedAt + patienceMs;
  for (;;) {
    const at = await portal.firstHandOutAfter(epoch);
    if (at !== undefined) return at - startedAt;
    if (Date.now() > until) throw new Error("The engine handed out nothing after its restart.");
    await sleep(10);
  }
}

async function restartWith(portal: TestPortal, source: string): Promise<number> {
  const run = await storeHalfFinished(portal, source);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await restartEngine(portal));
  await requestCommand(portal.pool, { run, kind: "kill", requestedBy: "bench" });
  await portal.settle(run, patienceMs);
  return Math.max(...times);
}

/** A run whose first half is finished, written as the engine would have written it, an attempt and an outcome a task. */
async function storeHalfFinished({ pool }: TestPortal, source: string): Promise<RunId> {
  const { application, format } = parseWorkflow(source);
  const { workflow: graph } = buildWorkflow(application);
  const done = graph.taskCount / 2;
  const states = new Uint8Array(graph.taskCount).fill(TaskState.ready);
  states.fill(TaskState.finished, 0, done);
  const run = randomUUID();
  // Running from the start: a queued run would be taken for new by the engine that is there.
  await pool.query(
    `INSERT INTO engine.run (id, owner, owner_admin, name, format, source, application, settings,
                             task_count, edge_count, state, counts, started_at)
     VALUES ($1, 'cli:bench', true, 'a million', $2, $3, $4, $5, $6, $7, 'running', $8, now())`,
    [
      run,
      format,
      source,
      JSON.stringify(application),
      JSON.stringify({ ...defaultRunSettings, retries: 0 }),
      graph.taskCount,
      graph.successors.targets.length,
      countStates(states),
    ],
  );
  const chunks = Array.from({ length: Math.ceil(states.length / chunkSize) }, (_, chunk) =>
    Buffer.from(states.subarray(chunk * chunkSize, (chunk + 1) * chunkSize)),
  );
  await pool.query(
    `INSERT INTO engine.task_chunk (run, chunk, seq, states)
     SELECT $1, place - 1, 0, states FROM unnest($2::bytea[]) WITH ORDINALITY AS b (states, place)`,
    [run, chunks],
  );
  const everyTask = "FROM generate_series(0, $2::int - 1) AS task";
  await pool.query(
    `INSERT INTO engine.attempt (run, task, ordinal, epoch, agent, cluster, host, sent_at)
     SELECT $1, task, 1, 0, gen_random_uuid(), 'local', 'bench', now() ${everyTask}`,
    [run, done],
  );
  await pool.query(
    `INSERT INTO engine.attempt_start (run, task, ordinal, started_at) SELECT $1, task, 1, now() ${everyTask}`,
    [run, done],
  );
  await pool.query(
    `INSERT INTO engine.outcome (run, task, ordinal, outcome, exit_code, usage, recorded_at)
     SELECT $1, task, 1, 'succeeded', 0, '{}', now() ${everyTask}`,
    [run, done],
  );
  // As the database does by itself in a run that took hours.
  for (const table of ["run", "task_chunk", "attempt", "attempt_start", "outcome"]) {
    await pool.query(`VACUUM (ANALYZE) engine.${table}`);
  }
  return run;
}
