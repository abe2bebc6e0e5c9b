/**
 * A simulated agent (the program that runs tasks), following core/protocol/agent.ts: one exchange at a time, the whole
 * inventory in each, ends repeated until acknowledged. What it holds survives its crashes, because each task has a shim of
 * its own; a host that dies takes everything with it. Refused, it forgets all and takes a new identity.
 */
import { type AttemptId, parseAttemptId } from "@/core/engine/ids";
import type { Held } from "@/core/engine/messages";
import type { Outcome, Usage } from "@/core/engine/outcome";
import type { HostFacts, Progress, RestartSet } from "@/core/protocol/agent";
import { shortAttempt, shortId } from "./names";
import type { SeededRandom } from "./random";
import type { Timeline } from "./timeline";

export interface Introduction {
  cluster: string;
  host: HostFacts;
  slots: number;
  /** It was started with this person's account, and works for nobody else. */
  owner?: string;
}

export interface AgentReport {
  held: Held[];
  started: (Held & { at: number })[];
  progress: Progress[];
  ended: (Held & { outcome: Outcome; usage: Usage; checkpoint?: RestartSet })[];
  goodbye: boolean;
}

export interface AgentReply {
  assign: { attempt: string; epoch: number }[];
  acknowledge: string[];
  cancel: string[];
  checkpoint: string[];
  discard: string[];
  refused: boolean;
}

/** How a worker reaches the gateway, over a network that may lose, delay and repeat. */
export interface Wire {
  introduce(worker: Worker, answered: () => void): void;
  exchange(worker: Worker, report: AgentReport, answered: (reply: AgentReply | "who-are-you") => void): void;
}

export interface WorkerWorld {
  timeline: Timeline;
  random: SeededRandom;
  wire: Wire;
  newIdentity(introduction: Introduction): string;
  /** How long the attempt will run and how it will end. */
  fate(attempt: AttemptId): { runsMs: number; outcome: Outcome };
  coresOf(attempt: AttemptId): number;
  /** What it tells of itself while it runs: restart files with this number, iterations, what it needs. */
  news(attempt: AttemptId, epoch: number, set: number): Progress | undefined;
  onStart(worker: Worker, attempt: AttemptId, epoch: number): void;
  onAcknowledged(worker: Worker, attempt: AttemptId, outcome: Outcome | undefined): void;
}

interface Spooled {
  attempt: AttemptId;
  epoch: number;
  phase:
    | { is: "queued" }
    | { is: "running"; at: number; told: boolean }
    | { is: "ended"; outcome: Outcome; usage: Usage; checkpoint?: RestartSet };
  /** Sets of restart files it made. */
  sets: number;
}

const pollMs = 400;
const patienceMs = 2000;

export class Worker {
  id: string;
  /** The program runs; its tasks may run without it. */
  up = true;
  /** The host is there. */
  exists = true;
  leaving = false;
  private readonly spool = new Map<string, Spooled>();
  private introduced = false;
  /** Number of the exchange under way; answers to others are nobody's. */
  private turn = 0;

  constructor(
    private readonly world: WorkerWorld,
    readonly introduction: Introduction,
  ) {
    this.id = world.newIdentity(introduction);
    this.log(`starts with ${introduction.slots} slots in ${introduction.cluster}`);
    this.exchangeIn(0);
  }

  get idle(): boolean {
    return this.spool.size === 0;
  }

  crash(): void {
    this.log("crashes");
    this.up = false;
    this.turn += 1;
  }

  restart(): void {
    if (!this.exists || this.up) return;
    this.log("restarts");
    this.up = true;
    this.introduced = false;
    this.startQueued();
    this.exchangeIn(0);
  }

  /** The host is gone for ever, with everything on it. */
  die(): void {
    this.log("and its host are gone");
    this.up = false;
    this.exists = false;
    this.spool.clear();
  }

  /** Leaves for good once it holds nothing. */
  leave(): void {
    this.log("is asked to leave");
    this.leaving = true;
  }

  private exchangeIn(delay: number): void {
    this.turn += 1;
    const turn = this.turn;
    this.world.timeline.after(delay, () => {
      if (turn !== this.turn || !this.up || !this.exists) return;
      this.exchange(turn);
    });
  }

  private exchange(turn: number): void {
    const { wire, timeline } = this.world;
    const current = () => turn === this.turn && this.up && this.exists;
    // No answer: the same again, as a new exchange.
    timeline.after(patienceMs, () => {
      if (current()) this.exchangeIn(0);
    });
    if (!this.introduced) {
      wire.introduce(this, () => {
        if (!current()) return;
        this.introduced = true;
        this.exchangeIn(0);
      });
      return;
    }
    const report = this.report();
    wire.exchange(this, report, (reply) => {
      if (!current()) return;
      if (reply === "who-are-you") this.introduced = false;
      else this.obey(reply, report);
      if (this.exists) this.exchangeIn(reply === "who-are-you" ? 0 : pollMs);
    });
  }

  private report(): AgentReport {
    const report: AgentReport = { held: [], started: [], progress: [], ended: [], goodbye: this.leaving && this.idle };
    for (const spooled of this.spool.values()) {
      const { attempt, epoch, phase } = spooled;
      report.held.push({ attempt, epoch });
      if (phase.is === "running" && !phase.told) report.started.push({ attempt, epoch, at: phase.at });
      const news = phase.is === "running" ? this.newsOf(spooled) : undefined;
      if (news) report.progress.push(news);
      if (phase.is === "ended") {
        const { outcome, usage, checkpoint } = phase;
        report.ended.push({ attempt, epoch, outcome, usage, ...(checkpoint ? { checkpoint } : {}) });
      }
    }
    return report;
  }

  private newsOf(spooled: Spooled): Progress | undefined {
    const news = this.world.news(spooled.attempt, spooled.epoch, spooled.sets + 1);
    if (news) spooled.sets += 1;
    return news;
  }

  private obey(reply: AgentReply, report: AgentReport): void {
    if (report.goodbye) {
      this.log("has left");
      this.exists = false;
      return;
    }
    if (reply.refused) {
      this.startAnew();
      return;
    }
    for (const { attempt } of report.started) {
      const phase = this.spool.get(attempt)?.phase;
      if (phase?.is === "running") phase.told = true;
    }
    for (const attempt of reply.acknowledge) this.acknowledged(attempt);
    for (const attempt of reply.discard) this.spool.delete(attempt);
    for (const { attempt, epoch } of reply.assign) this.accept(attempt, epoch);
    for (const attempt of reply.cancel) {
      const spooled = this.spool.get(attempt);
      if (!spooled || spooled.phase.is === "ended") continue;
      const { checkpoint } = (reply.checkpoint.includes(attempt) && this.newsOf(spooled)) || {};
      const ended = { is: "ended", outcome: { is: "cancelled" }, usage: {} } as const;
      spooled.phase = checkpoint ? { ...ended, checkpoint } : ended;
    }
    this.startQueued();
  }

  private startAnew(): void {
    this.log("is refused and takes a new identity");
    this.spool.clear();
    this.id = this.world.newIdentity(this.introduction);
    this.introduced = false;
    this.log("begins");
  }

  private acknowledged(attempt: string): void {
    const spooled = this.spool.get(attempt);
    if (!spooled) return;
    const outcome = spooled.phase.is === "ended" ? spooled.phase.outcome : undefined;
    this.world.onAcknowledged(this, spooled.attempt, outcome);
    this.spool.delete(attempt);
  }

  private accept(id: string, epoch: number): void {
    const ref = parseAttemptId(id);
    if (!ref || this.spool.has(id)) return;
    const attempt: AttemptId = `${ref.run}.${ref.task}.${ref.ordinal}`;
    this.spool.set(id, { attempt, epoch, phase: { is: "queued" }, sets: 0 });
  }

  private startQueued(): void {
    const { coresOf } = this.world;
    let used = 0;
    for (const { phase, attempt } of this.spool.values()) if (phase.is === "running") used += coresOf(attempt);
    for (const spooled of this.spool.values()) {
      if (spooled.phase.is !== "queued") continue;
      used += coresOf(spooled.attempt);
      if (used > this.introduction.slots) return;
      this.start(spooled);
    }
  }

  private start(spooled: Spooled): void {
    const { world } = this;
    const { attempt, epoch } = spooled;
    this.log(`starts ${shortAttempt(attempt)}`);
    world.onStart(this, attempt, epoch);
    const { runsMs, outcome } = world.fate(attempt);
    const startedAt = world.timeline.now;
    spooled.phase = { is: "running", at: startedAt, told: false };
    world.timeline.after(runsMs, () => {
      // The shim writes the end into the spool whether or not the agent is there to see it.
      if (!this.exists || this.spool.get(attempt) !== spooled || spooled.phase.is !== "running") return;
      spooled.phase = { is: "ended", outcome, usage: { startedAt, endedAt: world.timeline.now } };
      this.log(`ended ${shortAttempt(attempt)} ${outcome.is}`);
      if (!this.up) return;
      this.startQueued();
      // News: whatever exchange is under way is abandoned for a new one.
      if (world.random.chance(0.7)) this.exchangeIn(0);
    });
  }

  private log(line: string): void {
    this.world.timeline.log(`agent ${shortId(this.id)} ${line}`);
  }
}
