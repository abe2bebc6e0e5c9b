/**
 * One run in full: its summary, the text it was submitted as, and its application.
 */
import type { RunId } from "@/core/engine/ids";
import type { Application } from "@/core/workflow/application";
import type { RunSettings } from "@/server/engine/run-settings";
import type { Database } from "../pool";
import { additionsOf, withAdditions } from "./additions";
import { type RunSummary, runSummaryColumns } from "./run-summary";

export interface RunDetail extends RunSummary {
  source: string;
  application: Application;
  settings: RunSettings;
}

export async function getRun(database: Database, run: RunId): Promise<RunDetail | undefined> {
  const { rows } = await database.query<RunDetail>(
    `SELECT ${runSummaryColumns}, source, application, settings FROM engine.run WHERE id = $1`,
    [run],
  );
  const found = rows[0];
  if (!found) return undefined;
  // The run's own tasks, and those that were handed in since.
  return { ...found, application: withAdditions(found.application, await additionsOf(database, run)) };
}
