/** A person's workflows: text, name, and the files that came with it. */
import { z } from "zod";
import { id, page, source, sourceName, title, uploadedFiles } from "../inputs";
import { notFound, protectedProcedure, router } from "../trpc";
import { ownedUploads } from "../uploads";
import type { CheckResult, WorkflowDetail, WorkflowSummary } from "../views";
import { checkStored, readWorkflow } from "../workflow-check";

const summary = { id: true, name: true, format: true, createdAt: true, updatedAt: true } as const;

/** A removed workflow can be brought back for this long. */
const restorableDays = 30;

export const workflowsRouter = router({
  list: protectedProcedure
    .input(z.object({ ...page, cursor: z.object({ updatedAt: z.date(), id }).nullish() }))
    .query(
      async ({
        ctx,
        input,
      }): Promise<{ items: WorkflowSummary[]; nextCursor: { updatedAt: Date; id: string } | null }> => {
        const { cursor, limit } = input;
        const items = await ctx.backend.db.workflow.findMany({
          where: {
            ownerId: ctx.user.id,
            removedAt: null,
            ...(cursor && {
              OR: [{ updatedAt: { lt: cursor.updatedAt } }, { updatedAt: cursor.updatedAt, id: { lt: cursor.id } }],
            }),
          },
          orderBy: [{ updatedAt: "desc" }, { id: "desc" }],
          take: limit + 1,
          select: summary,
        });
        const last = items.length > limit ? items[limit - 1] : undefined;
        return {
          items: items.slice(0, limit),
          nextCursor: last ? { updatedAt: last.updatedAt, id: last.id } : null,
        };
      },
    ),

  get: protectedProcedure.input(z.object({ id })).query(async ({ ctx, input }): Promise<WorkflowDetail> => {
    const workflow = await ctx.backend.db.workflow.findFirst({
      where: { id: input.id, ownerId: ctx.user.id, removedAt: null },
      select: {
        ...summary,
        source: true,
        sourceName: true,
        files: { select: { name: true, sha256: true, size: true }, orderBy: { name: "asc" } },
      },
    });
    if (!workflow) throw notFound("workflow");
    const files = workflow.files.map((file) => ({ ...file, size: Number(file.size) }));
    // Without files there are no companions, and no need to read the text.
    const companions = files.length === 0 ? [] : (await readWorkflow(ctx.backend.files, workflow, files)).companions;
    return { ...workflow, files, companions };
  }),

  create: protectedProcedure
    .input(z.object({ name: title, source, sourceName, files: uploadedFiles.default([]) }))
    .mutation(async ({ ctx, input }): Promise<{ id: string }> => {
      const files = await ownedUploads(ctx.backend.db, ctx.user.id, input.files);
      const { parsed } = await readWorkflow(ctx.backend.files, input, files);
      return await ctx.backend.db.workflow.create({
        data: {
          ownerId: ctx.user.id,
          name: input.name,
          source: input.source,
          sourceName: input.sourceName,
          format: parsed.format,
          files: { createMany: { data: files } },
        },
        select: { id: true },
      });
    }),

  /** What is not given stays as it is. */
  update: protectedProcedure
    .input(
      z.object({
        id,
        name: title.optional(),
        source: source.optional(),
        sourceName,
        files: uploadedFiles.optional(),
      }),
    )
    .mutation(async ({ ctx, input }): Promise<{ id: string; updatedAt: Date }> => {
      const { db } = ctx.backend;
      const workflow = await db.workflow.findFirst({
        where: { id: input.id, ownerId: ctx.user.id, removedAt: null },
        select: { id: true, source: true, sourceName: true, files: { select: { name: true, sha256: true } } },
      });
      if (!workflow) throw notFound("workflow");
      const files = await ownedUploads(db, ctx.user.id, input.files ?? workflow.files);
      const text = {
        source: input.source ?? workflow.source,
        sourceName: input.sourceName === undefined ? workflow.sourceName : input.sourceName,
      };
      const { parsed } = await readWorkflow(ctx.backend.files, text, files);
      return await db.workflow.update({
        where: { id: workflow.id },
        data: {
          name: input.name,
          ...text,
          format: parsed.format,
          files: input.files && { deleteMany: {}, createMany: { data: files } },
        },
        select: { id: true, updatedAt: true },
      });
    }),

  /** Can be undone with `restore`. Runs of the workflow stay. */
  remove: protectedProcedure
    .input(z.object({ id }))
    .mutation(async ({ ctx, input }): Promise<{ restorableDays: number }> => {
      const { db } = ctx.backend;
      const removed = await db.workflow.updateMany({
        where: { id: input.id, ownerId: ctx.user.id, removedAt: null },
        data: { removedAt: new Date() },
      });
      if (removed.count === 0) throw notFound("workflow");
      await db.workflow.deleteMany({
        where: { ownerId: ctx.user.id, removedAt: { lt: new Date(Date.now() - restorableDays * 24 * 3600_000) } },
      });
      return { restorableDays };
    }),

  restore: protectedProcedure.input(z.object({ id })).mutation(async ({ ctx, input }): Promise<{ id: string }> => {
    const restored = await ctx.backend.db.workflow.updateMany({
      where: { id: input.id, ownerId: ctx.user.id, removedAt: { not: null } },
      data: { removedAt: null },
    });
    if (restored.count === 0) throw notFound("workflow");
    return { id: input.id };
  }),

  /**
   * The same checks the browser makes as one types, by the server. `files` are the names that will be provided;
   * `uploads` are there already, and those the text names as part of its description are read.
   */
  check: protectedProcedure
    .input(
      z.object({
        text: source,
        sourceName,
        files: z.array(z.string().max(1024)).max(10_000).optional(),
        uploads: uploadedFiles.default([]),
      }),
    )
    .query(async ({ ctx, input }): Promise<CheckResult> => {
      const { text, sourceName: name, files } = input;
      const uploads = await ownedUploads(ctx.backend.db, ctx.user.id, input.uploads);
      const provided = files && new Set([...files, ...uploads.map((upload) => upload.name)]);
      return (await checkStored(ctx.backend.files, { source: text, sourceName: name }, uploads, provided)).result;
    }),
});
