/** The clusters: everyone sees them, admins decide who may use them. */
import { z } from "zod";
import { changeCluster } from "../change-cluster";
import { listClusters } from "../cluster-views";
import { adminProcedure, protectedProcedure, router } from "../trpc";
import type { ClusterView } from "../views";

const clusterId = z.string().min(1).max(100);

export const clustersRouter = router({
  list: protectedProcedure.query(({ ctx }): Promise<ClusterView[]> => listClusters(ctx.backend, ctx.user)),

  /** A disabled cluster gets no further tasks; what runs there ends by itself. */
  setEnabled: adminProcedure
    .input(z.object({ id: clusterId, enabled: z.boolean() }))
    .mutation(
      ({ ctx, input }): Promise<void> => changeCluster(ctx.backend, ctx.user, input.id, { enabled: input.enabled }),
    ),

  setAccess: adminProcedure
    .input(z.object({ id: clusterId, access: z.enum(["everyone", "admins"]) }))
    .mutation(
      ({ ctx, input }): Promise<void> => changeCluster(ctx.backend, ctx.user, input.id, { access: input.access }),
    ),
});
