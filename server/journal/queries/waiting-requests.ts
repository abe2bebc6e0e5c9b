/**
 * What people asked for and no engine has done yet: runs that wait to be taken, and open commands.
 */
import { z } from "zod";
import type { RunId } from "@/core/engine/ids";
import type { Command } from "@/core/engine/plan";
import { policies } from "@/core/engine/policy-schema";
import type { Database } from "../pool";

const ofTask = z.object({ task: z.number().int().nonnegative() });

export async function queuedRuns(database: Database): Promise<RunId[]> {
  const { rows } = await database.query<{ id: RunId }>(
    "SELECT id FROM engine.run WHERE state = 'queued' ORDER BY created_at, id",
  );
  return rows.map((row) => row.id);
}

export async function openCommands(database: Database): Promise<Command[]> {
  const { rows } = await database.query<{ id: string; run: RunId; kind: Command["kind"]; body: unknown }>(
    "SELECT id, run, kind, body FROM engine.command WHERE done_at IS NULL ORDER BY requested_at, id",
  );
  return rows.map(({ id, run, kind, body }) => {
    if (kind === "change-policies") return { id, run, kind, policies: policies.catch({}).parse(body) };
    if (kind === "migrate" || kind === "resume")
      return { id, run, kind, task: ofTask.catch({ task: -1 }).parse(body).task };
    return { id, run, kind };
  });
}
