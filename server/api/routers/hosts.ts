/** Hosts as expressions see them, of the clusters the asking person may use: matched in the browser as one types. */
import type { HostToMatch } from "@/core/engine/match-hosts";
import { listClusters } from "../cluster-views";
import { hostsToMatch } from "../queries/hosts-to-match";
import { protectedProcedure, router } from "../trpc";

export const hostsRouter = router({
  toMatch: protectedProcedure.query(async ({ ctx }): Promise<HostToMatch[]> => {
    const clusters = await listClusters(ctx.backend, ctx.user);
    const usable = clusters.filter((cluster) => cluster.usable).map(({ id }) => id);
    return hostsToMatch(ctx.backend.pool, usable, ctx.user.id);
  }),
});
