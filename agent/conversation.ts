/**
 * The talk with the gateway: hello, then one exchange after the other.
 *
 *   unknown  → hello with growing, random pauses; work goes on meanwhile
 *   welcome  → an exchange is out, held by the gateway while it has nothing to say
 *
 * News does not wait for a held exchange: the next one starts and the earlier is abandoned. It is not cut off at once, because
 * its answer may be on the way; answers are heeded whenever they come. Never more than two are out.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { ExchangeReply, Hello } from "@/core/protocol/agent";
import type { GatewayClient } from "./gateway-client";
import type { Readings } from "./host-facts";
import { log, sentenceOf } from "./log";
import type { Report } from "./report";
import type { Worker } from "./worker";

/** News that comes right after an exchange went out waits this long: its answer, and more news, are likely. */
const gatherMs = 1;
/** An abandoned exchange may still bring its answer within this time. */
const crossingMs = 100;
const liveEveryMs = 250;
/** After an answer, while there is plenty to do: what ends meanwhile is told together. */
const restMs = 40;
const mostRunsTold = 1000;
const firstPauseMs = 150;
const longestPauseMs = 10_000;

interface Call {
  at: number;
  abort: AbortController;
  settled: Promise<void>;
  done: boolean;
}

export class Conversation {
  readonly #gateway: GatewayClient;
  readonly #hello: Hello;
  readonly #worker: () => Worker;
  readonly #calls = new Set<Call>();
  readonly #news = new Bell();
  readonly #stopped = new AbortController();
  readonly #ticker: NodeJS.Timeout;
  #waitMs: number | undefined;
  #failures = 0;
  #refused = false;
  #liveAt = 0;
  #readings: { readings: Readings; keeping?: string[] } | undefined;
  #tellAt: number | undefined;
  #tellTimer: NodeJS.Timeout | undefined;

  constructor(gateway: GatewayClient, hello: Hello, worker: () => Worker) {
    this.#gateway = gateway;
    this.#hello = hello;
    this.#worker = worker;
    this.#ticker = setInterval(() => {
      if (this.#worker().hasOutput) this.#news.ring();
    }, liveEveryMs);
  }

  /** There is news, to be told within this time; whatever goes out sooner takes it along. */
  tell(withinMs: number): void {
    if (withinMs <= 0) {
      this.#news.ring();
      return;
    }
    const at = performance.now() + withinMs;
    if (this.#tellAt !== undefined && this.#tellAt <= at) return;
    clearTimeout(this.#tellTimer);
    this.#tellAt = at;
    this.#tellTimer = setTimeout(() => this.#news.ring(), withinMs);
  }

  /** Goes with the next exchange, and with those after it until one is answered. `keeping`: runs with transient files here. */
  tellReadings(readings: Readings, keeping: string[]): void {
    this.#readings = { readings, ...(keeping.length > 0 && { keeping: keeping.slice(0, mostRunsTold) }) };
    this.#news.ring();
  }

  /** Returns when stopped, or when the gateway gave this agent up. */
  async run(): Promise<"stopped" | "refused"> {
    while (!this.#stopped.signal.aborted && !this.#refused) {
      if (this.#waitMs === undefined) await this.#introduce();
      else {
        if (this.#worker().hasPlenty) await Promise.race([this.#news.heard(), delay(restMs)]);
        await this.#converse(this.#waitMs);
      }
    }
    clearInterval(this.#ticker);
    return this.#refused ? "refused" : "stopped";
  }

  stop(): void {
    this.#stopped.abort();
    for (const call of this.#calls) call.abort.abort();
  }

  /** A last word after the stop: everything as it is now. Nothing is lost if it is not heard. True if nothing is left to tell. */
  async takeLeave(patienceMs: number): Promise<boolean> {
    const report = this.#worker().report(true);
    const goodbye = report.body.ended.length === report.body.held.length;
    const exchange = { agent: this.#hello.agent, ...report.body, goodbye, waitMs: 0 };
    try {
      this.#heed(await this.#gateway.exchange(exchange, AbortSignal.timeout(patienceMs)), report);
      return goodbye;
    } catch (error) {
      log(`no farewell: ${sentenceOf(error)}`);
      return false;
    }
  }

  async #introduce(): Promise<void> {
    try {
      this.#waitMs = (await this.#gateway.hello(this.#hello, this.#stopped.signal)).waitMs;
      this.#worker().tellProgressAgain();
      if (this.#failures > 0) log("the gateway is back");
      this.#failures = 0;
    } catch (error) {
      await this.#pause(error);
    }
  }

  async #pause(error: unknown): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    if (this.#failures === 0) log(`the gateway cannot be reached, trying again: ${sentenceOf(error)}`);
    const longest = Math.min(firstPauseMs * 2 ** this.#failures++, longestPauseMs);
    await delay(longest * (0.5 + Math.random() / 2), undefined, { signal: this.#stopped.signal }).catch(() => {});
  }

  async #converse(waitMs: number): Promise<void> {
    this.#news.hush();
    clearTimeout(this.#tellTimer);
    this.#tellAt = undefined;
    const live = Date.now() - this.#liveAt >= liveEveryMs - 20;
    const report = this.#worker().report(live);
    if (live && report.body.output.length > 0) this.#liveAt = Date.now();
    // Output wants to be confirmed at once, so that it is not sent again.
    const call = this.#call(report, report.body.output.length > 0 ? 0 : waitMs);
    await Promise.race([call.settled, this.#news.heard()]);
    if (!call.done) await Promise.race([call.settled, delay(gatherMs - (Date.now() - call.at))]);
    if (call.done) return;
    for (const older of this.#calls) {
      if (older === call) continue;
      await Promise.race([older.settled, call.settled, delay(crossingMs - (Date.now() - older.at))]);
      if (!call.done) older.abort.abort();
    }
  }

  #call(report: Report, waitMs: number): Call {
    const abort = new AbortController();
    const readings = this.#readings;
    const exchange = { agent: this.#hello.agent, ...report.body, ...readings, goodbye: false, waitMs };
    const call: Call = { at: Date.now(), abort, settled: Promise.resolve(), done: false };
    const settle = async () => {
      try {
        const reply = await this.#gateway.exchange(exchange, abort.signal);
        const empty = this.#heed(reply, report);
        if (this.#readings === readings) this.#readings = undefined;
        // A gateway that does not hold exchanges must not be asked without a pause.
        if (empty && waitMs > 0 && this.#calls.size === 1 && Date.now() - call.at < 20) {
          await Promise.race([this.#news.heard(), delay(100)]);
        }
      } catch (error) {
        if (!abort.signal.aborted) {
          this.#waitMs = undefined;
          await this.#pause(error);
        }
      } finally {
        call.done = true;
        this.#calls.delete(call);
      }
    };
    this.#calls.add(call);
    call.settled = settle();
    return call;
  }

  /** True if there was nothing in it. */
  #heed(reply: ExchangeReply, report: Report): boolean {
    report.confirm();
    if (reply.refused) this.#refused = true;
    else this.#worker().heed(reply);
    return [reply.assign, reply.acknowledge, reply.cancel, reply.discard].every((list) => list.length === 0);
  }
}

/** Rung when there is news; heard at once by who waits, or by who waits next. */
class Bell {
  #rung = false;
  #hear: (() => void)[] = [];

  ring(): void {
    this.#rung = true;
    const waiting = this.#hear;
    this.#hear = [];
    for (const hear of waiting) hear();
  }

  hush(): void {
    this.#rung = false;
  }

  heard(): Promise<void> {
    if (this.#rung) return Promise.resolve();
    return new Promise((resolve) => this.#hear.push(resolve));
  }
}
