/**
 * What is decided about a request before Next sees it: where it really comes from, and whether its body is of a size
 * its address can have. Uploads have a limit of their own, counted while they stream.
 */
import type { IncomingMessage, Server } from "node:http";
import { addressHeader } from "@/server/api/address";

const mostBytes = 40 * 1024 * 1024;
const uploadPath = "/api/upload";

/** Whatever a client claims about itself is replaced by what the connection says, or by what a trusted proxy says. */
export function prepareRequest(request: IncomingMessage, { trustProxy }: { trustProxy: boolean }): void {
  const { headers, socket } = request;
  const direct = socket.remoteAddress ?? "unknown";
  headers[addressHeader] = trustProxy ? (lastOf(headers["x-forwarded-for"]) ?? direct) : direct;
  if (!trustProxy) {
    delete headers["x-forwarded-for"];
    delete headers.forwarded;
    headers["x-forwarded-host"] = headers.host;
    headers["x-forwarded-proto"] = "http";
  }
  headers["x-forwarded-host"] ??= headers.host;
  headers["x-forwarded-proto"] ??= "http";
}

/**
 * Uploads of gigabytes over slow lines are fine; connections on which nothing moves are not, or anyone could hold
 * thousands open with half a request each. Event streams and held exchanges say something more often than this.
 */
export function boundConnections(server: Server, idleMs = 120_000): void {
  server.requestTimeout = 0;
  server.keepAliveTimeout = 10_000;
  server.setTimeout(idleMs);
}

export interface RequestProblem {
  status: number;
  sentence: string;
}

export function requestProblem(request: IncomingMessage): RequestProblem | undefined {
  const path = request.url?.split("?")[0];
  if (path === uploadPath) return undefined;
  const length = request.headers["content-length"];
  if (length !== undefined && Number(length) > mostBytes) {
    return { status: 413, sentence: "The request is too large." };
  }
  // Without a length there is nothing to check before it is all in memory; no client of ours sends such bodies here.
  if (request.headers["transfer-encoding"] !== undefined) {
    return { status: 411, sentence: "The request does not say how long it is." };
  }
  return undefined;
}

/** The proxy next to us appends; everything before that is hearsay. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header.at(-1) : header;
  return text?.split(",").at(-1)?.trim() || undefined;
}
