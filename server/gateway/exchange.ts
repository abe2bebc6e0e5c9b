/**
 * One exchange with an agent: its output is stored, then its reports go to the engine, then it is told what there is to tell,
 * or waits for it. Exchanges of one agent are taken in turn, because an abandoned one may still be at work
 * when the next arrives.
 */
import type { Logger } from "pino";
import { type AttemptId, attemptId, parseAttemptId } from "@/core/engine/ids";
import type { Exchange, ExchangeReply } from "@/core/protocol/agent";
import type { AttemptOutput } from "@/server/files/attempt-output";
import type { Pool } from "@/server/journal/pool";
import { attemptsOfAgent } from "@/server/journal/queries/attempts-of-agent";
import { type AgentSession, emptyReply } from "./agent-session";
import { HttpProblem } from "./http-problem";
import type { Sessions } from "./sessions";

export interface ExchangePorts {
  pool: Pool;
  output: AttemptOutput;
  sessions: Sessions;
  log: Logger;
}

interface Turn {
  last: Promise<unknown>;
  /** Ends the exchange that is being held, with nothing to say. */
  release: () => void;
}

export class Exchanges {
  private readonly turns = new WeakMap<AgentSession, Turn>();

  constructor(private readonly ports: ExchangePorts) {}

  /** `abandoned` is aborted when the agent no longer listens. */
  async handle(session: AgentSession, exchange: Exchange, abandoned: AbortSignal): Promise<ExchangeReply> {
    const turn = this.turnOf(session);
    turn.release();
    const taken = turn.last.then(() => this.takeIn(session, exchange));
    turn.last = taken.catch(() => undefined);
    await taken;
    if (exchange.goodbye) return session.reply(Date.now()) ?? emptyReply();
    return await this.holdUntilWord(session, turn, exchange.waitMs, abandoned);
  }

  /** Bytes kept of each output stream of an attempt; undefined if it is not one of this agent's. */
  async streamLimit(session: AgentSession, attempt: AttemptId): Promise<number | undefined> {
    await this.learnOwn(session, [attempt]);
    return session.streamLimit(attempt);
  }

  private turnOf(session: AgentSession): Turn {
    let turn = this.turns.get(session);
    if (!turn) {
      turn = { last: Promise.resolve(), release: () => undefined };
      this.turns.set(session, turn);
    }
    return turn;
  }

  private async takeIn(session: AgentSession, exchange: Exchange): Promise<void> {
    await this.storeOutput(session, exchange.output);
    const { sessions } = this.ports;
    sessions.pass(session, session.hear(exchange, Date.now()));
    if (exchange.goodbye) sessions.leave(session);
  }

  private async storeOutput(session: AgentSession, stretches: Exchange["output"]): Promise<void> {
    if (stretches.length === 0) return;
    await this.learnOwn(
      session,
      stretches.map(({ attempt }) => attempt),
    );
    for (const { attempt, stream, offset, base64 } of stretches) {
      const limit = session.streamLimit(attempt);
      const ref = parseAttemptId(attempt);
      // Another agent's attempt, or one that is long gone: not this agent's to write.
      if (limit === undefined || !ref) continue;
      try {
        await this.ports.output.write(ref, { stream, offset, bytes: Buffer.from(base64, "base64") }, limit);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")))
          throw error;
        this.ports.log.error("the portal's disk is full; agents keep their reports until there is room");
        throw new HttpProblem(507, "The portal's disk is full; keep the report and try again.");
      }
    }
  }

  /** Attempts handed out before this gateway started are known from the journal. */
  private async learnOwn(session: AgentSession, attempts: readonly AttemptId[]): Promise<void> {
    const unknown = [...new Set(attempts)].filter((attempt) => session.streamLimit(attempt) === undefined);
    const refs = unknown.flatMap((attempt) => parseAttemptId(attempt) ?? []);
    if (refs.length === 0) return;
    for (const { streamBytes, ...ref } of await attemptsOfAgent(this.ports.pool, session.facts.id, refs)) {
      session.noteOwn(attemptId(ref), streamBytes);
    }
  }

  private holdUntilWord(
    session: AgentSession,
    turn: Turn,
    waitMs: number,
    abandoned: AbortSignal,
  ): Promise<ExchangeReply> {
    const now = Date.now();
    const reply = session.reply(now);
    if (reply) return Promise.resolve(reply);
    return new Promise((resolve) => {
      let isAnswering = false;
      const answer = () => {
        clearTimeout(timer);
        abandoned.removeEventListener("abort", leave);
        if (turn.release === leave) turn.release = () => undefined;
        session.onWord = () => undefined;
      };
      const leave = () => {
        answer();
        resolve(emptyReply());
      };
      const speak = () => {
        answer();
        resolve(session.reply(Date.now()) ?? emptyReply());
      };
      const timer = setTimeout(speak, Math.min(waitMs, session.nextRepeat(now) ?? waitMs));
      abandoned.addEventListener("abort", leave);
      turn.release = leave;
      // What the engine says in the same breath goes into the same reply.
      session.onWord = () => {
        if (isAnswering) return;
        isAnswering = true;
        setImmediate(speak);
      };
    });
  }
}
