/**
 * One agent as its gateway knows it: what it holds, what it reported, and what it is still to be told.
 *
 * An outgoing word stays in the outbox until the agent's inventory shows that it arrived:
 *
 *   assign                 until the attempt is in the inventory
 *   cancel                 until the attempt is gone from it, or has ended
 *   acknowledge, discard   until the attempt is gone from it
 *
 * A word that was sent and had no effect is sent again: soon at first, because replies get lost, but not at once, because an
 * exchange may have crossed with it; then once a second, so that an agent that needs time is not asked in circles.
 * All of it is memory: a restarted gateway learns the same from the next inventory and from the engine.
 */
import type { AgentId, AttemptId, ClusterId } from "@/core/engine/ids";
import type { Binding, EngineToGateway, Held } from "@/core/engine/messages";
import type { Assignment, Exchange, ExchangeReply, HostFacts, Progress } from "@/core/protocol/agent";

export type EndReport = Exchange["ended"][number];

export interface AgentFacts extends Binding {
  id: AgentId;
  cluster: ClusterId;
  host: HostFacts;
  slots: number;
}

interface Outgoing {
  assign?: Assignment;
  cancel: boolean;
  /** Its restart files first. */
  checkpoint?: boolean;
  verdict?: "acknowledge" | "discard";
  timesSent: number;
  sentAt: number;
}

export interface News {
  started: Exchange["started"];
  ended: EndReport[];
  progress: Progress[];
  /** The inventory is not what this gateway expected: the engine should see it. */
  isSurprising: boolean;
  readings?: Exchange["readings"];
}

const soonMs = 100;
const laterMs = 1000;
const repeatsSoon = 2;

export class AgentSession {
  heardAt = 0;
  /** Given up by the engine: it must take a new identity. */
  refused = false;
  /** The engine we are connected to has heard of this agent. */
  announced = false;
  /** What its host was like when it last told. */
  readings: Exchange["readings"];
  /** Called when there is something to say. */
  onWord: () => void = () => undefined;
  private held = new Map<AttemptId, number>();
  private readonly outbox = new Map<AttemptId, Outgoing>();
  /** Ends the engine has not answered yet, as the agent told them last. */
  private ends = new Map<AttemptId, EndReport>();
  /** What attempts that may move told last, all of it: whoever comes anew has heard none of it. */
  private readonly progress = new Map<AttemptId, Progress>();
  private readonly forwarded = new Set<AttemptId>();
  private readonly assigned = new Map<AttemptId, Assignment>();
  /** Attempts that are this agent's own by the journal, with the bytes kept of each stream. */
  private readonly own = new Map<AttemptId, number>();

  constructor(public facts: AgentFacts) {}

  /** Takes in an exchange and says what of it is news to the engine. */
  hear(exchange: Exchange, now: number): News {
    this.heardAt = now;
    const before = this.held;
    this.held = new Map(exchange.held.map(({ attempt, epoch }) => [attempt, epoch]));
    this.ends = new Map(exchange.ended.map((end) => [end.attempt, end]));
    let isSurprising = false;
    for (const attempt of this.held.keys()) {
      if (!before.has(attempt) && !this.assigned.has(attempt)) isSurprising = true;
    }
    for (const attempt of before.keys()) {
      if (this.held.has(attempt)) continue;
      if (!this.outbox.get(attempt)?.verdict) isSurprising = true;
      this.forget(attempt);
    }
    this.settleOutbox();
    const progress = exchange.progress?.filter(({ attempt }) => this.held.has(attempt)) ?? [];
    for (const one of progress) this.progress.set(one.attempt, joined(this.progress.get(one.attempt), one));
    const ended = exchange.ended.filter(({ attempt }) => !this.forwarded.has(attempt));
    this.readings = exchange.readings ?? this.readings;
    return { started: exchange.started, ended, progress, isSurprising, readings: exchange.readings };
  }

  /** From the engine. */
  tell(message: Extract<EngineToGateway, { agent: AgentId }>): void {
    switch (message.is) {
      case "assign": {
        const { attempt } = message.assignment;
        this.assigned.set(attempt, message.assignment);
        this.own.set(attempt, message.assignment.limits.streamBytes);
        if (!this.held.has(attempt)) this.outgoing(attempt).assign = message.assignment;
        break;
      }
      case "cancel":
        if (!this.ends.has(message.attempt)) {
          const word = this.outgoing(message.attempt);
          word.cancel = true;
          if (message.checkpoint) word.checkpoint = true;
        }
        break;
      case "acknowledge":
      case "discard":
        this.giveVerdict(message.attempt, message.is);
        break;
      case "refuse-agent":
        this.refused = true;
        break;
      case "who-is":
        return;
    }
    this.onWord();
  }

  /** What to say now, or undefined if there is nothing. */
  reply(now: number): ExchangeReply | undefined {
    if (this.refused) return { ...emptyReply(), refused: true };
    const reply = emptyReply();
    let words = 0;
    for (const [attempt, word] of this.outbox) {
      if (now < dueAt(word)) continue;
      if (word.verdict) reply[word.verdict].push(attempt);
      else {
        if (word.assign) reply.assign.push(word.assign);
        if (word.cancel) reply.cancel.push(attempt);
        if (word.cancel && word.checkpoint) {
          reply.checkpoint ??= [];
          reply.checkpoint.push(attempt);
        }
      }
      word.timesSent++;
      word.sentAt = now;
      words++;
    }
    return words > 0 ? reply : undefined;
  }

  /** When a word that had no effect is due again, in milliseconds; undefined without one. */
  nextRepeat(now: number): number | undefined {
    let next: number | undefined;
    for (const word of this.outbox.values()) {
      const wait = Math.max(0, dueAt(word) - now);
      if (next === undefined || wait < next) next = wait;
    }
    return next;
  }

  /** The engine has been told of these ends; until it answers or is replaced they are not told again. */
  noteForwarded(attempts: readonly AttemptId[]): void {
    for (const attempt of attempts) this.forwarded.add(attempt);
  }

  /** A new connection to the engine: it has heard of nothing. */
  forgetForwarded(): void {
    this.announced = false;
    this.forwarded.clear();
  }

  unansweredEnds(): EndReport[] {
    return [...this.ends.values()];
  }

  allProgress(): Progress[] {
    return [...this.progress.values()];
  }

  inventory(): Held[] {
    return [...this.held].map(([attempt, epoch]) => ({ attempt, epoch }));
  }

  /** Bytes kept of each output stream of an attempt of this agent; undefined if it is not known to be one. */
  streamLimit(attempt: AttemptId): number | undefined {
    return this.own.get(attempt);
  }

  noteOwn(attempt: AttemptId, streamBytes: number): void {
    this.own.set(attempt, streamBytes);
  }

  mayRead(sha256: string): boolean {
    for (const { inputs, adaptive } of this.assigned.values()) {
      if (inputs.some((input) => input.sha256 === sha256)) return true;
      if (adaptive?.from.some((file) => file.sha256 === sha256)) return true;
    }
    return false;
  }

  /** The most bytes one of its outputs may have, as far as known here. */
  get largestOutput(): number {
    let largest = 0;
    for (const { limits } of this.assigned.values()) largest = Math.max(largest, limits.outputBytes);
    return largest;
  }

  private settleOutbox(): void {
    for (const [attempt, word] of this.outbox) {
      const isHeld = this.held.has(attempt);
      if (isHeld) word.assign = undefined;
      if (this.ends.has(attempt)) word.cancel = false;
      const isDone = word.verdict ? !isHeld : !word.assign && (!word.cancel || !isHeld);
      if (isDone) this.outbox.delete(attempt);
    }
  }

  private giveVerdict(attempt: AttemptId, verdict: "acknowledge" | "discard"): void {
    this.ends.delete(attempt);
    this.assigned.delete(attempt);
    // Not in the inventory and never sent: the agent has not heard of it and need not.
    const word = this.outbox.get(attempt);
    if (!this.held.has(attempt) && (!word || word.timesSent === 0)) {
      this.outbox.delete(attempt);
      this.forget(attempt);
      return;
    }
    this.outbox.set(attempt, { cancel: false, verdict, timesSent: 0, sentAt: 0 });
  }

  private outgoing(attempt: AttemptId): Outgoing {
    let word = this.outbox.get(attempt);
    if (!word || word.verdict) {
      word = { cancel: false, timesSent: 0, sentAt: 0 };
      this.outbox.set(attempt, word);
    }
    // A further word is news even if the one before it was sent already.
    word.timesSent = 0;
    return word;
  }

  private forget(attempt: AttemptId): void {
    this.forwarded.delete(attempt);
    this.progress.delete(attempt);
    this.own.delete(attempt);
    if (!this.outbox.get(attempt)?.assign) this.assigned.delete(attempt);
  }
}

/** As many iterations as an agent tells at once. */
const mostSamples = 200;

function joined(before: Progress | undefined, now: Progress): Progress {
  const told = Object.fromEntries(Object.entries(now).filter(([, value]) => value !== undefined));
  const samples = [...(before?.samples ?? []), ...(now.samples ?? [])].slice(-mostSamples);
  return { ...now, ...before, ...told, ...(samples.length > 0 ? { samples } : {}), degraded: undefined };
}

function dueAt({ timesSent, sentAt }: Outgoing): number {
  if (timesSent === 0) return 0;
  return sentAt + (timesSent <= repeatsSoon ? soonMs : laterMs);
}

export function emptyReply(): ExchangeReply {
  return { assign: [], acknowledge: [], cancel: [], discard: [], refused: false };
}
