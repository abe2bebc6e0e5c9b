/** The files of a run. Content travels by plain routes: /api/upload, /api/runs/ID/files/NAME, /api/runs/ID/archive. */
import { z } from "zod";
import { id } from "../inputs";
import { listFiles } from "../run-files";
import { ownRun } from "../run-views";
import { protectedProcedure, router } from "../trpc";
import type { RunFile } from "../views";

export const filesRouter = router({
  list: protectedProcedure.input(z.object({ run: id })).query(async ({ ctx, input }): Promise<RunFile[]> => {
    await ownRun(ctx.backend, ctx.user, input.run);
    return await listFiles(ctx.backend, input.run);
  }),
});
