/**
 * The gateway's connection to the engine, kept up for ever.
 *
 *   away       connecting, with back-off         → connected  the engine said an epoch not lower than any before
 *   connected  messages flow                     → away       the connection broke, or the engine said nothing for a while
 *
 * An engine that was paused while another took over says an old epoch, or nothing: either way it is left.
 */
import { connect, type Socket } from "node:net";
import type { Logger } from "pino";
import { z } from "zod";
import type { EngineToGateway, GatewayToEngine } from "@/core/engine/messages";
import { assignment } from "@/core/protocol/agent";
import type { EngineAddress } from "@/server/engine/engine-address";
import { LineWriter, onLines } from "@/server/engine/message-lines";

const agent = z.string();
const attempt = assignment.shape.attempt;
const engineMessage: z.ZodType<EngineToGateway> = z.discriminatedUnion("is", [
  z.object({ is: z.literal("welcome"), epoch: z.number().int() }),
  z.object({ is: z.literal("assign"), agent, assignment }),
  z.object({ is: z.literal("acknowledge"), agent, attempt }),
  z.object({ is: z.literal("cancel"), agent, attempt }),
  z.object({ is: z.literal("discard"), agent, attempt }),
  z.object({ is: z.literal("refuse-agent"), agent }),
  z.object({ is: z.literal("who-is"), agent }),
]);

export type EngineWord = Exclude<EngineToGateway, { is: "welcome" }>;

export interface EngineLinkEvents {
  onConnected(): void;
  onAway(): void;
  onMessage(message: EngineWord): void;
}

/** The engine speaks each second. */
const longestSilenceMs = 5_000;
/** It greets at once. Only the kernel answers for one that is paused, while its successor may be about to take the address. */
const longestGreetingMs = 1_000;
/** Trying costs little, and agents wait meanwhile: an engine that is started again is met within a quarter of a second. */
const longestBackoffMs = 250;
/** A restart is not worth a line; nor is the end of both parts together. */
const tellAwayAfterMs = 1_500;

export class EngineLink {
  private socket?: Socket;
  private writer?: LineWriter<GatewayToEngine>;
  private highestEpoch = 0;
  private backoff = 50;
  private silence?: NodeJS.Timeout;
  private retry?: NodeJS.Timeout;
  private awayNotice?: NodeJS.Timeout;
  private stopped = false;

  constructor(
    private readonly address: EngineAddress,
    private readonly name: string,
    private readonly log: Logger,
    private readonly events: EngineLinkEvents,
  ) {}

  get isConnected(): boolean {
    return this.writer !== undefined;
  }

  /** True while the engine does not keep up, or is away: leave out what will be said again anyway. */
  get isBehind(): boolean {
    return this.writer?.isBehind ?? true;
  }

  /** Dropped while the engine is away: after a connection everything is told again. */
  send(message: GatewayToEngine): void {
    this.writer?.send(message);
  }

  start(): void {
    const socket = connect(this.address);
    this.socket = socket;
    socket.setNoDelay(true);
    this.expectWord(socket);
    onLines(socket, (line) => this.receive(socket, line));
    // "close" follows, and says it.
    socket.on("error", () => undefined);
    socket.on("close", () => this.onClosed());
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    clearTimeout(this.silence);
    clearTimeout(this.awayNotice);
    this.socket?.destroy();
  }

  private receive(socket: Socket, line: string): void {
    this.expectWord(socket);
    let message: EngineToGateway;
    try {
      message = engineMessage.parse(JSON.parse(line));
    } catch (error) {
      this.log.error({ err: error, line: line.slice(0, 200) }, "the engine sent what is not a message");
      socket.destroy();
      return;
    }
    if (message.is === "welcome") this.onWelcome(socket, message.epoch);
    else if (this.writer) this.events.onMessage(message);
  }

  private onWelcome(socket: Socket, epoch: number): void {
    if (epoch < this.highestEpoch) {
      this.log.warn({ epoch, highest: this.highestEpoch }, "this engine was replaced; looking for the present one");
      socket.destroy();
      return;
    }
    this.highestEpoch = epoch;
    if (this.writer) return;
    this.writer = new LineWriter(socket);
    this.backoff = 50;
    clearTimeout(this.awayNotice);
    this.writer.send({ is: "hello", gateway: this.name });
    this.log.info({ epoch }, "connected to the engine");
    this.events.onConnected();
  }

  private expectWord(socket: Socket): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => socket.destroy(), this.writer ? longestSilenceMs : longestGreetingMs);
  }

  private onClosed(): void {
    clearTimeout(this.silence);
    if (this.stopped) return;
    if (this.writer) {
      this.awayNotice = setTimeout(() => {
        this.log.warn("the engine is away; agents keep what they have to report");
      }, tellAwayAfterMs);
      this.writer = undefined;
      this.events.onAway();
    }
    this.retry = setTimeout(() => this.start(), this.backoff);
    this.backoff = Math.min(this.backoff * 2, longestBackoffMs);
  }
}
