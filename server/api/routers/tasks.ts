/** One task of a run: what it is, what was tried, what it printed. */
import { tracked } from "@trpc/server";
import { z } from "zod";
import { id, taskIndex } from "../inputs";
import { followOutput } from "../output-views";
import { ownRun } from "../run-views";
import { whileSignedIn } from "../subscription";
import { askOfTask, ownTask } from "../task-views";
import { protectedProcedure, router } from "../trpc";
import type { OutputChunk, TaskDetail } from "../views";

export const tasksRouter = router({
  get: protectedProcedure
    .input(z.object({ run: id, task: taskIndex }))
    .query(({ ctx, input }): Promise<TaskDetail> => ownTask(ctx.backend, ctx.user, input.run, input.task)),

  /** Go on on another host, from its restart files where there are some (GW-7). */
  migrate: protectedProcedure
    .input(z.object({ run: id, task: taskIndex }))
    .mutation(({ ctx, input }): Promise<void> => askOfTask(ctx.backend, ctx.user, "migrate", input)),

  /** Go on after it was held because it failed too often (GW-11). */
  resume: protectedProcedure
    .input(z.object({ run: id, task: taskIndex }))
    .mutation(({ ctx, input }): Promise<void> => askOfTask(ctx.backend, ctx.user, "resume", input)),

  /** A stream of an attempt as it grows, from a byte offset; the event id is the offset to go on from. */
  output: protectedProcedure
    .input(
      z.object({
        run: id,
        task: taskIndex,
        ordinal: z.number().int().min(1).max(1_000_000),
        stream: z.enum(["stdout", "stderr"]),
        offset: z.number().int().min(0).default(0),
        lastEventId: z
          .string()
          .regex(/^\d{1,15}$/)
          .nullish(),
      }),
    )
    .subscription(async function* ({ ctx, input, signal }) {
      await ownRun(ctx.backend, ctx.user, input.run);
      const from = input.lastEventId ? Number(input.lastEventId) : input.offset;
      const chunks = whileSignedIn(ctx, signal, (ended) => followOutput(ctx.backend, input, from, ended));
      for await (const chunk of chunks) {
        yield tracked(String(chunk.next), chunk satisfies OutputChunk);
      }
    }),
});
