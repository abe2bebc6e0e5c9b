/**
 * Headers that keep the portal's pages to themselves. Next puts small scripts into its pages; without a nonce, which would
 * make every page dynamic, inline scripts must be allowed. Everything else comes from the portal's own address only.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

export function setSecurityHeaders(
  request: IncomingMessage,
  response: ServerResponse,
  { development }: { development: boolean },
): void {
  const isPage = !request.url?.startsWith("/api/");
  response.setHeader("content-security-policy", isPage ? pagePolicy(development) : apiPolicy);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("x-frame-options", "DENY");
  response.setHeader("referrer-policy", "same-origin");
  response.setHeader("permissions-policy", "camera=(), geolocation=(), microphone=()");
  response.setHeader("cross-origin-opener-policy", "same-origin");
}

/** What the API sends is data; should a browser take some of it for a page, that page can do nothing. */
const apiPolicy = "sandbox; default-src 'none'; frame-ancestors 'none'";

function pagePolicy(development: boolean): string {
  const directives: Record<string, string> = {
    "default-src": "'self'",
    // Reloading while one edits evaluates code; the built portal never does.
    "script-src": `'self' 'unsafe-inline'${development ? " 'unsafe-eval'" : ""}`,
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "connect-src": `'self'${development ? " ws:" : ""}`,
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "frame-ancestors": "'none'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join("; ");
}
