/**
 * The engine's side of the message interface: accepts gateways, knows through which of them each agent was last heard, and
 * stops listening while the journal cannot keep up. Each second it says its epoch again, so a gateway tells a
 * paused or unreachable engine from a quiet one.
 */
import { rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { AgentId } from "@/core/engine/ids";
import type { EngineToGateway, GatewayToEngine } from "@/core/engine/messages";
import type { EngineAddress } from "./engine-address";
import { parseGatewayMessage } from "./gateway-messages";
import { LineWriter, onLines } from "./message-lines";

interface Connection {
  socket: Socket;
  writer: LineWriter<EngineToGateway>;
  agents: Set<AgentId>;
}

const heartbeatMs = 1000;

export class GatewayServer {
  private readonly connections = new Set<Connection>();
  private readonly routes = new Map<AgentId, Connection>();
  private heartbeat?: NodeJS.Timeout;
  private paused = false;

  constructor(
    private readonly epoch: number,
    private readonly log: Logger,
    private readonly onMessage: (message: Exclude<GatewayToEngine, { is: "hello" }>) => void,
  ) {}

  /** Waits for an address that is still in use: the engine before us may be about to leave it. */
  async listen(address: EngineAddress): Promise<void> {
    for (let told = false; ; told = true) {
      // A path outlives its process; we hold the lease, so whoever made it is gone or about to be.
      if ("path" in address) await rm(address.path, { force: true });
      const problem = await this.tryListen(address);
      if (!problem) break;
      if (!("code" in problem) || problem.code !== "EADDRINUSE") throw problem;
      if (!told) this.log.warn({ address }, "the engine's address is in use; waiting for it");
      await sleep(250);
    }
    this.heartbeat = setInterval(() => {
      for (const { writer } of this.connections) writer.send({ is: "welcome", epoch: this.epoch });
    }, heartbeatMs);
  }

  /** To the gateway that spoke for the agent last; dropped if there is none, because inventories bring it back. */
  send(agent: AgentId, message: EngineToGateway): void {
    this.routes.get(agent)?.writer.send(message);
  }

  pause(): void {
    if (this.paused) return;
    this.paused = true;
    for (const { socket } of this.connections) socket.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    for (const { socket } of this.connections) socket.resume();
  }

  /** Leaves the socket's path alone: by now it may be the next engine's. */
  stop(): void {
    clearInterval(this.heartbeat);
    for (const { socket } of this.connections) socket.destroy();
  }

  private async tryListen(address: EngineAddress): Promise<Error | undefined> {
    const server = createServer((socket) => this.accept(socket));
    return await new Promise<Error | undefined>((resolve) => {
      server.once("error", resolve);
      server.listen(address, () => resolve(undefined));
    });
  }

  private accept(socket: Socket): void {
    const connection: Connection = { socket, writer: new LineWriter(socket), agents: new Set() };
    this.connections.add(connection);
    socket.setNoDelay(true);
    onLines(socket, (line) => this.receive(connection, line));
    socket.on("error", (error) => this.log.warn(`a gateway's connection broke: ${error.message}`));
    socket.on("close", () => this.forget(connection));
    if (this.paused) socket.pause();
    connection.writer.send({ is: "welcome", epoch: this.epoch });
  }

  private receive(connection: Connection, line: string): void {
    let message: GatewayToEngine;
    try {
      message = parseGatewayMessage(line);
    } catch (error) {
      connection.socket.destroy(new Error(`it sent what is not a message (${String(error)})`));
      return;
    }
    if (message.is === "hello") {
      this.log.info({ gateway: message.gateway }, "a gateway connected");
      return;
    }
    if (message.is === "agents-alive") for (const agent of message.agents) this.route(agent, connection);
    else this.route(message.agent, connection);
    this.onMessage(message);
  }

  private route(agent: AgentId, connection: Connection): void {
    const before = this.routes.get(agent);
    if (before === connection) return;
    before?.agents.delete(agent);
    this.routes.set(agent, connection);
    connection.agents.add(agent);
  }

  private forget(connection: Connection): void {
    this.connections.delete(connection);
    for (const agent of connection.agents) this.routes.delete(agent);
  }
}
