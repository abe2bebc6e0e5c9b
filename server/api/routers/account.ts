/** Who am I, and becoming someone. Signing in and out is next-auth's (app/api/auth). */
import { TRPCError } from "@trpc/server";
import { z } from "zod";
import { createAccount } from "@/server/auth/accounts";
import { emailAddress, passwordProblem } from "@/server/auth/rules";
import { attemptSlowly } from "@/server/auth/throttle";
import { notStorable, storable } from "../inputs";
import { publicProcedure, router } from "../trpc";
import type { Me, Role } from "../views";

export const accountRouter = router({
  me: publicProcedure.query(({ ctx }): Me | null => ctx.user),

  /** True on a fresh installation: whoever signs up now becomes its admin. */
  needsFirstAccount: publicProcedure.query(
    async ({ ctx }): Promise<boolean> => (await ctx.backend.db.user.findFirst({ select: { id: true } })) === null,
  ),

  /** Besides the password: the name on the single sign-on button, if it is configured. */
  signInOptions: publicProcedure.query(({ ctx }): { oidcName: string | null } => ({
    oidcName: ctx.backend.settings.oidc?.name ?? null,
  })),

  signUp: publicProcedure
    .input(
      z.object({
        email: emailAddress,
        name: z
          .string()
          .trim()
          .min(1, "Please tell your name.")
          .max(200, "The name is too long.")
          .refine(storable, notStorable),
        password: z.string().max(1024, "The password is too long: at most 1,024 characters."),
      }),
    )
    .mutation(async ({ ctx, input }): Promise<{ id: string; role: Role }> => {
      const problem = passwordProblem(input.password, input.email);
      if (problem) throw new TRPCError({ code: "BAD_REQUEST", message: problem });
      // Sign-up tells whether an e-mail is taken, so asking for many of them is slowed down like failed sign-ins.
      const attempt = await attemptSlowly(ctx.backend.db, { address: ctx.address });
      if (attempt.is === "wait") throw new TRPCError({ code: "TOO_MANY_REQUESTS", message: attempt.sentence });
      const account = await createAccount(ctx.backend.db, input);
      if (!account) {
        throw new TRPCError({
          code: "CONFLICT",
          message: "There is already an account with this e-mail. Sign in instead.",
        });
      }
      await attempt.succeeded();
      return account;
    }),
});
