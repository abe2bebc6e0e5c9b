/**
 * Room for big tasks. A task that needs four cores would wait for ever beside a stream of small ones that take each core
 * as it becomes free. A lane that has waited long enough gets one agent kept free for it: nothing else is placed there
 * until it fits. So it waits at most `reserveAfterMs` plus the longest task that is running there.
 */
import type { Lane } from "./lanes";
import { couldFit, hasRoom, mayUse } from "./room";
import type { Agent, Core } from "./state";

export function reserveForTheBig(core: Core): void {
  const before = core.now() - core.settings.reserveAfterMs;
  for (const owner of core.hungry) {
    for (const shelf of owner.hungry) {
      const lane = shelf.line.peek();
      if (!lane || lane.shelf !== shelf || lane.servedAt > before || lane.reserved || lane.ready.size === 0) continue;
      if (!isBig(lane)) continue;
      const agent = emptiest(core, lane);
      if (!agent) continue;
      agent.reservedFor = lane;
      lane.reserved = agent;
    }
  }
}

/** The agent with the least to do among those that are big enough but not free enough. */
function emptiest(core: Core, lane: Lane): Agent | undefined {
  let best: Agent | undefined;
  for (const agent of core.agents.values()) {
    const { mode } = agent;
    if (mode.is !== "joined" || agent.reservedFor || !mayUse(core, mode.cluster, lane)) continue;
    if (mode.record.trust.is !== "trusted" || !couldFit(agent, lane) || !lane.shelf.judge.matches(agent)) continue;
    if (hasRoom(core, agent, lane)) return undefined;
    if (!best || agent.used.cores < best.used.cores) best = agent;
  }
  return best;
}

/** One core is never kept free for: whoever is next in turn gets it anyway. */
function isBig({ asks }: Lane): boolean {
  return asks.cores > 1 || asks.memoryBytes > 0 || asks.diskBytes > 0 || Object.keys(asks.named).length > 0;
}
