/**
 * The gateway between agents and engine. It keeps a mailbox for each agent and reconciles it with the inventory the agent
 * tells in every exchange: an assignment stays in the box until the agent has it, an acknowledgement until the agent has
 * forgotten. It listens only to the engine with the highest epoch. When it restarts it has forgotten everything.
 */

import { attemptId } from "@/core/engine/ids";
import type { GatewayToEngine, Held } from "@/core/engine/messages";
import type { ToAgent } from "@/core/engine/ports";
import type { EngineProcess } from "./engine-process";
import type { SeededRandom } from "./random";
import type { Timeline } from "./timeline";
import type { AgentReply, AgentReport, Introduction } from "./worker";

interface Box {
  introduction: Introduction;
  /** What the agent last said it holds; unknown until its first exchange. */
  held: Held[] | undefined;
  /** Attempts the agent should have. */
  expected: Set<string>;
  assign: Map<string, number>;
  acknowledge: Set<string>;
  cancel: Set<string>;
  checkpoint: Set<string>;
  discard: Set<string>;
  refused: boolean;
  mustJoin: boolean;
}

export class GatewayProcess {
  alive = true;
  private engine: EngineProcess | undefined;
  private readonly boxes = new Map<string, Box>();
  private heardOf = new Set<string>();
  /** The link to the engine keeps the order of messages, whatever the delays. */
  private lastArrival = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly random: SeededRandom,
    private readonly listenToAnyEpoch: boolean,
  ) {
    this.beat();
  }

  connect(engine: EngineProcess): void {
    if (!this.alive || !engine.alive || (this.engine && this.engine.epoch >= engine.epoch)) return;
    this.timeline.log(`gateway connects to engine ${engine.epoch}`);
    this.engine = engine;
    for (const [agent, box] of this.boxes) if (box.held) this.tellJoined(agent, box, box.held);
  }

  introduce(agent: string, introduction: Introduction): void {
    this.boxes.set(agent, {
      introduction,
      held: undefined,
      expected: new Set(),
      assign: new Map(),
      acknowledge: new Set(),
      cancel: new Set(),
      checkpoint: new Set(),
      discard: new Set(),
      refused: false,
      mustJoin: false,
    });
  }

  /** One exchange. Without a box the agent has to introduce itself first. */
  exchange(agent: string, report: AgentReport): AgentReply | "who-are-you" {
    const box = this.boxes.get(agent);
    if (!box) return "who-are-you";
    this.heardOf.add(agent);
    const held = new Set<string>(report.held.map(({ attempt }) => attempt));
    if (box.held === undefined) this.tellJoined(agent, box, report.held);
    box.held = [...report.held];
    for (const { attempt, epoch, at } of report.started) {
      this.tell({ is: "attempt-started", agent, attempt, epoch, at });
    }
    for (const progress of report.progress) this.tell({ is: "attempt-progress", agent, ...progress });
    for (const ended of report.ended) {
      this.tell({ is: "attempt-ended", agent, ...ended });
    }
    this.reconcile(agent, box, held, report);
    if (report.goodbye) {
      this.boxes.delete(agent);
      this.tell({ is: "agent-left", agent });
    }
    return {
      assign: [...box.assign].map(([attempt, epoch]) => ({ attempt, epoch })),
      acknowledge: [...box.acknowledge],
      cancel: [...box.cancel],
      checkpoint: [...box.checkpoint],
      discard: [...box.discard],
      refused: box.refused,
    };
  }

  private reconcile(agent: string, box: Box, held: ReadonlySet<string>, report: AgentReport): void {
    for (const attempt of box.assign.keys()) if (held.has(attempt)) box.assign.delete(attempt);
    for (const set of [box.acknowledge, box.cancel, box.checkpoint, box.discard]) {
      for (const attempt of set) if (!held.has(attempt)) set.delete(attempt);
    }
    const missing = [...box.expected].some((attempt) => !held.has(attempt) && !box.assign.has(attempt));
    const surplus = [...held].some((attempt) => !box.expected.has(attempt));
    if (missing || surplus || this.random.chance(0.02)) {
      box.expected = new Set([...held, ...box.assign.keys()]);
      this.tell({ is: "agent-inventory", agent, held: [...report.held] });
    }
    if (box.mustJoin) this.tellJoined(agent, box, report.held);
  }

  /** From the engine, in the order it was sent. */
  deliver(from: EngineProcess, agent: string, message: ToAgent): void {
    if (!this.alive || (from !== this.engine && !this.listenToAnyEpoch)) return;
    const box = this.boxes.get(agent);
    if (!box) return;
    switch (message.is) {
      case "assign": {
        const attempt = attemptId(message.attempt);
        box.assign.set(attempt, message.epoch);
        box.expected.add(attempt);
        break;
      }
      case "cancel":
        box.cancel.add(attemptId(message.attempt));
        if (message.checkpoint) box.checkpoint.add(attemptId(message.attempt));
        break;
      case "acknowledge":
      case "discard": {
        const attempt = attemptId(message.attempt);
        box.assign.delete(attempt);
        box.expected.delete(attempt);
        box[message.is].add(attempt);
        break;
      }
      case "refuse":
        box.refused = true;
        break;
      case "who-is":
        box.mustJoin = true;
        break;
    }
  }

  /** Heartbeats, batched. */
  private beat(): void {
    this.timeline.after(700, () => {
      if (!this.alive) return;
      if (this.heardOf.size > 0) this.tell({ is: "agents-alive", agents: [...this.heardOf] });
      this.heardOf = new Set();
      this.beat();
    });
  }

  private tellJoined(agent: string, box: Box, held: readonly Held[]): void {
    box.mustJoin = false;
    this.tell({ is: "agent-joined", agent, ...box.introduction, held: [...held] });
  }

  private tell(message: GatewayToEngine): void {
    const { engine, timeline } = this;
    if (!engine) return;
    this.lastArrival = Math.max(this.lastArrival, timeline.now + this.random.between(0, 20));
    timeline.after(this.lastArrival - timeline.now, () => engine.receive(message));
  }
}
