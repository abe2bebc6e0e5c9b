/** Runs as the pages see them. Everything here begins with the question whose run it is. */
import type { RunId } from "@/core/engine/ids";
import type { SessionUser } from "@/server/auth/session";
import { type RunSettings, runSettings } from "@/server/engine/run-settings";
import { eventsOfRun } from "@/server/journal/queries/events-of-run";
import { getRun } from "@/server/journal/queries/get-run";
import { inputsOfRun } from "@/server/journal/queries/inputs-of-run";
import { lastWaiting } from "@/server/journal/queries/last-waiting";
import { listRuns, type RunListing } from "@/server/journal/queries/list-runs";
import type { RunSummary as JournalRun } from "@/server/journal/queries/run-summary";
import type { Backend } from "./backend";
import { openCommands } from "./queries/open-commands";
import { runOfOwner } from "./queries/run-of-owner";
import { notFound } from "./trpc";
import type { RunDetail, RunEvent, RunGraph, RunOptions, RunSummary, WaitingView } from "./views";
import { wordEvent } from "./wording";

type Access = Pick<Backend, "pool">;

export async function ownRun({ pool }: Access, user: SessionUser, run: RunId): Promise<JournalRun> {
  const found = await runOfOwner(pool, run, user.id);
  if (!found) throw notFound("run");
  return found;
}

export async function listOwnRuns(
  access: Access,
  user: SessionUser,
  listing: Omit<RunListing, "owner">,
): Promise<{ items: RunSummary[]; nextCursor: RunId | null }> {
  const { limit, before } = listing;
  if (before) await ownRun(access, user, before);
  const runs = await listRuns(access.pool, { ...listing, owner: user.id, limit: limit + 1 });
  const items = runs.slice(0, limit).map(summaryOf);
  return { items, nextCursor: runs.length > limit ? (items.at(-1)?.id ?? null) : null };
}

export async function runDetail(access: Access, user: SessionUser, id: RunId): Promise<RunDetail> {
  await ownRun(access, user, id);
  const [run, inputs, pending] = await Promise.all([
    getRun(access.pool, id),
    inputsOfRun(access.pool, id),
    openCommands(access.pool, id),
  ]);
  if (!run) throw notFound("run");
  return {
    ...summaryOf(run),
    format: run.format,
    source: run.source,
    inputs: inputs.map(({ name, size }) => ({ name, size })),
    pending,
    settings: optionsOf(run.settings),
  };
}

export async function graphOfRun(access: Access, user: SessionUser, id: RunId): Promise<RunGraph> {
  await ownRun(access, user, id);
  const run = await getRun(access.pool, id);
  if (!run) throw notFound("run");
  return { id, format: run.format, taskCount: run.taskCount, application: run.application };
}

export async function readEvents(
  access: Access,
  user: SessionUser,
  id: RunId,
  page: { after: number; limit: number },
): Promise<RunEvent[]> {
  await ownRun(access, user, id);
  const events = await eventsOfRun(access.pool, id, page);
  return events.map((event) => ({
    id: String(event.id),
    task: event.task,
    code: event.code,
    sentence: wordEvent(event),
    at: event.at,
  }));
}

/** Why nothing of the run runs, as the engine wrote it down; null if it has said nothing, or something went out since. */
export async function whyRunWaits(access: Access, user: SessionUser, id: RunId): Promise<WaitingView | null> {
  await ownRun(access, user, id);
  const event = await lastWaiting(access.pool, id);
  return event ? { sentence: wordEvent(event), at: event.at } : null;
}

function optionsOf(stored: RunSettings): RunOptions {
  // Runs of before policies were known have less in their settings.
  const { policies, priority, retries, clustering } = runSettings.parse(stored);
  return { policies, priority, retries, clustering: clustering ?? null };
}

function summaryOf(run: JournalRun): RunSummary {
  return {
    id: run.id,
    name: run.name,
    state: run.state,
    counts: run.counts,
    taskCount: run.taskCount,
    edgeCount: run.edgeCount,
    workflowId: run.workflow,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
  };
}
