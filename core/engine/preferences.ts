/**
 * The preference of GR-7 for the agents that are there: what each tells of itself, and the scale all are measured by. Both
 * are brought up to date once a tick when hosts came, went or changed.
 */
import type { JoiningAgent } from "./plan";
import { type NodeFacts, scaleOf } from "./preference";
import type { Cluster, Core } from "./state";

export function nodeOf({ slots, facts = {}, memoryBytes }: JoiningAgent, { policy }: Cluster): NodeFacts {
  const number = (name: string) => (typeof facts[name] === "number" ? facts[name] : undefined);
  const power = number("Mips") ?? number("CpuMHz") ?? 1;
  return {
    distance: policy.distance,
    capacity: policy.linkMbps,
    power: slots * power,
    load: number("LoadAvg"),
    memory: number("Memory") ?? memoryBytes,
  };
}

export function refreshPreferences(core: Core): void {
  if (!core.preferencesStale) return;
  core.preferencesStale = false;
  const nodes: NodeFacts[] = [];
  for (const agent of core.agents.values()) {
    if (agent.mode.is !== "joined") continue;
    agent.node = nodeOf(agent.mode.joining, agent.mode.cluster);
    nodes.push(agent.node);
  }
  core.preferenceScale = scaleOf(nodes);
  core.unblockAll();
}
