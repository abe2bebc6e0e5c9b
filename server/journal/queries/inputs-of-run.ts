/**
 * The files the submitter of a run provided.
 */
import type { RunId } from "@/core/engine/ids";
import type { Database } from "../pool";
import type { RunInput } from "./create-run";

export async function inputsOfRun(database: Database, run: RunId): Promise<RunInput[]> {
  const { rows } = await database.query<RunInput>(
    `SELECT name, encode(sha256, 'hex') AS sha256, size::float8 AS size
     FROM engine.run_input WHERE run = $1 ORDER BY name`,
    [run],
  );
  return rows;
}
