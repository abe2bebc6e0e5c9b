/**
 * All agents that speak through this gateway, and the passing of words between them and the engine. Whenever a
 * connection to the engine comes up, every agent heard of lately is announced again with its inventory and its
 * unanswered reports, so neither side needs to remember what the other has heard.
 */

import type { Logger } from "pino";
import type { AgentId } from "@/core/engine/ids";
import type { EngineAddress } from "@/server/engine/engine-address";
import type { SeenAgent } from "@/server/journal/queries/note-agents-seen";
import { type AgentFacts, AgentSession, type News } from "./agent-session";
import { EngineLink, type EngineWord } from "./engine-link";

const recentMs = 30_000;
const forgetAfterMs = 300_000;
const aliveEveryMs = 1_000;

export class Sessions {
  readonly link: EngineLink;
  private readonly sessions = new Map<AgentId, AgentSession>();
  private aliveTimer?: NodeJS.Timeout;
  private aliveToldAt = 0;

  constructor(
    address: EngineAddress,
    name: string,
    log: Logger,
    private readonly onRefused: (agent: AgentId) => void,
  ) {
    this.link = new EngineLink(address, name, log, {
      onConnected: () => this.announceAll(),
      onAway: () => {
        for (const session of this.sessions.values()) session.forgetForwarded();
      },
      onMessage: (message) => this.receive(message),
    });
  }

  start(): void {
    this.link.start();
    this.aliveTimer = setInterval(() => this.tellAlive(Date.now()), aliveEveryMs);
  }

  stop(): void {
    clearInterval(this.aliveTimer);
    this.link.stop();
  }

  get(agent: AgentId): AgentSession | undefined {
    return this.sessions.get(agent);
  }

  heardSince(time: number): SeenAgent[] {
    return [...this.sessions].flatMap(([id, session]) =>
      session.heardAt >= time ? [{ id, held: session.inventory().length, readings: session.readings }] : [],
    );
  }

  open(facts: AgentFacts, refused: boolean): AgentSession {
    let session = this.sessions.get(facts.id);
    if (session) {
      const changed = session.facts.slots !== facts.slots || session.facts.host.name !== facts.host.name;
      session.facts = facts;
      if (changed) session.announced = false;
    } else {
      session = new AgentSession(facts);
      this.sessions.set(facts.id, session);
    }
    session.refused = refused;
    return session;
  }

  /** Tells the engine what an exchange brought. Without an engine the agent keeps it and tells it again. */
  pass(session: AgentSession, news: News): void {
    if (!this.link.isConnected || session.refused) return;
    const agent = session.facts.id;
    if (!session.announced) this.sayJoined(session);
    else if (news.isSurprising) this.link.send({ is: "agent-inventory", agent, held: session.inventory() });
    for (const started of news.started) this.link.send({ is: "attempt-started", agent, ...started });
    for (const progress of news.progress) this.link.send({ is: "attempt-progress", agent, ...progress });
    for (const ended of news.ended) this.link.send({ is: "attempt-ended", agent, ...ended });
    if (news.readings) this.link.send({ is: "host-readings", agent, facts: news.readings });
    session.noteForwarded(news.ended.map(({ attempt }) => attempt));
  }

  leave(session: AgentSession): void {
    this.link.send({ is: "agent-left", agent: session.facts.id });
    this.sessions.delete(session.facts.id);
  }

  private receive(message: EngineWord): void {
    const session = this.sessions.get(message.agent);
    if (message.is === "refuse-agent") this.onRefused(message.agent);
    if (!session) return;
    if (message.is === "who-is") this.announce(session);
    else session.tell(message);
  }

  private announceAll(): void {
    const now = Date.now();
    for (const session of this.sessions.values()) {
      session.forgetForwarded();
      if (now - session.heardAt <= recentMs) this.announce(session);
    }
  }

  private announce(session: AgentSession): void {
    session.forgetForwarded();
    const { readings } = session;
    const ended = session.unansweredEnds();
    this.pass(session, { started: [], ended, progress: session.allProgress(), isSurprising: false, readings });
  }

  private sayJoined(session: AgentSession): void {
    const { id, ...facts } = session.facts;
    this.link.send({ is: "agent-joined", agent: id, ...facts, held: session.inventory() });
    session.announced = true;
  }

  private tellAlive(now: number): void {
    const agents: AgentId[] = [];
    for (const [id, session] of this.sessions) {
      if (session.announced && session.heardAt >= this.aliveToldAt) agents.push(id);
      if (now - session.heardAt > forgetAfterMs) this.sessions.delete(id);
    }
    if (this.link.isBehind) return;
    this.aliveToldAt = now;
    if (agents.length > 0) this.link.send({ is: "agents-alive", agents });
  }
}
