/** Runs: start, list, look at, watch, act on. */
import { tracked } from "@trpc/server";
import { z } from "zod";
import { givenPolicies } from "@/core/engine/policy-schema";
import { runOptions } from "@/server/engine/run-settings";
import { requestCommand } from "@/server/journal/queries/request-command";
import { recordAudit } from "@/server/portal-db/audit";
import { changePolicies } from "../change-policies";
import { id, notStorable, page, source, sourceName, storable, title, uploadedFiles } from "../inputs";
import { settingsFor } from "../run-options";
import { graphOfRun, listOwnRuns, ownRun, readEvents, runDetail, whyRunWaits } from "../run-views";
import { startRun, startWorkflow } from "../start-run";
import { whileSignedIn } from "../subscription";
import { notFound, protectedProcedure, router } from "../trpc";
import type { LiveUpdate, RunDetail, RunEvent, RunGraph, RunSummary, StatesSnapshot, WaitingView } from "../views";

export const runsRouter = router({
  /**
   * A stored workflow, or a text that is not stored. `files` add to (and override) those stored with the workflow;
   * `settings` say how this run is to go.
   */
  start: protectedProcedure
    .input(
      z
        .object({ settings: runOptions.optional() })
        .and(
          z.union([
            z.object({ workflowId: id, files: uploadedFiles.optional() }),
            z.object({ name: title, text: source, sourceName, files: uploadedFiles.optional() }),
          ]),
        ),
    )
    .mutation(({ ctx, input }): Promise<{ id: string }> => {
      const settings = settingsFor(input.settings);
      if ("workflowId" in input) return startWorkflow(ctx.backend, ctx.user, input.workflowId, input.files, settings);
      const { name, text, sourceName, files = [] } = input;
      return startRun(ctx.backend, ctx.user, { name, source: text, sourceName, files, settings });
    }),

  /** Newest first; those in one state, or with these words in their name, if asked for. */
  list: protectedProcedure
    .input(
      z.object({
        ...page,
        cursor: id.nullish(),
        state: z.enum(["queued", "running", "succeeded", "failed", "killed"]).optional(),
        name: z.string().trim().max(200).refine(storable, notStorable).optional(),
      }),
    )
    .query(
      ({ ctx, input }): Promise<{ items: RunSummary[]; nextCursor: string | null }> =>
        listOwnRuns(ctx.backend, ctx.user, {
          limit: input.limit,
          ...(input.cursor && { before: input.cursor }),
          ...(input.state && { state: input.state }),
          ...(input.name && { name: input.name }),
        }),
    ),

  get: protectedProcedure
    .input(z.object({ id }))
    .query(({ ctx, input }): Promise<RunDetail> => runDetail(ctx.backend, ctx.user, input.id)),

  /** The application with what tasks have handed in since the run started. */
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
        const { items } = await listOwnRuns(ctx.backend, ctx.user, { limit: input.limit });
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

  /** All of them at once: what is not given is no longer a policy of the run. */
  changePolicies: protectedProcedure
    .input(z.object({ id, policies: givenPolicies }))
    .mutation(({ ctx, input }): Promise<void> => changePolicies(ctx.backend, ctx.user, input.id, input.policies)),

  /** Why tasks that are ready do not run, in the engine's words. */
  waiting: protectedProcedure
    .input(z.object({ id }))
    .query(({ ctx, input }): Promise<WaitingView | null> => whyRunWaits(ctx.backend, ctx.user, input.id)),

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
