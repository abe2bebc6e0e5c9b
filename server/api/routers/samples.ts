/** The samples of the home page: one click stores the workflow and runs it. */
import { z } from "zod";
import { listSamples, startSample } from "../samples";
import { protectedProcedure, router } from "../trpc";
import type { SampleView } from "../views";

export const samplesRouter = router({
  list: protectedProcedure.query((): Promise<SampleView[]> => listSamples()),

  start: protectedProcedure
    .input(z.object({ sampleId: z.string().max(100) }))
    .mutation(
      ({ ctx, input }): Promise<{ id: string; workflowId: string }> =>
        startSample(ctx.backend, ctx.user, input.sampleId),
    ),
});
