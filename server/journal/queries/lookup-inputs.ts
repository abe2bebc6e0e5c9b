/**
 * Where the content of a run's files is: what the submitter provided or a task made, by name.
 */
import type { RunId } from "@/core/engine/ids";
import type { Database } from "../pool";

export interface FileContent {
  name: string;
  sha256: string;
  size: number;
  /** Kept by the agent that made it. */
  transient: boolean;
}

/** Names without a row are left out. What a task made comes before what was provided under the same name. */
export async function lookupInputs(
  database: Database,
  run: RunId,
  names: readonly string[],
): Promise<Map<string, FileContent>> {
  const { rows } = await database.query<FileContent>(
    `SELECT DISTINCT ON (name) name, encode(sha256, 'hex') AS sha256, size::float8 AS size, transient
     FROM (SELECT name, sha256, size, transient, 0 AS place FROM engine.output WHERE run = $1 AND name = ANY ($2)
           UNION ALL
           SELECT name, sha256, size, false, 1 FROM engine.run_input WHERE run = $1 AND name = ANY ($2)) AS known
     ORDER BY name, place`,
    [run, names],
  );
  return new Map(rows.map((row) => [row.name, row]));
}
