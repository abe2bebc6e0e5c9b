/**
 * A run as the journal has it: what a starting engine needs to go on where the last one stopped, and what
 * it needs to reopen a run that had ended.
 */
import type { AgentId, ClusterId, RunId } from "@/core/engine/ids";
import type { MoveReason } from "@/core/engine/outcome";
import type {
  RecoveredAttempt,
  RecoveredChange,
  RecoveredCheckpoint,
  RecoveredRun,
  TaskHistory,
} from "@/core/engine/plan";
import type { Placement } from "@/core/engine/ports";
import type { RunState } from "@/core/engine/task-state";
import type { ProfileSample } from "@/core/protocol/agent";
import type { Application } from "@/core/workflow/application";
import type { Database } from "./pool";
import { type Addition, additionsOf } from "./queries/additions";

export interface StoredRun extends RecoveredRun {
  id: RunId;
  ownerId: string;
  ownerAdmin: boolean;
  name: string;
  application: Application;
  /** As stored; the engine validates them. */
  settings: unknown;
  seq: number;
  /** What tasks handed in; `application` is without it. */
  additions: Addition[];
  attempts: Iterable<TaskHistory>;
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
  if (run.state === "queued") {
    return { ...run, states: await loadStates(database, id), attempts: [], open: [], additions: [] };
  }
  const [states, attempts, open, additions, checkpoints, changes] = await Promise.all([
    loadStates(database, id),
    loadHistory(database, id),
    loadOpenAttempts(database, id),
    additionsOf(database, id),
    loadCheckpoints(database, id),
    loadChanges(database, id),
  ]);
  const spawned = additions.map(({ task }) => task);
  return { ...run, states, attempts, open, additions, spawned, checkpoints, changes };
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

/**
 * How often each task was tried. Half a million rows would take longer to come over than everything else, so the
 * attempts come packed (task and ordinal, four bytes each), only what did not succeed is counted by the database, and
 * who won is asked only of tasks that were tried more than once.
 */
async function loadHistory(database: Database, id: RunId): Promise<Iterable<TaskHistory>> {
  const [attempts, unhappy, answered] = await Promise.all([
    database.query<{ packed: Buffer | null }>(
      "SELECT string_agg(int4send(task) || int4send(ordinal), '') AS packed FROM engine.attempt WHERE run = $1",
      [id],
    ),
    database.query<Troubles & { task: number }>(
      `WITH retried AS (
         SELECT coalesce(max(at), '-infinity') AS at FROM engine.event WHERE run = $1 AND code = 'run-retried')
       SELECT task, count(*) FILTER (WHERE outcome = 'failed')::int AS failures,
              count(*) FILTER (WHERE outcome IN ('lost', 'cancelled', 'inputs-missing')
                               AND coalesce(reason, '') NOT LIKE 'moved-%')::int AS losses,
              count(*) FILTER (WHERE outcome = 'failed' AND reason = 'memory-limit')::int AS "memoryKills"
       FROM engine.outcome CROSS JOIN retried
       WHERE run = $1 AND outcome <> 'succeeded' AND recorded_at > retried.at GROUP BY task`,
      [id],
    ),
    database.query<{ task: number; ordinal: number; answer: number }>(
      `SELECT task, ordinal, exit_code AS answer FROM engine.outcome
       WHERE run = $1 AND outcome = 'succeeded' AND exit_code <> 0`,
      [id],
    ),
  ]);
  const ordinals = lastOrdinals(attempts.rows[0]?.packed ?? Buffer.alloc(0));
  const winners = await loadWinners(database, id, ordinals);
  const troubles = new Map(unhappy.rows.map(({ task, ...counts }) => [task, counts]));
  // Of the attempt that counts: the last that succeeded.
  const counting = answered.rows.filter(({ task, ordinal }) => ordinal === (winners.get(task) ?? ordinals[task]));
  const answers = new Map(counting.map(({ task, answer }) => [task, answer]));
  return { [Symbol.iterator]: () => histories(ordinals, troubles, winners, answers) };
}

type Troubles = Pick<TaskHistory, "failures" | "losses" | "memoryKills">;

/** The last attempt that succeeded, of tasks that were tried more than once. */
async function loadWinners(database: Database, id: RunId, ordinals: Uint32Array): Promise<Map<number, number>> {
  const again: number[] = [];
  for (let task = 0; task < ordinals.length; task++) if (ordinals[task]! > 1) again.push(task);
  if (again.length === 0) return new Map();
  const { rows } = await database.query<{ task: number; won: number }>(
    `SELECT task, max(ordinal) AS won FROM engine.outcome
     WHERE run = $1 AND task = ANY ($2) AND outcome = 'succeeded' GROUP BY task`,
    [id, again],
  );
  return new Map(rows.map(({ task, won }) => [task, won]));
}

/** By task; 0: never tried. */
function lastOrdinals(packed: Buffer): Uint32Array {
  let tasks = 0;
  for (let at = 0; at < packed.length; at += 8) tasks = Math.max(tasks, packed.readUInt32BE(at) + 1);
  const ordinals = new Uint32Array(tasks);
  for (let at = 0; at < packed.length; at += 8) {
    const task = packed.readUInt32BE(at);
    ordinals[task] = Math.max(ordinals[task]!, packed.readUInt32BE(at + 4));
  }
  return ordinals;
}

const noTrouble: Troubles = { failures: 0, losses: 0, memoryKills: 0 };

function* histories(
  ordinals: Uint32Array,
  troubles: ReadonlyMap<number, Troubles>,
  winners: ReadonlyMap<number, number>,
  answers: ReadonlyMap<number, number>,
): Generator<TaskHistory, void, undefined> {
  for (let task = 0; task < ordinals.length; task++) {
    const ordinal = ordinals[task]!;
    if (ordinal === 0) continue;
    const won = winners.get(task);
    const answer = answers.get(task);
    yield {
      task,
      ordinal,
      ...(troubles.get(task) ?? noTrouble),
      ...(won !== undefined && { won }),
      ...(answer !== undefined && { answer }),
    };
  }
}

interface OpenRow {
  task: number;
  ordinal: number;
  epoch: number;
  agent: AgentId;
  cluster: ClusterId;
  host: string;
  because: Placement;
  sentAt: number;
  startedAt: number | null;
  deadlineAt: number | null;
  moving: MoveReason | null;
  samples: ProfileSample[] | null;
}

async function loadOpenAttempts(database: Database, run: RunId): Promise<RecoveredAttempt[]> {
  const { rows } = await database.query<OpenRow>(
    `SELECT attempt.task, attempt.ordinal, attempt.epoch::float8 AS epoch, attempt.agent, attempt.cluster, attempt.host,
            attempt.because, extract(epoch FROM attempt.sent_at)::float8 * 1000 AS "sentAt",
            extract(epoch FROM attempt.deadline_at)::float8 * 1000 AS "deadlineAt",
            extract(epoch FROM started.started_at)::float8 * 1000 AS "startedAt", moved.reason AS moving,
            (SELECT jsonb_agg(jsonb_build_object('n', n, 'seconds', seconds, 'at', 0)) FROM engine.profile_sample AS sample
             WHERE sample.run = attempt.run AND sample.task = attempt.task AND sample.ordinal = attempt.ordinal) AS samples
     FROM engine.attempt
     LEFT JOIN engine.attempt_move AS moved USING (run, task, ordinal)
     LEFT JOIN engine.outcome AS ended USING (run, task, ordinal)
     LEFT JOIN engine.attempt_start AS started USING (run, task, ordinal)
     WHERE attempt.run = $1 AND ended.run IS NULL ORDER BY attempt.task, attempt.ordinal`,
    [run],
  );
  return rows.map(({ task, ordinal, startedAt, deadlineAt, moving, samples, ...row }) => ({
    ...row,
    attempt: { run, task, ordinal },
    ...(startedAt === null ? {} : { startedAt }),
    ...(deadlineAt === null ? {} : { deadlineAt }),
    ...(moving === null ? {} : { moving }),
    ...(samples === null ? {} : { samples }),
  }));
}

async function loadCheckpoints(database: Database, run: RunId): Promise<RecoveredCheckpoint[]> {
  const { rows } = await database.query<RecoveredCheckpoint>(
    `SELECT task, ordinal, files, extract(epoch FROM recorded_at)::float8 * 1000 AS at
     FROM engine.checkpoint WHERE run = $1 ORDER BY task`,
    [run],
  );
  return rows;
}

async function loadChanges(database: Database, run: RunId): Promise<RecoveredChange[]> {
  const { rows } = await database.query<{
    task: number;
    requirement: string | null;
    rank: string | null;
    held: boolean;
  }>("SELECT task, requirement, rank, held FROM engine.task_change WHERE run = $1 ORDER BY task", [run]);
  return rows.map(({ requirement, rank, ...change }) => ({
    ...change,
    ...(requirement === null ? {} : { requirement }),
    ...(rank === null ? {} : { rank }),
  }));
}
