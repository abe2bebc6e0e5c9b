/** The people of the portal and what was done, for admins. */
import { TRPCError } from "@trpc/server";
import { z } from "zod";
import { recordAudit } from "@/server/portal-db/audit";
import { listAudit } from "../audit-views";
import type { AuditEntry, PersonView } from "../clusters/views";
import { id, notStorable, storable } from "../inputs";
import { adminProcedure, notFound, router } from "../trpc";

const mostPeople = 1000;

export const peopleRouter = router({
  list: adminProcedure
    .input(z.object({ search: z.string().trim().max(200).refine(storable, notStorable).optional() }))
    .query(({ ctx, input }): Promise<PersonView[]> => {
      const contains = { contains: input.search ?? "", mode: "insensitive" } as const;
      return ctx.backend.db.user.findMany({
        ...(input.search && { where: { OR: [{ name: contains }, { email: contains }] } }),
        orderBy: [{ name: "asc" }, { id: "asc" }],
        take: mostPeople,
        select: { id: true, name: true, email: true, role: true, disabled: true, createdAt: true },
      });
    }),

  /** Not one's own: so there is always an admin left. */
  setRole: adminProcedure
    .input(z.object({ id, role: z.enum(["scientist", "admin"]) }))
    .mutation(async ({ ctx, input }): Promise<void> => {
      refuseSelf(ctx.user.id, input.id);
      await ctx.backend.db.$transaction(async (tx) => {
        const changed = await tx.user.updateMany({ where: { id: input.id }, data: { role: input.role } });
        if (changed.count === 0) throw notFound("account");
        const details = { role: input.role };
        await recordAudit(tx, { actor: ctx.user.id, action: "account.role", subject: input.id, details });
      });
    }),

  /** A disabled account is signed out everywhere at its next request. */
  setDisabled: adminProcedure
    .input(z.object({ id, disabled: z.boolean() }))
    .mutation(async ({ ctx, input }): Promise<void> => {
      refuseSelf(ctx.user.id, input.id);
      await ctx.backend.db.$transaction(async (tx) => {
        const changed = await tx.user.updateMany({ where: { id: input.id }, data: { disabled: input.disabled } });
        if (changed.count === 0) throw notFound("account");
        const action = input.disabled ? "account.disabled" : "account.enabled";
        await recordAudit(tx, { actor: ctx.user.id, action, subject: input.id });
      });
    }),

  /** Newest first, from before the entry `before`. */
  audit: adminProcedure
    .input(
      z.object({
        before: z
          .string()
          .regex(/^\d{1,18}$/)
          .nullish(),
        /** Only actions that begin so: `cluster`, `run`, `account`, `key`. */
        about: z.enum(["cluster", "run", "account", "key"]).optional(),
        limit: z.number().int().min(1).max(200).default(100),
      }),
    )
    .query(
      ({ ctx, input }): Promise<AuditEntry[]> =>
        listAudit(ctx.backend, {
          before: input.before ? BigInt(input.before) : undefined,
          about: input.about,
          limit: input.limit,
        }),
    ),
});

function refuseSelf(own: string, other: string): void {
  if (own !== other) return;
  throw new TRPCError({ code: "BAD_REQUEST", message: "Your own account is changed by another admin." });
}
