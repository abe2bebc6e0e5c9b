/**
 * A run as the journal has it: what a starting engine needs to go on where the last one stopped, and what
 * it needs to reopen a run that had ended.
 */
import type { AgentId, ClusterId, RunId } from "@/core/engine/ids";
import type { RecoveredAttempt, RecoveredRun, TaskHistory } from "@/core/engine/plan";
import type { RunState } from "@/core/engine/task-state";
import type { Application } from "@/core/workflow/application";
import type { Database } from "./pool";

export interface StoredRun extends RecoveredRun {
  id: RunId;
  ownerId: string;
  ownerAdmin: boolean;
  name: string;
  application: Application;
  /** As stored; the engine validates them. */
  settings: unknown;
  seq: number;
  attempts: TaskHistory[];
  open: RecoveredAttempt[];
}

export async function activeRuns(database: Database): Promise<RunId[]> {
  const { rows } = await database.query<{ id: RunId }>(
    "SELECT id FROM engine.run WHERE state IN ('queued', 'running') ORDER BY created_at, id",
  );
  return rows.map((row) => row.id);
}

export async function loadRun(database: Database, id: RunId): Promise<StoredRun | undefined> {
  const run = await loadRow(database, id);
  if (!run) return undefined;
  // A queued run was never touched by an engine.
  const isNew = run.state === "queued";
  return {
    ...run,
    states: await loadStates(database, id),
    attempts: isNew ? [] : await loadHistory(database, id),
    open: isNew ? [] : await loadOpenAttempts(database, id),
  };
}

interface RunRow {
  id: RunId;
  ownerId: string;
  ownerAdmin: boolean;
  name: string;
  application: Application;
  settings: unknown;
  state: RunState;
  seq: number;
}

async function loadRow(database: Database, id: RunId): Promise<RunRow | undefined> {
  const { rows } = await database.query<RunRow>(
    `SELECT id, owner AS "ownerId", owner_admin AS "ownerAdmin", name, application, settings, state, seq::float8 AS seq
     FROM engine.run WHERE id = $1`,
    [id],
  );
  return rows[0];
}

/** As stored; whether they fit the run is for the engine to judge, so that one bad run is not taken for a bad database. */
async function loadStates(database: Database, id: RunId): Promise<Uint8Array> {
  const { rows } = await database.query<{ states: Buffer }>(
    "SELECT states FROM engine.task_chunk WHERE run = $1 ORDER BY chunk",
    [id],
  );
  return new Uint8Array(Buffer.concat(rows.map((row) => row.states)));
}

async function loadHistory(database: Database, id: RunId): Promise<TaskHistory[]> {
  const { rows } = await database.query<TaskHistory>(
    `WITH retried AS (
       SELECT coalesce(max(at), '-infinity') AS at FROM engine.event WHERE run = $1 AND code = 'run-retried')
     SELECT attempt.task, max(attempt.ordinal) AS ordinal,
            count(*) FILTER (WHERE ended.outcome = 'failed' AND ended.recorded_at > retried.at)::int AS failures,
            count(*) FILTER (WHERE ended.outcome IN ('lost', 'cancelled', 'inputs-missing')
                             AND ended.recorded_at > retried.at)::int AS losses
     FROM engine.attempt CROSS JOIN retried LEFT JOIN engine.outcome AS ended USING (run, task, ordinal)
     WHERE attempt.run = $1 GROUP BY attempt.task`,
    [id],
  );
  return rows;
}

interface OpenRow {
  task: number;
  ordinal: number;
  epoch: number;
  agent: AgentId;
  cluster: ClusterId;
  host: string;
  startedAt: number | null;
}

async function loadOpenAttempts(database: Database, run: RunId): Promise<RecoveredAttempt[]> {
  const { rows } = await database.query<OpenRow>(
    `SELECT attempt.task, attempt.ordinal, attempt.epoch::float8 AS epoch, attempt.agent, attempt.cluster, attempt.host,
            extract(epoch FROM started.started_at)::float8 * 1000 AS "startedAt"
     FROM engine.attempt
     LEFT JOIN engine.outcome AS ended USING (run, task, ordinal)
     LEFT JOIN engine.attempt_start AS started USING (run, task, ordinal)
     WHERE attempt.run = $1 AND ended.run IS NULL ORDER BY attempt.task, attempt.ordinal`,
    [run],
  );
  return rows.map(({ task, ordinal, startedAt, ...row }) => ({
    ...row,
    attempt: { run, task, ordinal },
    ...(startedAt === null ? {} : { startedAt }),
  }));
}
