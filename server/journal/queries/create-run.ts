/**
 * Stores a run with its inputs and the initial states of its tasks in one transaction and wakes the engine.
 * Giving the same id twice stores it once, so a submission whose answer was lost can simply be repeated.
 */
import { randomUUID } from "node:crypto";
import type { RunId } from "@/core/engine/ids";
import { TaskState } from "@/core/engine/task-state";
import type { Application } from "@/core/workflow/application";
import type { Workflow } from "@/core/workflow/workflow";
import type { RunSettings } from "@/server/engine/run-settings";
import { doneTasks } from "../done-tasks";
import { chunkSize, countStates } from "../pages";
import type { Pool } from "../pool";
import { storableJson, storableText } from "../storable-text";

export interface NewRun {
  /** Made up if not given. */
  id?: RunId;
  /** An account's id, or `cli:NAME`. */
  owner: string;
  ownerAdmin: boolean;
  /** The stored workflow it comes from, if any. */
  workflow?: string;
  name: string;
  format: string;
  source: string;
  application: Application;
  /** What `buildWorkflow(application)` gave. */
  graph: Workflow;
  settings: RunSettings;
  /** A file for each of the graph's `externalInputs`, already in the file store. */
  inputs: RunInput[];
}

export interface RunInput {
  name: string;
  sha256: string;
  size: number;
}

export async function createRun(pool: Pool, run: NewRun): Promise<RunId> {
  const id = run.id ?? randomUUID();
  const states = new Uint8Array(run.graph.taskCount);
  for (const task of doneTasks(run.application, run.graph)) states[task] = TaskState.finished;

  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const inserted = await client.query(
      `INSERT INTO engine.run (id, owner, owner_admin, workflow, name, format, source, application, settings,
                               task_count, edge_count, counts)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT (id) DO NOTHING`,
      [
        id,
        run.owner,
        run.ownerAdmin,
        run.workflow ?? null,
        storableText(run.name),
        run.format,
        storableText(run.source),
        storableJson(run.application),
        storableJson(run.settings),
        run.graph.taskCount,
        run.graph.successors.targets.length,
        countStates(states),
      ],
    );
    if (inserted.rowCount === 1) {
      await client.query(
        `INSERT INTO engine.run_input (run, name, sha256, size)
         SELECT $1, name, decode(sha256, 'hex'), size FROM unnest($2::text[], $3::text[], $4::bigint[]) AS given (name, sha256, size)`,
        [
          id,
          run.inputs.map((input) => input.name),
          run.inputs.map((input) => input.sha256),
          run.inputs.map((input) => input.size),
        ],
      );
      const chunks = Array.from({ length: Math.ceil(states.length / chunkSize) }, (_, chunk) =>
        Buffer.from(states.subarray(chunk * chunkSize, (chunk + 1) * chunkSize)),
      );
      await client.query(
        `INSERT INTO engine.task_chunk (run, chunk, seq, states)
         SELECT $1, chunk - 1, 0, states FROM unnest($2::bytea[]) WITH ORDINALITY AS given (states, chunk)`,
        [id, chunks],
      );
      await client.query("SELECT pg_notify('gridloom_command', $1)", [id]);
    }
    await client.query("COMMIT");
  } catch (error) {
    // The connection itself may be what broke; then there is nothing left to roll back.
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
  return id;
}
