/**
 * Who is asking? The session cookie holds a signed token with an account's id and the session's, and nothing that could
 * go stale: both are looked up at each request, so a disabled or demoted account is stopped at once, and a copy of
 * the cookie is worth nothing after signing out.
 */
import { decode } from "next-auth/jwt";
import { backend } from "@/server/api/backend";
import type { BackendSettings } from "@/server/api/settings";
import type { PortalDb } from "@/server/portal-db/client";

export interface SessionUser {
  id: string;
  email: string;
  name: string;
  role: "scientist" | "admin";
}

/** The read side of `Headers`, of Next's `headers()` and of tests. */
export interface RequestHeaders {
  get(name: string): string | null;
}

export const sessionCookie = "gridloom-session";
export const sessionSeconds = 30 * 24 * 3600;

export async function currentUser(
  headers: RequestHeaders,
  { db, settings }: { db: PortalDb; settings: Pick<BackendSettings, "authSecret"> } = backend(),
): Promise<SessionUser | null> {
  const token = readCookie(headers.get("cookie") ?? "", sessionCookie);
  if (!token) return null;
  const named = await readToken(token, settings.authSecret);
  if (!named) return null;
  const [ended, user] = await Promise.all([
    db.endedSession.findUnique({ where: { id: named.session }, select: { id: true } }),
    db.user.findFirst({
      where: { id: named.account, disabled: false },
      select: { id: true, email: true, name: true, role: true },
    }),
  ]);
  return ended ? null : user;
}

/** Signed out: the token, though not expired, counts no more. Those that have expired meanwhile are forgotten. */
export async function endSession(db: PortalDb, session: unknown): Promise<void> {
  if (!isId(session)) return;
  await db.endedSession.createMany({ data: [{ id: session }], skipDuplicates: true });
  await db.endedSession.deleteMany({ where: { endedAt: { lt: new Date(Date.now() - sessionSeconds * 1000) } } });
}

function isId(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f-]{36}$/.test(value);
}

async function readToken(token: string, secret: string): Promise<{ account: string; session: string } | null> {
  try {
    const decoded = await decode({ token, secret });
    return isId(decoded?.sub) && isId(decoded.session) ? { account: decoded.sub, session: decoded.session } : null;
  } catch {
    // Expired, or signed with another installation's secret (cookies do not know ports): not signed in.
    return null;
  }
}

function readCookie(header: string, name: string): string | undefined {
  for (const part of header.split(";")) {
    const [key, ...value] = part.trim().split("=");
    if (key === name) return value.join("=");
  }
  return undefined;
}
