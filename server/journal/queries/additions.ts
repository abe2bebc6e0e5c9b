/** What tasks handed in while their run went on, in the order in which it became part of the run. */
import type { RunId } from "@/core/engine/ids";
import type { Application } from "@/core/workflow/application";
import { extendApplication } from "@/core/workflow/extend";
import type { Database } from "../pool";

export interface Addition {
  task: number;
  first: number;
  application: Application;
}

export async function additionsOf(database: Database, run: RunId): Promise<Addition[]> {
  const { rows } = await database.query<Addition>(
    // Of several that added nothing the order does not matter.
    "SELECT task, first, application FROM engine.spawned WHERE run = $1 ORDER BY first, recorded_at",
    [run],
  );
  return rows;
}

export function withAdditions(base: Application, additions: readonly Addition[]): Application {
  return additions.reduce((application, addition) => extendApplication(application, addition.application), base);
}
