/** One's own keys to clusters: brought, tested, replaced, removed. Their private half never leaves the server. */
import { z } from "zod";
import { credentialDraft } from "@/core/clusters/registration";
import { recordAudit } from "@/server/portal-db/audit";
import { bringKey, madeKeys, makeKey, storeKey } from "../clusters/keys";
import { registrationForOwnKey, testOwnKey } from "../clusters/test-cluster";
import type { MadeKeyView } from "../clusters/views";
import { notFound, protectedProcedure, router } from "../trpc";

const cluster = z.string().min(1).max(100);

export const keysRouter = router({
  /** A new key pair; the public half is to be put into the account's `authorized_keys`. */
  make: protectedProcedure.mutation(({ ctx }): Promise<MadeKeyView> => makeKey(ctx.backend, ctx.user)),

  made: protectedProcedure.query(({ ctx }): Promise<MadeKeyView[]> => madeKeys(ctx.backend, ctx.user)),

  save: protectedProcedure
    .input(z.object({ cluster, credential: credentialDraft }))
    .mutation(async ({ ctx, input }): Promise<void> => {
      const { backend, user } = ctx;
      await registrationForOwnKey(backend, user, input.cluster);
      const key = await bringKey(backend, user, input.credential);
      const vault = await backend.vault();
      await backend.db.$transaction(async (tx) => {
        await storeKey(tx, vault, { cluster: input.cluster, user: user.id }, key, undefined);
        const { login, fingerprint } = key;
        const details = { login, fingerprint };
        await recordAudit(tx, { actor: user.id, action: "key.saved", subject: input.cluster, details });
        await tx.$executeRaw`SELECT pg_notify('gridloom_cluster', ${input.cluster})`;
      });
    }),

  test: protectedProcedure
    .input(z.object({ cluster }))
    .mutation(({ ctx, input }): Promise<{ id: string }> => testOwnKey(ctx.backend, ctx.user, input.cluster)),

  remove: protectedProcedure.input(z.object({ cluster })).mutation(async ({ ctx, input }): Promise<void> => {
    const { backend, user } = ctx;
    await backend.db.$transaction(async (tx) => {
      const removed = await tx.credential.deleteMany({ where: { clusterId: input.cluster, userId: user.id } });
      if (removed.count === 0) throw notFound("key");
      await recordAudit(tx, { actor: user.id, action: "key.removed", subject: input.cluster });
      await tx.$executeRaw`SELECT pg_notify('gridloom_cluster', ${input.cluster})`;
    });
  }),
});
