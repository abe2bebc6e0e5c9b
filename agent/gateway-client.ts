/**
 * The agent's side of the wire (core/protocol/agent.ts): plain HTTP(S) requests over connections that are kept. It says what
 * happened and leaves it to the callers when to try again.
 */
import { createReadStream } from "node:fs";
import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import {
  type Exchange,
  type ExchangeReply,
  exchangeReply,
  type Hello,
  type Welcome,
  welcome,
} from "@/core/protocol/agent";

/** The gateway answered, but not as hoped. */
export class GatewayRefusal extends Error {
  override readonly name = "GatewayRefusal";
  readonly status: number;

  constructor(status: number, detail: string) {
    super(`the gateway answered ${status}${detail ? `: ${detail}` : ""}`);
    this.status = status;
  }
}

/** So long without a byte, beyond what an exchange may be held, and the connection is taken for dead. */
const silenceMs = 20_000;

interface Call {
  method: "GET" | "HEAD" | "POST" | "PUT";
  path: string;
  headers?: Record<string, string | number>;
  body?: string | { file: string; from?: number };
  patienceMs?: number;
  signal?: AbortSignal;
}

export class GatewayClient {
  readonly #base: URL;
  readonly #token: string;
  readonly #transport: typeof http | typeof https;
  readonly #connections: http.Agent;

  /** `authorities`: certificates in PEM, trusted for the gateway's own. */
  constructor(gatewayUrl: string, token: string, authorities?: string[]) {
    this.#base = new URL(gatewayUrl.endsWith("/") ? gatewayUrl : `${gatewayUrl}/`);
    this.#token = token;
    this.#transport = this.#base.protocol === "https:" ? https : http;
    const keep = { keepAlive: true, maxSockets: 16, maxFreeSockets: 8 };
    this.#connections =
      this.#transport === https ? new https.Agent({ ...keep, ca: authorities }) : new http.Agent(keep);
  }

  async hello(hello: Hello, signal: AbortSignal): Promise<Welcome> {
    return welcome.parse(await this.#json("agent/v1/hello", hello, { signal }));
  }

  async exchange(exchange: Exchange, signal: AbortSignal): Promise<ExchangeReply> {
    const patienceMs = exchange.waitMs + silenceMs;
    return exchangeReply.parse(await this.#json("agent/v1/exchange", exchange, { signal, patienceMs }));
  }

  /** How much of a file the gateway has: all, or the bytes of an upload that broke off. */
  async arrived(sha256: string): Promise<"all" | number> {
    const response = await this.#call({ method: "HEAD", path: `agent/v1/uploads/${sha256}` });
    response.resume();
    return response.statusCode === 204 ? "all" : Number(response.headers["upload-offset"] ?? 0) || 0;
  }

  /**
   * The file's bytes from `offset` on, or from the beginning if the gateway does not serve parts: look at `from`. `packed`: they may
   * travel packed; offsets are those of the file itself.
   */
  async download(sha256: string, offset: number, packed: boolean): Promise<{ from: number; bytes: Readable }> {
    const headers: Record<string, string> = {
      ...(offset > 0 && { range: `bytes=${offset}-` }),
      ...(packed && { "accept-encoding": "gzip" }),
    };
    const bytes = await this.#call({ method: "GET", path: `agent/v1/files/${sha256}`, headers });
    const from = bytes.statusCode === 206 ? offset : 0;
    if (bytes.headers["content-encoding"] !== "gzip") return { from, bytes };
    const unpack = createGunzip();
    bytes.on("error", (error) => unpack.destroy(error));
    // A connection that breaks shows as the end of the stream before its time.
    bytes.on("close", () => bytes.complete || unpack.destroy(new Error("the connection broke off")));
    return { from, bytes: bytes.pipe(unpack) };
  }

  /** Sends the file's bytes from `from` on, behind those that arrived before. */
  async uploadRest(sha256: string, file: string, from: number, size: number): Promise<void> {
    const headers = {
      "content-length": size - from,
      "content-type": "application/octet-stream",
      "content-range": `bytes ${from}-${size - 1}/${size}`,
    };
    const path = `agent/v1/uploads/${sha256}`;
    const response = await this.#call({ method: "PUT", path, headers, body: { file, from } });
    response.resume();
  }

  async upload(sha256: string, file: string, size: number): Promise<void> {
    const headers = { "content-length": size, "content-type": "application/octet-stream" };
    const response = await this.#call({ method: "PUT", path: `agent/v1/files/${sha256}`, headers, body: { file } });
    response.resume();
  }

  close(): void {
    this.#connections.destroy();
  }

  async #json(path: string, value: unknown, options: Pick<Call, "signal" | "patienceMs">): Promise<unknown> {
    const body = JSON.stringify(value);
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const response = await this.#call({ method: "POST", path, headers, body, ...options });
    return JSON.parse(await textOf(response));
  }

  /** Resolves with the response's head; anything but success is thrown. */
  async #call(call: Call): Promise<http.IncomingMessage> {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const request = this.#transport.request({
        protocol: this.#base.protocol,
        hostname: this.#base.hostname,
        port: this.#base.port,
        path: this.#base.pathname + call.path,
        method: call.method,
        headers: { ...call.headers, authorization: `Bearer ${this.#token}` },
        agent: this.#connections,
        signal: call.signal,
      });
      request.setTimeout(call.patienceMs ?? silenceMs, () => request.destroy(new Error("the gateway fell silent")));
      request.on("response", resolve).on("error", reject);
      if (call.body === undefined) request.end();
      else if (typeof call.body === "string") request.end(call.body);
      else pipeline(createReadStream(call.body.file, { start: call.body.from ?? 0 }), request).catch(reject);
    });
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    const detail = call.method === "HEAD" ? "" : (await textOf(response)).slice(0, 300);
    if (call.method === "HEAD") response.resume();
    throw new GatewayRefusal(status, detail);
  }
}

async function textOf(response: http.IncomingMessage): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  for await (const piece of response) text += piece;
  return text;
}
