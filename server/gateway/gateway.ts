/**
 * The gateway: the HTTP side of core/protocol/agent.ts. Everything it keeps is a cache of what agents, engine, journal and
 * file store know; ending it at any moment loses nothing.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { Logger } from "pino";
import { exchange, type Hello, hello, type Welcome } from "@/core/protocol/agent";
import type { EngineAddress } from "@/server/engine/engine-address";
import { AttemptOutput } from "@/server/files/attempt-output";
import { PartialUploads } from "@/server/files/partial-uploads";
import { FileStore } from "@/server/files/store";
import type { Home } from "@/server/home";
import type { Pool } from "@/server/journal/pool";
import type { TokenHolder } from "@/server/journal/queries/agent-by-token";
import { joinAgent } from "@/server/journal/queries/join-agent";
import { noteAgentState } from "@/server/journal/queries/note-agent-state";
import { noteAgentsSeen } from "@/server/journal/queries/note-agents-seen";
import { runsOver } from "@/server/journal/queries/runs-over";
import type { AgentSession } from "./agent-session";
import { Authenticator } from "./authenticate";
import { Exchanges } from "./exchange";
import { receiveFile, receivePiece, sendFile, sendProgram, tellArrived } from "./file-routes";
import { HttpProblem } from "./http-problem";
import { readJson } from "./json-body";
import { serveMinimal } from "./minimal-routes";
import { Sessions } from "./sessions";

export interface GatewayOptions {
  pool: Pool;
  home: Home;
  engine: EngineAddress;
  log: Logger;
}

/** The longest an exchange is held. The engine gives an agent up after three times this silence. */
const holdMs = 10_000;
const readOutMs = 5_000;
const noteSeenMs = 10_000;
const abandonedUploadMs = 24 * 3600 * 1000;

export class Gateway {
  private readonly sessions: Sessions;
  private readonly exchanges: Exchanges;
  private readonly authenticator: Authenticator;
  private readonly store: FileStore;
  private readonly uploads: PartialUploads;
  private readonly output: AttemptOutput;
  private readonly server: Server;
  private seenTimer?: NodeJS.Timeout;

  constructor(private readonly options: GatewayOptions) {
    const { pool, home, engine, log } = options;
    this.store = new FileStore(home.files);
    this.uploads = new PartialUploads(this.store);
    this.authenticator = new Authenticator(pool);
    this.sessions = new Sessions(engine, `gateway ${process.pid}`, log, (agent) => {
      noteAgentState(pool, agent, "refused").catch((error: unknown) => log.warn({ error }, "could not note a refusal"));
    });
    this.output = new AttemptOutput(home.output);
    this.exchanges = new Exchanges({ pool, output: this.output, sessions: this.sessions, log });
    // Uploads may take hours; a connection on which nothing moves for two minutes is dead.
    this.server = createServer({ requestTimeout: 0, keepAliveTimeout: 75_000 }, (request, response) => {
      void this.serve(request, response);
    });
    this.server.setTimeout(120_000);
  }

  async listen(port: number): Promise<void> {
    await this.store.removeAbandoned(abandonedUploadMs);
    this.sessions.start();
    this.seenTimer = setInterval(() => this.noteSeen(), noteSeenMs);
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(port, "127.0.0.1", resolve);
    });
  }

  async stop(): Promise<void> {
    clearInterval(this.seenTimer);
    this.sessions.stop();
    this.server.close();
    this.server.closeAllConnections();
    await this.options.pool.end();
  }

  private noteSeen(): void {
    const agents = this.sessions.heardSince(Date.now() - noteSeenMs);
    if (agents.length === 0) return;
    noteAgentsSeen(this.options.pool, agents).catch((error: unknown) => {
      this.options.log.debug({ error }, "could not note which agents were seen");
    });
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.route(request, response);
    } catch (error) {
      this.answerProblem(error, request, response);
    }
  }

  private async route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { token, holder } = await this.authenticator.authenticate(request);
    const url = new URL(request.url ?? "/", "http://gateway");
    const path = url.pathname;
    if (path === "/agent/v1/exchange" && request.method === "POST") {
      return await this.exchange(holder, request, response);
    }
    if (path === "/agent/v1/hello" && request.method === "POST") {
      return await this.hello(token, holder, request, response);
    }
    const sha256 = /^\/agent\/v1\/files\/([0-9a-f]{64})$/.exec(path)?.[1];
    const { store, uploads, sessions } = this;
    const ports = { pool: this.options.pool, store, uploads, sessions };
    if (sha256 && (request.method === "GET" || request.method === "HEAD")) {
      return await sendFile(ports, holder, sha256, request, response);
    }
    if (sha256 && request.method === "PUT") return await receiveFile(ports, holder, sha256, request, response);
    const upload = /^\/agent\/v1\/uploads\/([0-9a-f]{64})$/.exec(path)?.[1];
    if (upload && request.method === "HEAD") return await tellArrived(ports, holder, upload, response);
    if (upload && request.method === "PUT") return await receivePiece(ports, holder, upload, request, response);
    const program = /^\/agent\/v1\/programs\/([0-9a-f]{64}(?:\.gz)?)$/.exec(path)?.[1];
    if (program && request.method === "GET") {
      return await sendProgram(join(this.options.home.programs, program), request, response);
    }
    if (path.startsWith("/agent/v1/minimal/")) return await this.minimal(token, holder, url, request, response);
    throw new HttpProblem(404, "There is nothing at this address for agents.");
  }

  /** The agent it speaks for is the token's own. */
  private async minimal(
    token: string,
    holder: TokenHolder,
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const agent = holder.agents[0]?.id ?? "";
    const abandoned = new AbortController();
    response.on("close", () => abandoned.abort());
    const session = () => this.sessionOf(holder, agent);
    const { status, text } = await serveMinimal(
      {
        session,
        join: (host) => this.join(token, holder, { agent, host, slots: 1 }),
        exchange: async (message) => {
          const reply = await this.exchanges.handle(session(), message, abandoned.signal);
          if (message.goodbye) await noteAgentState(this.options.pool, agent, "left");
          return reply;
        },
        streamLimit: (attempt) => this.exchanges.streamLimit(session(), attempt),
        output: this.output,
      },
      url,
      request,
    );
    if (!response.destroyed) response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" }).end(text);
  }

  private async hello(
    token: string,
    holder: TokenHolder,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { agent, host, slots, capabilities } = await readJson(request, hello);
    // Expressions may ask for them: `member("checkpoint", Capabilities)`.
    const facts = { ...host.facts, Capabilities: capabilities };
    await this.join(token, holder, { agent, host: { ...host, facts }, slots });
    answerJson(response, 200, { waitMs: holdMs } satisfies Welcome);
  }

  private async join(
    token: string,
    holder: TokenHolder,
    { agent, host, slots }: Pick<Hello, "agent" | "host" | "slots">,
  ): Promise<void> {
    const facts = { id: agent, cluster: holder.cluster, host, slots, ...holder.binding };
    const joined = await joinAgent(this.options.pool, { ...facts, token });
    if (joined === "foreign") throw new HttpProblem(403, "This identity belongs to another agent.");
    this.authenticator.forget(token);
    this.sessions.open(facts, joined === "refused");
  }

  private async exchange(holder: TokenHolder, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const message = await readJson(request, exchange);
    const session = this.sessionOf(holder, message.agent);
    const abandoned = new AbortController();
    response.on("close", () => abandoned.abort());
    const waitMs = Math.min(message.waitMs, holdMs);
    const over = message.keeping?.length ? await this.runsOver(message.keeping) : [];
    // Runs that are over are told at once.
    const held = over.length > 0 ? 0 : waitMs;
    const reply = await this.exchanges.handle(session, { ...message, waitMs: held }, abandoned.signal);
    if (message.goodbye) await noteAgentState(this.options.pool, message.agent, "left");
    answerJson(response, 200, over.length > 0 ? { ...reply, over } : reply);
  }

  /** While the database is away none is: the agent asks again. */
  private async runsOver(runs: readonly string[]): Promise<string[]> {
    try {
      return await runsOver(this.options.pool, runs);
    } catch (error) {
      this.options.log.debug({ error }, "could not look up which runs are over");
      return [];
    }
  }

  /** After a restart of this gateway the agent is known from its last hello. */
  private sessionOf(holder: TokenHolder, agent: string): AgentSession {
    const row = holder.agents.find(({ id }) => id === agent);
    if (!row?.host || row.slots === null) throw new HttpProblem(409, "This agent is not known here; say hello first.");
    const session = this.sessions.get(agent);
    if (session) return session;
    const { cluster, host, slots } = row;
    return this.sessions.open({ id: agent, cluster, host, slots, ...holder.binding }, row.state === "refused");
  }

  private answerProblem(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    const isKnown = error instanceof HttpProblem;
    // A sender or reader that left needs no answer.
    if (response.destroyed) return;
    if (!isKnown) this.options.log.error({ err: error, url: request.url }, "a request failed");
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const text = isKnown ? error.message : "The gateway failed; try again.";
    answerJson(response, isKnown ? error.status : 500, { error: text });
    if (!request.complete) readOut(request);
  }
}

/** Takes what is still being sent, so that the sender gets to the answer; not for ever. */
function readOut(request: IncomingMessage): void {
  const timer = setTimeout(() => request.destroy(), readOutMs);
  request.once("close", () => clearTimeout(timer));
  request.resume();
}

function answerJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
  response.end(text);
}
