/**
 * Stores what a person asks of a run and wakes the engine. The row is the request: it stays open until the
 * engine has carried it out.
 */
import { randomUUID } from "node:crypto";
import type { RunId } from "@/core/engine/ids";
import type { Policies } from "@/core/engine/policy";
import type { Database } from "../pool";
import { storableJson } from "../storable-text";

export interface CommandRequest {
  id?: string;
  run: RunId;
  kind: "kill" | "retry-failed";
  requestedBy: string;
}

/** Of one task of a run. */
export interface TaskCommandRequest {
  id?: string;
  run: RunId;
  kind: "migrate" | "resume";
  task: number;
  requestedBy: string;
}

export async function requestTaskCommand(database: Database, request: TaskCommandRequest): Promise<string> {
  const id = request.id ?? randomUUID();
  await database.query(
    `WITH stored AS (
       INSERT INTO engine.command (id, run, kind, requested_by, body) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (id) DO NOTHING RETURNING run)
     SELECT pg_notify('gridloom_command', run::text) FROM stored`,
    [id, request.run, request.kind, request.requestedBy, storableJson({ task: request.task })],
  );
  return id;
}

/** The run has the new policies from now on, whichever engine reads it; the command tells the one that works on it. */
export async function requestPolicies(
  database: Database,
  {
    run,
    policies,
    requestedBy,
    id = randomUUID(),
  }: { run: RunId; policies: Policies; requestedBy: string; id?: string },
): Promise<string> {
  await database.query(
    `WITH stored AS (
       INSERT INTO engine.command (id, run, kind, requested_by, body) VALUES ($1, $2, 'change-policies', $3, $4)
       ON CONFLICT (id) DO NOTHING RETURNING run),
     changed AS (
       UPDATE engine.run SET settings = jsonb_set(settings, '{policies}', $4::jsonb) FROM stored WHERE engine.run.id = stored.run
       RETURNING engine.run.id)
     SELECT pg_notify('gridloom_command', id::text) FROM changed`,
    [id, run, requestedBy, storableJson(policies)],
  );
  return id;
}

export async function requestCommand(database: Database, request: CommandRequest): Promise<string> {
  const id = request.id ?? randomUUID();
  await database.query(
    `WITH stored AS (
       INSERT INTO engine.command (id, run, kind, requested_by) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING
       RETURNING run)
     SELECT pg_notify('gridloom_command', run::text) FROM stored`,
    [id, request.run, request.kind, request.requestedBy],
  );
  return id;
}
