/**
 * A gateway and engine in miniature for the agent's tests: real HTTP, everything in memory. It keeps assigning what the
 * agent does not hold until it has ended, acknowledges each end, and remembers what it was told and how often.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Assignment,
  type Ended,
  type Exchange,
  type ExchangeReply,
  exchange as exchangeSchema,
  type HostFacts,
  hello as helloSchema,
} from "@/core/protocol/agent";

export const stubToken = "stub-token-of-the-agent";

interface Waiting {
  response: ServerResponse;
  timer: NodeJS.Timeout;
}

/** An exchange that was on the way while the acknowledgement was may still repeat the end. */
const crossingMs = 200;

export class StubGateway {
  readonly files = new Map<string, Buffer>();
  /** Reports of each end by attempt: the first is the one that counts. */
  readonly ended = new Map<string, Ended>();
  /** How often an end was reported after it had been acknowledged. */
  readonly surplusEnds: string[] = [];
  readonly started = new Map<string, number>();
  readonly output = new Map<string, Buffer>();
  readonly requests: string[] = [];
  hellos = 0;
  /** What the agent told of its host, at its last hello and since. */
  host: HostFacts | undefined;
  readings: Exchange["readings"];
  goodbyes = 0;
  held: Exchange["held"] = [];
  /** While false, ends are heard but not acknowledged. */
  acknowledging = true;
  refusing = false;
  /** Called for each PUT; a number refuses it with that status. */
  onUpload: (sha256: string) => number | undefined = () => undefined;
  /** Bytes of uploads that broke off, and how many bytes make the next one do so. */
  readonly arrived = new Map<string, Buffer>();
  breakUploadsAt = Number.POSITIVE_INFINITY;
  /** After so many bytes the next download breaks off. */
  breakDownloadsAt = Number.POSITIVE_INFINITY;
  readonly #open = new Map<string, Assignment>();
  readonly #cancel = new Set<string>();
  readonly #discard = new Set<string>();
  readonly #acknowledgedAt = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #waiting: Waiting | undefined;
  #server: Server | undefined;
  #port = 0;

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        response.statusCode = 500;
        response.end(String(error));
      });
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Stops answering; `listen` again takes the same port. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (this.#waiting) clearTimeout(this.#waiting.timer);
    this.#waiting = undefined;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  addFile(content: string | Buffer): { sha256: string; size: number } {
    const bytes = Buffer.from(content);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    this.files.set(sha256, bytes);
    return { sha256, size: bytes.length };
  }

  assign(...assignments: Assignment[]): void {
    for (const assignment of assignments) this.#open.set(assignment.attempt, assignment);
    this.#answer();
  }

  cancel(attempt: string): void {
    this.#cancel.add(attempt);
    this.#answer();
  }

  discard(attempt: string): void {
    this.#discard.add(attempt);
    this.#open.delete(attempt);
    this.#answer();
  }

  /** The text of a stream as delivered so far. */
  textOf(attempt: string, stream: "stdout" | "stderr" = "stdout"): string {
    return this.output.get(`${attempt} ${stream}`)?.toString() ?? "";
  }

  async until(what: string, holds: () => boolean, patienceMs = 15_000): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!holds()) return;
        clearTimeout(timer);
        clearInterval(poll);
        this.#listeners.delete(look);
        resolve();
      };
      const poll = setInterval(look, 20);
      const timer = setTimeout(() => {
        clearInterval(poll);
        this.#listeners.delete(look);
        reject(new Error(`Waited in vain until ${what}.`));
      }, patienceMs);
      this.#listeners.add(look);
    });
  }

  async endOf(attempt: string, patienceMs?: number): Promise<Ended> {
    await this.until(`${attempt} has ended`, () => this.ended.has(attempt), patienceMs);
    return this.ended.get(attempt)!;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.authorization !== `Bearer ${stubToken}`) {
      response.statusCode = 401;
      response.end();
      return;
    }
    const path = request.url ?? "";
    const file = /^\/agent\/v1\/files\/([0-9a-f]{64})$/.exec(path);
    const upload = /^\/agent\/v1\/uploads\/([0-9a-f]{64})$/.exec(path);
    if (upload) await this.#serveUpload(upload[1]!, request, response);
    else if (file) await this.#serveFile(file[1]!, request, response);
    else if (path === "/agent/v1/hello") {
      this.host = helloSchema.parse(JSON.parse((await bodyOf(request)).toString())).host;
      this.hellos++;
      response.end(JSON.stringify({ waitMs: 2000 }));
    } else if (path === "/agent/v1/exchange") {
      this.#exchange(exchangeSchema.parse(JSON.parse((await bodyOf(request)).toString())), response);
    }
  }

  async #serveFile(sha256: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push(`${request.method} ${sha256} ${request.headers.range ?? ""}`.trim());
    if (request.method === "PUT") {
      const body = await bodyOf(request);
      const refusal = this.onUpload(sha256);
      const right = createHash("sha256").update(body).digest("hex") === sha256;
      if (right && !refusal) this.files.set(sha256, body);
      response.statusCode = refusal ?? (right ? 201 : 400);
      response.end();
      return;
    }
    const content = this.files.get(sha256);
    response.statusCode = content ? 200 : 404;
    const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? "");
    if (content && range) response.statusCode = 206;
    if (content && request.method === "GET" && content.length > this.breakDownloadsAt) {
      response.writeHead(response.statusCode, { "content-length": content.length });
      response.write(content.subarray(0, this.breakDownloadsAt), () => response.destroy());
      this.breakDownloadsAt = Number.POSITIVE_INFINITY;
      return;
    }
    response.end(request.method === "HEAD" ? undefined : content?.subarray(Number(range?.[1] ?? 0)));
  }

  async #serveUpload(sha256: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push(`${request.method} ${sha256} ${request.headers["content-range"] ?? ""}`.trim());
    const arrived = this.arrived.get(sha256) ?? Buffer.alloc(0);
    if (request.method === "HEAD") {
      response.writeHead(this.files.has(sha256) ? 204 : 200, { "upload-offset": arrived.length }).end();
      return;
    }
    const refusal = this.onUpload(sha256);
    const pieces: Buffer[] = [arrived];
    let size = arrived.length;
    for await (const piece of request) {
      pieces.push(piece);
      size += piece.length;
      this.arrived.set(sha256, Buffer.concat(pieces));
      if (size >= this.breakUploadsAt) {
        this.breakUploadsAt = Number.POSITIVE_INFINITY;
        request.socket.destroy();
        return;
      }
    }
    const whole = Buffer.concat(pieces);
    const right = createHash("sha256").update(whole).digest("hex") === sha256;
    if (right && !refusal) this.files.set(sha256, whole);
    if (right || refusal) this.arrived.delete(sha256);
    response.statusCode = refusal ?? (right ? 204 : 422);
    response.end();
  }

  #exchange(exchange: Exchange, response: ServerResponse): void {
    for (const { attempt, stream, offset, base64 } of exchange.output) {
      const name = `${attempt} ${stream}`;
      const before = this.output.get(name) ?? Buffer.alloc(0);
      if (offset > before.length) throw new Error(`A gap in ${name}: ${before.length} to ${offset}.`);
      const piece = Buffer.from(base64, "base64");
      const end = Math.max(before.length, offset + piece.length);
      const after = Buffer.alloc(end);
      before.copy(after);
      piece.copy(after, offset);
      this.output.set(name, after);
    }
    for (const { attempt, at } of exchange.started) this.started.set(attempt, at);
    for (const ended of exchange.ended) {
      if (!this.ended.has(ended.attempt)) this.ended.set(ended.attempt, ended);
      else if (Date.now() - (this.#acknowledgedAt.get(ended.attempt) ?? Date.now()) > crossingMs) {
        this.surplusEnds.push(ended.attempt);
      }
      if (this.acknowledging) this.#open.delete(ended.attempt);
    }
    this.held = exchange.held;
    this.readings = exchange.readings ?? this.readings;
    if (exchange.goodbye) this.goodbyes++;
    // An abandoned exchange is answered with nothing, so that its connection can be used again.
    if (this.#waiting) this.#send(emptyReply);
    this.#waiting = { response, timer: setTimeout(() => this.#send(emptyReply), exchange.waitMs) };
    this.#answer();
    for (const look of [...this.#listeners]) look();
  }

  /** Answers a held exchange if there is something to say. */
  #answer(): void {
    if (!this.#waiting) return;
    const held = new Set<string>(this.held.map(({ attempt }) => attempt));
    const reply: ExchangeReply = {
      assign: [...this.#open.values()].filter(({ attempt }) => !held.has(attempt) && !this.ended.has(attempt)),
      acknowledge: this.acknowledging ? [...held].filter((attempt) => this.ended.has(attempt)) : [],
      cancel: [...this.#cancel].filter((attempt) => held.has(attempt)),
      discard: [...this.#discard].filter((attempt) => held.has(attempt)),
      refused: this.refusing,
    };
    const says = [reply.assign, reply.acknowledge, reply.cancel, reply.discard].some((list) => list.length > 0);
    if (!says && !reply.refused) return;
    for (const attempt of reply.cancel) this.#cancel.delete(attempt);
    this.#send(reply);
  }

  #send(reply: ExchangeReply): void {
    if (!this.#waiting) return;
    for (const attempt of reply.acknowledge) {
      if (!this.#acknowledgedAt.has(attempt)) this.#acknowledgedAt.set(attempt, Date.now());
    }
    clearTimeout(this.#waiting.timer);
    this.#waiting.response.end(JSON.stringify(reply));
    this.#waiting = undefined;
  }
}

const emptyReply: ExchangeReply = { assign: [], acknowledge: [], cancel: [], discard: [], refused: false };

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}
