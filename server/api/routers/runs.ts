/** Runs: start, list, look at, watch, act on. */
import { tracked } from "@trpc/server";
import { z } from "zod";
import { requestCommand } from "@/server/journal/queries/request-command";
import { recordAudit } from "@/server/portal-db/audit";
import { id, page, source, title, uploadedFiles } from "../inputs";
import { graphOfRun, listOwnRuns, ownRun, readEvents, runDetail } from "../run-views";
import { startRun, startWorkflow } from "../start-run";
import { whileSignedIn } from "../subscription";
import { notFound, protectedProcedure, router } from "../trpc";
import type { LiveUpdate, RunDetail, RunEvent, RunGraph, RunSummary, StatesSnapshot } from "../views";

export const runsRouter = router({
  /** A stored workflow, or a text that is not stored. `files` add to (and override) those stored with the workflow. */
  start: protectedProcedure
    .input(
      z.union([
        z.object({ workflowId: id, files: uploadedFiles.optional() }),
        z.object({ name: title, text: source, files: uploadedFiles.optional() }),
      ]),
    )
    .mutation(
      ({ ctx, input }): Promise<{ id: string }> =>
        "workflowId" in input
          ? startWorkflow(ctx.backend, ctx.user, input.workflowId, input.files)
          : startRun(ctx.backend, ctx.user, { name: input.name, source: input.text, files: input.files ?? [] }),
    ),

  /** Newest first. */
  list: protectedProcedure
    .input(z.object({ ...page, cursor: id.nullish() }))
    .query(
      ({ ctx, input }): Promise<{ items: RunSummary[]; nextCursor: string | null }> =>
        listOwnRuns(ctx.backend, ctx.user, input.limit, input.cursor ?? undefined),
    ),

  get: protectedProcedure
    .input(z.object({ id }))
    .query(({ ctx, input }): Promise<RunDetail> => runDetail(ctx.backend, ctx.user, input.id)),

  /** The application as it was when the run started; does not change. */
  graph: protectedProcedure
    .input(z.object({ id }))
    .query(({ ctx, input }): Promise<RunGraph> => graphOfRun(ctx.backend, ctx.user, input.id)),

  states: protectedProcedure.input(z.object({ id })).query(async ({ ctx, input }): Promise<StatesSnapshot> => {
    await ownRun(ctx.backend, ctx.user, input.id);
    const snapshot = await ctx.backend.live.snapshot(input.id);
    if (!snapshot) throw notFound("run");
    return snapshot;
  }),

  /** Follows a run. The event id is the sequence number; a watcher that reconnects gets only what is newer. */
  live: protectedProcedure
    .input(
      z.object({
        id,
        lastEventId: z
          .string()
          .regex(/^\d{1,18}$/)
          .nullish(),
      }),
    )
    .subscription(async function* ({ ctx, input, signal }) {
      await ownRun(ctx.backend, ctx.user, input.id);
      const since = input.lastEventId ? Number(input.lastEventId) : undefined;
      const updates = whileSignedIn(ctx, signal, (ended) => ctx.backend.live.watch(input.id, since, ended));
      for await (const update of updates) {
        yield tracked(String(update.seq), update satisfies LiveUpdate);
      }
    }),

  /** The newest runs with their progress, again whenever something changes, at most twice a second. */
  watchList: protectedProcedure
    .input(z.object({ limit: z.number().int().min(1).max(30).default(10) }))
    .subscription(async function* ({ ctx, input, signal }): AsyncGenerator<RunSummary[], void, unknown> {
      const changes = whileSignedIn(ctx, signal, (ended) => ctx.backend.live.changes(ctx.user.id, ended));
      for await (const _ of changes) {
        const { items } = await listOwnRuns(ctx.backend, ctx.user, input.limit);
        yield items;
      }
    }),

  kill: protectedProcedure.input(z.object({ id })).mutation(async ({ ctx, input }): Promise<void> => {
    await ownRun(ctx.backend, ctx.user, input.id);
    await requestCommand(ctx.backend.pool, { run: input.id, kind: "kill", requestedBy: ctx.user.id });
    await recordAudit(ctx.backend.db, { actor: ctx.user.id, action: "run.killed", subject: input.id });
  }),

  retryFailed: protectedProcedure.input(z.object({ id })).mutation(async ({ ctx, input }): Promise<void> => {
    await ownRun(ctx.backend, ctx.user, input.id);
    await requestCommand(ctx.backend.pool, { run: input.id, kind: "retry-failed", requestedBy: ctx.user.id });
    await recordAudit(ctx.backend.db, { actor: ctx.user.id, action: "run.retried", subject: input.id });
  }),

  /** Oldest first, from after the event `after`. */
  events: protectedProcedure
    .input(
      z.object({
        id,
        after: z
          .string()
          .regex(/^\d{1,15}$/)
          .nullish(),
        limit: z.number().int().min(1).max(500).default(200),
      }),
    )
    .query(
      ({ ctx, input }): Promise<RunEvent[]> =>
        readEvents(ctx.backend, ctx.user, input.id, { after: Number(input.after ?? 0), limit: input.limit }),
    ),
});
