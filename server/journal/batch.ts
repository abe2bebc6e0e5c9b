/**
 * A batch: journal records turned into one statement a table, each with its rows as columns for `unnest`. A batch is
 * built once and may be sent several times; every statement gives the same rows when it is repeated, so a
 * batch whose commit was answered by silence can be sent again.
 */
import { createHash } from "node:crypto";
import { type AttemptRef, attemptId, type RunId } from "@/core/engine/ids";
import type { OutputFile } from "@/core/engine/outcome";
import type { JournalRecord } from "@/core/engine/ports";
import type { RunState } from "@/core/engine/task-state";
import { AdaptiveRows } from "./adaptive-rows";
import type { RunPages } from "./pages";
import type { ReusableRecord } from "./reusable-record";
import { storableJson, storableText } from "./storable-text";

export interface Statement {
  /** Prepared once a connection under this name. */
  name: string;
  text: string;
  values: unknown[];
}

/** What the engine writes down: the reactor's records, and results for later runs. */
export type WrittenRecord = JournalRecord | ReusableRecord;

type Of<Is extends WrittenRecord["is"]> = Extract<WrittenRecord, { is: Is }>;

interface RunChange {
  state: RunState | null;
  startedAt: number | null;
  endedAt: number | null;
}

export class Batch {
  readonly touchedRuns = new Map<RunId, RunChange>();
  /** Runs whose last state in this batch is a final one. */
  readonly endedRuns = new Set<RunId>();
  private readonly attempts: Of<"attempt">[] = [];
  private readonly starts: Of<"attempt-started">[] = [];
  private readonly outcomes: Of<"outcome">[] = [];
  /** By run and name: the last attempt to make a file wins. */
  private readonly outputs = new Map<string, { of: AttemptRef; file: OutputFile }>();
  /** By owner and key: the last one wins. */
  private readonly reusable = new Map<string, ReusableRecord>();
  private readonly events: Of<"event">[] = [];
  private readonly commands: Of<"command-done">[] = [];
  private readonly spawned: Of<"spawned">[] = [];
  private readonly newChunks: { run: RunId; chunk: number }[] = [];
  private readonly adaptive = new AdaptiveRows();
  /** By the attempt: the last one wins. */
  private readonly wanted = new Map<string, Of<"agent-wanted">>();

  constructor(
    private readonly epoch: number,
    private readonly pagesOf: (run: RunId) => RunPages,
  ) {}

  add(record: WrittenRecord): void {
    switch (record.is) {
      case "task-state":
        this.pagesOf(record.run).set(record.task, record.state);
        this.touch(record.run);
        return;
      case "run-state":
        this.addRunState(record);
        return;
      case "attempt":
        this.attempts.push(record);
        this.touch(record.attempt.run);
        return;
      case "attempt-started":
        this.starts.push(record);
        this.touch(record.attempt.run);
        return;
      case "outcome":
        this.outcomes.push(record);
        this.adaptive.note(record);
        if (record.outcome.is === "succeeded") {
          for (const file of record.outcome.outputs) this.addOutput(record.attempt, file);
        }
        this.touch(record.attempt.run);
        return;
      case "reused":
        for (const file of record.outputs) this.addOutput({ run: record.run, task: record.task, ordinal: 0 }, file);
        this.touch(record.run);
        return;
      case "checkpoint":
      case "move":
      case "task-change":
      case "samples":
        this.adaptive.note(record);
        this.touch("run" in record ? record.run : record.attempt.run);
        return;
      case "reusable":
        this.reusable.set(`${record.owner}/${record.key}`, record);
        return;
      case "event":
        this.events.push(record);
        this.touch(record.run);
        return;
      case "spawned":
        this.spawned.push(record);
        for (const chunk of this.pagesOf(record.by.run).grow(record.tasks)) {
          this.newChunks.push({ run: record.by.run, chunk });
        }
        this.touch(record.by.run);
        return;
      case "command-done":
        this.commands.push(record);
        return;
      case "agent-wanted":
        this.wanted.set(attemptId(record.attempt), record);
        return;
    }
  }

  /** Everything added, once. Raises the sequence number of each run it touches. */
  statements(): Statement[] {
    const chunks: { run: RunId; seq: number; chunk: number; bytes: Uint8Array }[] = [];
    const runs: { id: RunId; pages: RunPages; change: RunChange }[] = [];
    for (const [id, change] of this.touchedRuns) {
      const pages = this.pagesOf(id);
      pages.seq++;
      runs.push({ id, pages, change });
      for (const { chunk, bytes } of pages.takeDirty()) chunks.push({ run: id, seq: pages.seq, chunk, bytes });
    }
    const statements: Statement[] = [];
    const insert = <Row>(name: string, text: string, rows: readonly Row[], ...columns: ((row: Row) => unknown)[]) => {
      if (rows.length > 0) statements.push({ name, text, values: columns.map((column) => rows.map(column)) });
    };

    insert(
      "attempt",
      insertAttempts,
      this.attempts,
      ...ofAttempt,
      agent,
      cluster,
      host,
      at,
      () => this.epoch,
      because,
      rank,
      deadline,
    );
    insert("attempt-start", insertStarts, this.starts, ...ofAttempt, at);
    insert("outcome", insertOutcomes, this.outcomes, ...ofAttempt, ...ofOutcome, at);
    insert(
      "output",
      upsertOutputs,
      [...this.outputs.values()],
      ({ of }) => of.run,
      ({ file }) => file.name,
      ({ of }) => of.task,
      ({ of }) => of.ordinal,
      ({ file }) => file.sha256,
      ({ file }) => file.size,
      ({ file }) => file.transient,
    );
    insert(
      "reusable",
      upsertReusable,
      [...this.reusable.values()],
      ({ owner }) => owner,
      ({ key }) => key,
      ({ taskName }) => storableText(taskName),
      ({ parts }) => storableJson(parts),
      ({ outputs }) => storableJson(outputs),
      ({ attempt }) => attempt.run,
      ({ attempt }) => attempt.task,
      ({ attempt }) => attempt.ordinal,
      at,
    );
    insert(
      "event",
      insertEvents,
      this.events,
      (event) => event.run,
      (event) => event.task ?? null,
      (event) => event.code,
      (event) => storableJson(event.args),
      at,
    );
    insert(
      "agent-wanted",
      upsertWanted,
      [...this.wanted.values()],
      ({ attempt }) => requestId(attempt),
      ({ attempt }) => attempt.run,
      ({ attempt }) => attempt.task,
      ({ attempt }) => attempt.ordinal,
      (wanted) => wanted.cluster,
      ({ owner }) => owner,
      ({ asks }) => storableJson(asks),
      at,
    );
    statements.push(...this.adaptive.statements());
    insert("command", finishCommands, this.commands, (command) => command.command, at);
    insert(
      "spawned",
      insertSpawned,
      this.spawned,
      ({ by }) => by.run,
      ({ by }) => by.task,
      ({ by }) => by.ordinal,
      ({ first }) => first,
      ({ addition }) => storableJson(addition),
      at,
    );
    insert(
      "new-chunk",
      insertChunks,
      this.newChunks,
      ({ run }) => run,
      ({ chunk }) => chunk,
    );
    insert(
      "grown",
      growRuns,
      lastOfEach(this.spawned),
      ({ by }) => by.run,
      ({ tasks }) => tasks,
      ({ edges }) => edges,
    );
    insert(
      "chunk",
      updateChunks,
      chunks,
      ({ run }) => run,
      ({ chunk }) => chunk,
      ({ seq }) => seq,
      ({ bytes }) => bytes,
    );
    insert(
      "run",
      updateRuns,
      runs,
      ({ id }) => id,
      ({ pages }) => pages.seq,
      ({ pages }) => `{${pages.counts.join(",")}}`,
      ({ change }) => change.state,
      ({ change }) => change.startedAt,
      ({ change }) => change.endedAt,
    );
    return statements;
  }

  private addOutput(of: AttemptRef, file: OutputFile): void {
    const name = storableText(file.name);
    this.outputs.set(`${of.run}/${name}`, { of, file: { ...file, name } });
  }

  private addRunState({ run, state, at }: Of<"run-state">): void {
    const change = this.touch(run);
    const isFinal = state === "succeeded" || state === "failed" || state === "killed";
    change.state = state;
    if (state === "running") change.startedAt = at;
    change.endedAt = isFinal ? at : null;
    if (isFinal) this.endedRuns.add(run);
    else this.endedRuns.delete(run);
  }

  private touch(run: RunId): RunChange {
    let change = this.touchedRuns.get(run);
    if (!change) {
      change = { state: null, startedAt: null, endedAt: null };
      this.touchedRuns.set(run, change);
    }
    return change;
  }
}

/** A run may have grown several times in one batch. */
function lastOfEach(spawned: readonly Of<"spawned">[]): Of<"spawned">[] {
  return [...new Map(spawned.map((record) => [record.by.run, record])).values()];
}

const ofAttempt = [
  (record: Of<"attempt" | "attempt-started" | "outcome">) => record.attempt.run,
  (record: Of<"attempt" | "attempt-started" | "outcome">) => record.attempt.task,
  (record: Of<"attempt" | "attempt-started" | "outcome">) => record.attempt.ordinal,
];
const agent = (record: Of<"attempt">) => record.agent;
const cluster = (record: Of<"attempt">) => record.cluster;
const host = (record: Of<"attempt">) => storableText(record.host);
const because = (record: Of<"attempt">) => record.because;
const rank = (record: Of<"attempt">) => record.rank ?? null;
const deadline = (record: Of<"attempt">) =>
  record.deadlineAt !== undefined && record.deadlineAt <= latest ? record.deadlineAt : null;

const ofOutcome = [
  ({ outcome }: Of<"outcome">) => outcome.is,
  ({ outcome }: Of<"outcome">) => ("reason" in outcome ? outcome.reason : null),
  ({ outcome }: Of<"outcome">) => {
    if (outcome.is === "succeeded") return outcome.exitCode ?? 0;
    return outcome.is === "failed" && outcome.exitCode !== undefined ? outcome.exitCode | 0 : null;
  },
  ({ outcome }: Of<"outcome">) =>
    outcome.is === "failed" && outcome.signal !== undefined ? storableText(outcome.signal) : null,
  ({ outcome }: Of<"outcome">) => {
    if (outcome.is === "failed" && outcome.detail !== undefined) return storableText(outcome.detail);
    return outcome.is === "inputs-missing" ? storableText(outcome.files.join("\n")) : null;
  },
  ({ usage }: Of<"outcome">) => storableJson(usage),
];

/** The same for the same attempt, however often it is asked. */
function requestId(attempt: AttemptRef): string {
  const digits = createHash("sha256").update(attemptId(attempt)).digest("hex");
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}

/** Agents' clocks may say anything; a date PostgreSQL cannot hold would block the journal. */
const latest = Date.UTC(9999, 0);
const at = (record: { at: number }) => (record.at >= 0 && record.at <= latest ? record.at : 0);

const insertAttempts = `INSERT INTO engine.attempt 
    (run, task, ordinal, agent, cluster, host, sent_at, epoch, because, rank, deadline_at)
  SELECT run, task, ordinal, agent, cluster, host, to_timestamp(at / 1000), epoch, because, rank, to_timestamp(deadline / 1000)
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::uuid[], $5::text[], $6::text[], $7::float8[], $8::bigint[],
              $9::text[], $10::float8[], $11::float8[])
    AS b (run, task, ordinal, agent, cluster, host, at, epoch, because, rank, deadline) ON CONFLICT DO NOTHING`;

const insertStarts = `INSERT INTO engine.attempt_start (run, task, ordinal, started_at)
  SELECT run, task, ordinal, to_timestamp(at / 1000)
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::float8[]) AS b (run, task, ordinal, at) ON CONFLICT DO NOTHING`;

const insertOutcomes = `INSERT INTO engine.outcome
    (run, task, ordinal, outcome, reason, exit_code, signal, detail, usage, recorded_at)
  SELECT run, task, ordinal, outcome, reason, exit_code, signal, detail, usage, to_timestamp(at / 1000)
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[], $9::jsonb[], $10::float8[])
    AS b (run, task, ordinal, outcome, reason, exit_code, signal, detail, usage, at) ON CONFLICT DO NOTHING`;

const upsertOutputs = `INSERT INTO engine.output (run, name, task, ordinal, sha256, size, transient)
  SELECT run, name, task, ordinal, decode(sha256, 'hex'), size, transient
  FROM unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::text[], $6::bigint[], $7::boolean[])
    AS b (run, name, task, ordinal, sha256, size, transient)
  ON CONFLICT (run, name) DO UPDATE SET task = excluded.task, ordinal = excluded.ordinal,
    sha256 = excluded.sha256, size = excluded.size, transient = excluded.transient`;

const upsertReusable = `INSERT INTO engine.reusable (owner, key, task_name, parts, outputs, run, task, ordinal, recorded_at)
  SELECT owner, decode(key, 'hex'), task_name, parts, outputs, run, task, ordinal, to_timestamp(at / 1000)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::jsonb[], $6::uuid[], $7::int[], $8::int[], $9::float8[])
    AS b (owner, key, task_name, parts, outputs, run, task, ordinal, at)
  ON CONFLICT (owner, key) DO UPDATE SET task_name = excluded.task_name, parts = excluded.parts, outputs = excluded.outputs,
    run = excluded.run, task = excluded.task, ordinal = excluded.ordinal, recorded_at = excluded.recorded_at`;

const insertEvents = `INSERT INTO engine.event (run, task, code, args, at)
  SELECT run, task, code, args, to_timestamp(at / 1000)
  FROM unnest($1::uuid[], $2::int[], $3::text[], $4::jsonb[], $5::float8[]) WITH ORDINALITY
    AS b (run, task, code, args, at, place) ORDER BY place`;

/** One that is open stays where it is, so that it may be told again after a restart; one that was closed is opened again. */
const upsertWanted = `INSERT INTO engine.agent_request (id, run, task, ordinal, cluster, owner, asks, asked_at)
  SELECT id, run, task, ordinal, cluster, owner, asks, to_timestamp(at / 1000)
  FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::int[], $5::text[], $6::text[], $7::jsonb[], $8::float8[])
    AS b (id, run, task, ordinal, cluster, owner, asks, at)
  ON CONFLICT (id) DO UPDATE SET asks = excluded.asks, asked_at = excluded.asked_at, closed_at = NULL, problem = NULL,
    cluster = CASE WHEN agent_request.closed_at IS NULL THEN agent_request.cluster ELSE excluded.cluster END`;

const finishCommands = `UPDATE engine.command SET done_at = to_timestamp(b.at / 1000)
  FROM unnest($1::uuid[], $2::float8[]) AS b (id, at) WHERE command.id = b.id AND command.done_at IS NULL`;

const insertSpawned = `INSERT INTO engine.spawned (run, task, ordinal, first, application, recorded_at)
  SELECT run, task, ordinal, first, application, to_timestamp(at / 1000)
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::jsonb[], $6::float8[])
    AS b (run, task, ordinal, first, application, at) ON CONFLICT DO NOTHING`;

const insertChunks = `INSERT INTO engine.task_chunk (run, chunk, seq, states)
  SELECT run, chunk, 0, '' FROM unnest($1::uuid[], $2::int[]) AS b (run, chunk) ON CONFLICT DO NOTHING`;

const growRuns = `UPDATE engine.run SET task_count = b.tasks, edge_count = b.edges
  FROM unnest($1::uuid[], $2::int[], $3::int[]) AS b (id, tasks, edges) WHERE run.id = b.id`;

const updateChunks = `UPDATE engine.task_chunk SET states = b.states, seq = b.seq
  FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::bytea[]) AS b (run, chunk, seq, states)
  WHERE task_chunk.run = b.run AND task_chunk.chunk = b.chunk`;

const updateRuns = `UPDATE engine.run SET
    seq = b.seq, counts = b.counts::int[], state = coalesce(b.state, run.state),
    started_at = coalesce(run.started_at, to_timestamp(b.started / 1000)),
    ended_at = CASE WHEN b.state IS NULL THEN run.ended_at ELSE to_timestamp(b.ended / 1000) END
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::float8[], $6::float8[])
    AS b (id, seq, counts, state, started, ended) WHERE run.id = b.id`;
