/** What every procedure knows of the request: who asks, from where, and whether a page of ours sent it. */
import { currentUser, type RequestHeaders, type SessionUser } from "@/server/auth/session";
import { addressHeader } from "./address";
import type { Backend } from "./backend";

export interface Context {
  backend: Backend;
  user: SessionUser | null;
  /** The caller's network address, for slowing down failures. */
  address: string;
  sameOrigin: boolean;
  /** Asks the database again: long-lived subscriptions end when the account is disabled or signed out. */
  stillSignedIn(): Promise<boolean>;
}

export async function createContext(backend: Backend, headers: RequestHeaders): Promise<Context> {
  const user = await currentUser(headers, backend);
  return {
    backend,
    user,
    address: addressOf(headers),
    sameOrigin: isSameOrigin(headers, backend.settings.publicUrl),
    stillSignedIn: async () => (await currentUser(headers, backend))?.id === user?.id,
  };
}

export function addressOf(headers: RequestHeaders): string {
  return headers.get(addressHeader) ?? "unknown";
}

/**
 * Did a page of ours send this? Browsers say so in Origin and Sec-Fetch-Site, which pages cannot forge.
 * Programs send neither, and carry no ambient cookies that another site could abuse.
 */
export function isSameOrigin(headers: RequestHeaders, publicUrl?: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  const origin = headers.get("origin");
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  const host = headers.get("x-forwarded-host") ?? headers.get("host");
  return new URL(origin).host === host || (publicUrl !== undefined && new URL(publicUrl).origin === origin);
}

/** Does the browser talk HTTPS, directly or to a proxy in front of us? */
export function isSecure(headers: RequestHeaders, publicUrl?: string): boolean {
  if (publicUrl !== undefined) return publicUrl.startsWith("https:");
  return headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https";
}
