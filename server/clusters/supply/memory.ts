/**
 * What became of the agents that were asked for, as the factory wants to know it (core/engine/factory/history.ts). All of it is in the
 * table of agents: a new process reads it from there, oldest first, and goes on as the one before it would have.
 */
import { agentAsked, agentEnded, agentStarted, type FactorySettings, type History } from "@/core/engine/factory";
import type { AgentId } from "@/core/engine/ids";
import { targetKey } from "@/core/engine/supply";
import type { AskedAgent } from "./agent-rows";

type Phase = "pending" | "running" | "ended";

export class SupplyMemory {
  readonly history: History = new Map();
  private readonly phases = new Map<AgentId, Phase>();
  private first = true;

  constructor(private readonly settings: FactorySettings) {}

  /** All agents that live or ended lately, as the table has them now. */
  update(agents: readonly AskedAgent[], now: number): void {
    const present = new Set<AgentId>();
    const oldestFirst = [...agents].sort((a, b) => a.askedAt - b.askedAt);
    for (const agent of oldestFirst) {
      present.add(agent.id);
      this.follow(agent, now);
    }
    for (const agent of this.phases.keys()) if (!present.has(agent)) this.phases.delete(agent);
    this.first = false;
  }

  private follow(agent: AskedAgent, now: number): void {
    const { id, askedAt } = agent;
    const key = targetKey(agent.cluster, agent.owner);
    const phase = this.phases.get(id);
    if (phase === undefined) agentAsked(this.history, key, id, askedAt);
    const hasJoined = agent.state !== "expected";
    if (hasJoined && phase !== "running" && phase !== "ended") {
      agentStarted(this.history, key, id, this.first ? askedAt : now);
    }
    if (agent.endedAt !== null && phase !== "ended") {
      agentEnded(this.history, key, id, endedWell(agent), agent.endedAt, this.settings);
    }
    this.phases.set(id, agent.endedAt !== null ? "ended" : hasJoined ? "running" : "pending");
  }
}

/** It had nothing left to do, reached its time, or was taken back by us. */
function endedWell({ jobState, state }: AskedAgent): boolean {
  if (state === "left" || jobState === "completed" || jobState === "cancelled") return true;
  return jobState === "timed-out" && state !== "expected";
}
