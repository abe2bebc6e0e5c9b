/**
 * The foundation of the API: who may call what, and how errors are told.
 *
 *   publicProcedure     anyone
 *   protectedProcedure  a signed-in account, looked up in the database for this very request
 *   adminProcedure      an admin
 *
 * Mutations are refused when a browser says that another site sent them (CSRF), on top of the session
 * cookie's SameSite=Lax.
 */
import { initTRPC, TRPCError } from "@trpc/server";
import superjson from "superjson";
import { ZodError } from "zod";
import type { Context } from "./context";
import { currentStatus } from "./portal-status";

const t = initTRPC.context<Context>().create({
  transformer: superjson,
  errorFormatter({ shape, error }) {
    return { ...shape, message: sentenceOf(error), data: { ...shape.data, stack: undefined } };
  },
  sse: {
    // Proxies close silent connections; the client takes a longer silence for a dead one and reconnects.
    ping: { enabled: true, intervalMs: 10_000 },
    client: { reconnectAfterInactivityMs: 30_000 },
  },
});

export const router = t.router;
export const createCallerFactory = t.createCallerFactory;

const sameSite = t.middleware(({ ctx, type, next }) => {
  if (type === "mutation" && !ctx.sameOrigin) {
    throw new TRPCError({ code: "FORBIDDEN", message: "This request came from another web site and was refused." });
  }
  return next();
});

export const publicProcedure = t.procedure.use(sameSite);

export const protectedProcedure = publicProcedure.use(({ ctx, next }) => {
  if (!ctx.user) throw new TRPCError({ code: "UNAUTHORIZED", message: "Please sign in first." });
  return next({ ctx: { ...ctx, user: ctx.user } });
});

export const adminProcedure = protectedProcedure.use(({ ctx, next }) => {
  if (ctx.user.role !== "admin") throw new TRPCError({ code: "FORBIDDEN", message: "Only an admin may do this." });
  return next();
});

/** Unexpected errors may carry paths, SQL or other people's data: they go to the log, not to the browser. */
function sentenceOf(error: TRPCError): string {
  if (error.cause instanceof ZodError) return sentenceOfInput(error.cause);
  const { trouble } = currentStatus();
  if (error.code === "INTERNAL_SERVER_ERROR" && trouble) return trouble.sentence;
  if (error.code === "INTERNAL_SERVER_ERROR") return "Something went wrong on the server. The portal's log tells more.";
  return error.message;
}

function sentenceOfInput(error: ZodError): string {
  const issue = error.issues[0];
  if (!issue) return "The request could not be understood.";
  const field = issue.path.join(".");
  // Our own rules are sentences already; zod's words need the field's name beside them.
  return /[.!?]$/.test(issue.message) || !field ? issue.message : `${field}: ${issue.message}.`;
}

export function notFound(what: string): TRPCError {
  return new TRPCError({ code: "NOT_FOUND", message: `There is no such ${what}.` });
}
