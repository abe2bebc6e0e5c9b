/**
 * Who is asking? The session cookie holds a signed token with an account's id and nothing that could go
 * stale: the account itself is looked up at each request, so a disabled or demoted one is stopped at once.
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
  const id = await accountOfToken(token, settings.authSecret);
  if (!id) return null;
  return await db.user.findFirst({
    where: { id, disabled: false },
    select: { id: true, email: true, name: true, role: true },
  });
}

async function accountOfToken(token: string, secret: string): Promise<string | null> {
  try {
    const id = (await decode({ token, secret }))?.sub;
    return id && /^[0-9a-f-]{36}$/.test(id) ? id : null;
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
