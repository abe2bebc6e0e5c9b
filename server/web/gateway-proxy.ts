/**
 * Agents use the portal's one public port; their requests are passed on to the gateway on loopback. Bodies stream in
 * both directions: an agent may upload gigabytes, and its exchanges are held open for a long time.
 */
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";

/** Connection-level headers belong to one hop and must not be passed on (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function isForGateway(request: IncomingMessage): boolean {
  return request.url?.startsWith("/agent/") ?? false;
}

export function forwardToGateway(request: IncomingMessage, response: ServerResponse, port: number): void {
  const forward = httpRequest({
    host: "127.0.0.1",
    port,
    method: request.method,
    path: request.url,
    headers: endToEnd(request.headers),
  });
  forward.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
    pipeline(answer, response, () => undefined);
  });
  forward.on("error", () => {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // The gateway restarts by itself; agents keep what they have and ask again.
    response.writeHead(503, { "content-type": "text/plain; charset=utf-8", "retry-after": "1", connection: "close" });
    response.end("The gateway is not up. Try again in a moment.\n");
  });
  // The agent went away: the gateway must not hold its exchange any longer.
  response.on("close", () => forward.destroy());
  pipeline(request, forward, () => undefined);
}

function endToEnd(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
}
