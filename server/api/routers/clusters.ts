/** The clusters: everyone sees them and how they do; admins register them and decide who may use them. */
import { z } from "zod";
import { clusterIdText, credentialDraft, registration } from "@/core/clusters/registration";
import { changeCluster } from "../change-cluster";
import { clusterDetail, listClusters, removedClusters } from "../cluster-views";
import { agentsOfCluster } from "../clusters/agents";
import { commandsOfCluster } from "../clusters/commands";
import { hostsOfCluster } from "../clusters/hosts";
import { actOnCluster, addCluster, updateCluster } from "../clusters/register";
import { testRegistration } from "../clusters/test-cluster";
import type {
  ActivityView,
  AgentView,
  ClusterDetail,
  CommandView,
  HostView,
  RemovedCluster,
  TestView,
} from "../clusters/views";
import { id as uuid } from "../inputs";
import { whileSignedIn } from "../subscription";
import { adminProcedure, notFound, protectedProcedure, router } from "../trpc";
import type { ClusterView } from "../views";

const clusterId = z.string().min(1).max(100);
const credential = credentialDraft.optional();

export const clustersRouter = router({
  list: protectedProcedure.query(({ ctx }): Promise<ClusterView[]> => listClusters(ctx.backend, ctx.user)),

  /** What ended on each in the last hour. */
  activity: protectedProcedure.query(({ ctx }): Promise<ActivityView[]> => ctx.backend.activity.read()),

  get: protectedProcedure
    .input(z.object({ id: clusterId }))
    .query(({ ctx, input }): Promise<ClusterDetail> => clusterDetail(ctx.backend, ctx.user, input.id)),

  hosts: protectedProcedure.input(z.object({ id: clusterId })).query(async ({ ctx, input }): Promise<HostView[]> => {
    await existing(ctx.backend, input.id);
    return await hostsOfCluster(ctx.backend, input.id);
  }),

  /** Admins see all of them; others those that work for them alone. */
  agents: protectedProcedure.input(z.object({ id: clusterId })).query(async ({ ctx, input }): Promise<AgentView[]> => {
    await existing(ctx.backend, input.id);
    return await agentsOfCluster(ctx.backend.pool, input.id, ctx.user.role === "admin" ? undefined : ctx.user.id);
  }),

  /** Newest first, from before the command `before`. Job scripts pass through them: only admins read them. */
  commands: adminProcedure
    .input(
      z.object({
        id: clusterId,
        before: z
          .string()
          .regex(/^\d{1,18}$/)
          .nullish(),
        limit: z.number().int().min(1).max(200).default(50),
      }),
    )
    .query(
      ({ ctx, input }): Promise<CommandView[]> =>
        commandsOfCluster(ctx.backend, input.id, {
          before: input.before ? BigInt(input.before) : undefined,
          limit: input.limit,
        }),
    ),

  add: adminProcedure
    .input(z.object({ id: clusterIdText, registration, credential, test: uuid.optional() }))
    .mutation(({ ctx, input }): Promise<void> => addCluster(ctx.backend, ctx.user, input)),

  update: adminProcedure
    .input(z.object({ id: clusterId, registration, credential, test: uuid.optional() }))
    .mutation(({ ctx, input }): Promise<void> => updateCluster(ctx.backend, ctx.user, input)),

  /** The key travels in the body; the answer's id is for `watchTest`. */
  test: adminProcedure
    .input(z.object({ id: clusterId.optional(), registration, credential }))
    .mutation(({ ctx, input }): Promise<{ id: string }> => testRegistration(ctx.backend, ctx.user, input)),

  /** A test one started oneself, again at each step. */
  watchTest: protectedProcedure.input(z.object({ id: uuid })).subscription(async function* ({
    ctx,
    input,
    signal,
  }): AsyncGenerator<TestView, void, unknown> {
    const test = ctx.backend.tests.find(ctx.user.id, input.id);
    if (!test) throw notFound("test");
    yield* whileSignedIn(ctx, signal, (ended) => test.watch(ended));
  }),

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

  setDraining: adminProcedure
    .input(z.object({ id: clusterId, draining: z.boolean() }))
    .mutation(
      ({ ctx, input }): Promise<void> =>
        actOnCluster(ctx.backend, ctx.user, input.id, input.draining ? "drain" : "resume"),
    ),

  remove: adminProcedure
    .input(z.object({ id: clusterId }))
    .mutation(({ ctx, input }): Promise<void> => actOnCluster(ctx.backend, ctx.user, input.id, "remove")),

  restore: adminProcedure
    .input(z.object({ id: clusterId }))
    .mutation(({ ctx, input }): Promise<void> => actOnCluster(ctx.backend, ctx.user, input.id, "restore")),

  removed: adminProcedure.query(({ ctx }): Promise<RemovedCluster[]> => removedClusters(ctx.backend)),
});

async function existing({ db }: Parameters<typeof listClusters>[0], id: string): Promise<void> {
  if (!(await db.cluster.findFirst({ where: { id, removedAt: null }, select: { id: true } })))
    throw notFound("cluster");
}
