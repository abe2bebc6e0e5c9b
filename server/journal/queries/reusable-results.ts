/** Results of earlier runs that tasks of this owner may take, by key; and what was last known of tasks by their names. */
import type { AttemptRef } from "@/core/engine/ids";
import type { OutputFile } from "@/core/engine/outcome";
import type { Database } from "../pool";

export interface ReusableResult {
  from: AttemptRef;
  outputs: OutputFile[];
}

export async function reusableResults(
  database: Database,
  owner: string,
  keys: readonly string[],
): Promise<Map<string, ReusableResult>> {
  const { rows } = await database.query<{
    key: string;
    run: string;
    task: number;
    ordinal: number;
    outputs: OutputFile[];
  }>(
    `SELECT encode(key, 'hex') AS key, run, task, ordinal, outputs FROM engine.reusable
     WHERE owner = $1 AND key = ANY (SELECT decode(wanted, 'hex') FROM unnest($2::text[]) AS wanted)`,
    [owner, keys],
  );
  return new Map(rows.map(({ key, outputs, ...from }) => [key, { from, outputs }]));
}

/** The parts of the last success of tasks with these names, as stored. */
export async function lastParts(
  database: Database,
  owner: string,
  names: readonly string[],
): Promise<Map<string, unknown>> {
  const { rows } = await database.query<{ name: string; parts: unknown }>(
    `SELECT wanted.name, last.parts FROM unnest($2::text[]) AS wanted (name)
     CROSS JOIN LATERAL (SELECT parts FROM engine.reusable WHERE owner = $1 AND task_name = wanted.name
                         ORDER BY recorded_at DESC LIMIT 1) AS last`,
    [owner, names],
  );
  return new Map(rows.map(({ name, parts }) => [name, parts]));
}
