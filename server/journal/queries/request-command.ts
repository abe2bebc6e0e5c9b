/**
 * Stores what a person asks of a run and wakes the engine. The row is the request: it stays open until the
 * engine has carried it out.
 */
import { randomUUID } from "node:crypto";
import type { RunId } from "@/core/engine/ids";
import type { Database } from "../pool";

export type CommandKind = "kill" | "retry-failed";

export interface CommandRequest {
  id?: string;
  run: RunId;
  kind: CommandKind;
  requestedBy: string;
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
