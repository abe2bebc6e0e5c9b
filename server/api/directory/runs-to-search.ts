/** Runs whose tasks are looked through, newest first, from a given one on. */
import type { RunId } from "@/core/engine/ids";
import type { Database } from "@/server/journal/pool";
import { literal } from "@/server/journal/queries/list-runs";

export interface RunToSearch {
  id: RunId;
  name: string;
  owner: string;
  taskCount: number;
}

export interface RunChoice {
  /** Absent: everybody's. */
  owners?: readonly string[];
  run?: RunId;
  /** Part of its name. */
  runName?: string;
  /** The first one; absent: the newest. */
  from?: RunId;
  /** Only those that had an attempt on a machine with this in its name. */
  host?: string;
  limit: number;
}

export async function runsToSearch(database: Database, choice: RunChoice): Promise<RunToSearch[]> {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (value: unknown, condition: (place: string) => string) => {
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const { owners, run, runName, from, host } = choice;
  // One owner is the usual case, and the one whose order the index has.
  if (owners?.length === 1) add(owners[0], (place) => `owner = ${place}`);
  else if (owners) add(owners, (place) => `owner = ANY (${place})`);
  if (run) add(run, (place) => `id = ${place}`);
  if (runName) add(`%${literal(runName)}%`, (place) => `name ILIKE ${place}`);
  if (from) {
    add(
      from,
      (place) =>
        `(created_at, id) <= (SELECT first.created_at, first.id FROM engine.run AS first WHERE first.id = ${place})`,
    );
  }
  if (host) {
    add(
      `%${literal(host)}%`,
      (place) => `EXISTS (SELECT FROM engine.attempt WHERE attempt.run = run.id AND attempt.host ILIKE ${place})`,
    );
  }
  values.push(choice.limit);
  // Every column of it is in the index that has the order, so the wide rows are not read.
  const { rows } = await database.query<RunToSearch>(
    `SELECT id, name, owner, task_count AS "taskCount" FROM engine.run
     ${conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : ""}
     ORDER BY created_at DESC, id DESC LIMIT $${values.length}`,
    values,
  );
  return rows;
}
