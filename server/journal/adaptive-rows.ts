/**
 * The part of a batch that is about tasks that move (014_adaptive.sql), in the manner of batch.ts: one statement a table, each
 * giving the same rows when it is sent again. What a task that has succeeded left behind goes with its outcome.
 */
import type { AttemptRef, RunId } from "@/core/engine/ids";
import type { JournalRecord } from "@/core/engine/ports";
import type { ProfileSample } from "@/core/protocol/agent";
import type { Statement } from "./batch";
import { storableJson, storableText } from "./storable-text";

type Of<Is extends JournalRecord["is"]> = Extract<JournalRecord, { is: Is }>;
export type AdaptiveRecord = Of<"checkpoint" | "move" | "task-change" | "samples" | "outcome">;

/** Enough for a profile on a page. */
const mostSamples = 500;
/** Agents' clocks may say anything; a date PostgreSQL cannot hold would block the journal. */
const latest = Date.UTC(9999, 0);
const at = (time: number) => (time >= 0 && time <= latest ? time : 0);

export class AdaptiveRows {
  /** By run and task: the last one counts; none: dropped. */
  private readonly sets = new Map<string, Of<"checkpoint">>();
  private readonly changes = new Map<string, Of<"task-change">>();
  private readonly moves: Of<"move">[] = [];
  private readonly samples = new Map<string, { of: AttemptRef; sample: ProfileSample }>();
  private readonly over = new Map<string, { run: RunId; task: number }>();

  note(record: AdaptiveRecord): void {
    switch (record.is) {
      case "checkpoint": {
        const { run, task } = record.attempt;
        this.sets.set(`${run}/${task}`, record);
        this.over.delete(`${run}/${task}`);
        return;
      }
      case "task-change":
        this.changes.set(`${record.run}/${record.task}`, record);
        this.over.delete(`${record.run}/${record.task}`);
        return;
      case "move":
        this.moves.push(record);
        return;
      case "samples": {
        const { run, task, ordinal } = record.attempt;
        for (const sample of record.samples) {
          this.samples.set(`${run}/${task}/${ordinal}/${sample.n}`, { of: record.attempt, sample });
        }
        return;
      }
      case "outcome": {
        if (record.outcome.is !== "succeeded") return;
        const { run, task } = record.attempt;
        const key = `${run}/${task}`;
        this.sets.delete(key);
        this.changes.delete(key);
        this.over.set(key, { run, task });
      }
    }
  }

  statements(): Statement[] {
    const statements: Statement[] = [];
    const add = <Row>(name: string, text: string, rows: readonly Row[], ...columns: ((row: Row) => unknown)[]) => {
      if (rows.length > 0) statements.push({ name, text, values: columns.map((column) => rows.map(column)) });
    };
    const sets = [...this.sets.values()];
    const attempt = [
      ({ attempt: { run } }: Of<"checkpoint" | "move">) => run,
      ({ attempt: { task } }: Of<"checkpoint" | "move">) => task,
      ({ attempt: { ordinal } }: Of<"checkpoint" | "move">) => ordinal,
    ];
    add(
      "checkpoint",
      upsertSets,
      sets.filter(({ files }) => files.length > 0),
      ...attempt,
      ({ files }) => storableJson(files),
      (record) => at(record.at),
    );
    add(
      "checkpoint-dropped",
      dropSets,
      sets.filter(({ files }) => files.length === 0),
      ...attempt.slice(0, 2),
    );
    add(
      "move",
      insertMoves,
      this.moves,
      ...attempt,
      ({ reason }) => reason,
      (record) => at(record.at),
    );
    add(
      "task-change",
      upsertChanges,
      [...this.changes.values()],
      ({ run }) => run,
      ({ task }) => task,
      ({ requirement }) => (requirement === undefined ? null : storableText(requirement)),
      ({ rank }) => (rank === undefined ? null : storableText(rank)),
      ({ held }) => held,
      (record) => at(record.at),
    );
    const over = [...this.over.values()];
    add(
      "checkpoint-over",
      dropSets,
      over,
      ({ run }) => run,
      ({ task }) => task,
    );
    add(
      "task-change-over",
      dropChanges,
      over,
      ({ run }) => run,
      ({ task }) => task,
    );
    this.addSamples(add);
    return statements;
  }

  private addSamples(
    add: <Row>(name: string, text: string, rows: readonly Row[], ...columns: ((row: Row) => unknown)[]) => void,
  ): void {
    const samples = [...this.samples.values()];
    add(
      "sample",
      insertSamples,
      samples,
      ({ of }) => of.run,
      ({ of }) => of.task,
      ({ of }) => of.ordinal,
      ({ sample }) => sample.n | 0,
      ({ sample }) => sample.seconds,
      ({ sample }) => at(sample.at),
    );
    const newest = new Map<string, { of: AttemptRef; n: number }>();
    for (const { of, sample } of samples) {
      const key = `${of.run}/${of.task}/${of.ordinal}`;
      if (sample.n > (newest.get(key)?.n ?? -1)) newest.set(key, { of, n: sample.n });
    }
    add(
      "sample-old",
      dropSamples,
      [...newest.values()].filter(({ n }) => n >= mostSamples),
      ({ of }) => of.run,
      ({ of }) => of.task,
      ({ of }) => of.ordinal,
      ({ n }) => n - mostSamples,
    );
  }
}

const upsertSets = `INSERT INTO engine.checkpoint (run, task, ordinal, files, recorded_at)
  SELECT run, task, ordinal, files, to_timestamp(at / 1000)
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::jsonb[], $5::float8[]) AS b (run, task, ordinal, files, at)
  ON CONFLICT (run, task) DO UPDATE SET ordinal = excluded.ordinal, files = excluded.files, recorded_at = excluded.recorded_at`;

const dropSets = `DELETE FROM engine.checkpoint USING unnest($1::uuid[], $2::int[]) AS b (run, task)
  WHERE checkpoint.run = b.run AND checkpoint.task = b.task`;

const insertMoves = `INSERT INTO engine.attempt_move (run, task, ordinal, reason, begun_at)
  SELECT run, task, ordinal, reason, to_timestamp(at / 1000)
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::text[], $5::float8[]) AS b (run, task, ordinal, reason, at)
  ON CONFLICT DO NOTHING`;

const upsertChanges = `INSERT INTO engine.task_change (run, task, requirement, rank, held, changed_at)
  SELECT run, task, requirement, rank, held, to_timestamp(at / 1000)
  FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::boolean[], $6::float8[])
    AS b (run, task, requirement, rank, held, at)
  ON CONFLICT (run, task) DO UPDATE SET requirement = excluded.requirement, rank = excluded.rank, held = excluded.held,
    changed_at = excluded.changed_at`;

const dropChanges = `DELETE FROM engine.task_change USING unnest($1::uuid[], $2::int[]) AS b (run, task)
  WHERE task_change.run = b.run AND task_change.task = b.task`;

const insertSamples = `INSERT INTO engine.profile_sample (run, task, ordinal, n, seconds, at)
  SELECT run, task, ordinal, n, seconds, to_timestamp(at / 1000)
  FROM unnest($1::uuid[], $2::int[], $3::int[], $4::int[], $5::float8[], $6::float8[])
    AS b (run, task, ordinal, n, seconds, at) ON CONFLICT DO NOTHING`;

const dropSamples = `DELETE FROM engine.profile_sample USING unnest($1::uuid[], $2::int[], $3::int[], $4::int[])
    AS b (run, task, ordinal, below)
  WHERE profile_sample.run = b.run AND profile_sample.task = b.task AND profile_sample.ordinal = b.ordinal
    AND profile_sample.n < b.below`;
