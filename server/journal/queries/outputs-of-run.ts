/**
 * The files a run has made so far. Transient ones are listed but stay with the agent that made them.
 */
import type { RunId } from "@/core/engine/ids";
import type { Database } from "../pool";

export interface OutputRow {
  name: string;
  task: number;
  sha256: string;
  size: number;
  transient: boolean;
}

export async function outputsOfRun(database: Database, run: RunId): Promise<OutputRow[]> {
  const { rows } = await database.query<OutputRow>(
    `SELECT name, task, encode(sha256, 'hex') AS sha256, size::float8 AS size, transient
     FROM engine.output WHERE run = $1 ORDER BY name`,
    [run],
  );
  return rows;
}
