/** Of these runs, those that have ended or are not known any more: nobody needs what agents keep for them. */
import type { Database } from "../pool";

export async function runsOver(database: Database, runs: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `SELECT asked.id FROM unnest($1::uuid[]) AS asked (id) LEFT JOIN engine.run ON run.id = asked.id
     WHERE run.id IS NULL OR run.state NOT IN ('queued', 'running')`,
    [runs],
  );
  return rows.map(({ id }) => id);
}
