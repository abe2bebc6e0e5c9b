/**
 * The hosts a task may use, as its own resource selector reads them (GW-4): one a line, best by the built-in rank first, with
 * host, rank, free slots, architecture, memory in MB and cluster, separated by blanks.
 */
import { laneOf } from "./lanes";
import { isWelcome } from "./room";
import type { Core, Run } from "./state";

const most = 500;

export function hostList(core: Core, run: Run, task: number): string {
  const lane = laneOf(core, run, task);
  const { judge } = lane.shelf;
  const hosts = new Map<string, { rank: number; free: number; arch: string; memory: number; cluster: string }>();
  for (const agent of core.agents.values()) {
    const { mode } = agent;
    if (mode.is !== "joined" || !isWelcome(core, agent, lane) || !judge.matches(agent)) continue;
    const free = Math.max(0, core.freeSlots(agent)) + (hosts.get(mode.host)?.free ?? 0);
    const { Arch, Memory } = mode.joining.facts ?? {};
    hosts.set(mode.host, {
      rank: judge.hostRank(agent),
      free,
      arch: typeof Arch === "string" ? Arch : "unknown",
      memory: typeof Memory === "number" ? Memory : Math.floor((mode.joining.memoryBytes ?? 0) / 1024 ** 2),
      cluster: mode.cluster.id,
    });
  }
  return [...hosts]
    .sort(([, a], [, b]) => b.rank - a.rank)
    .slice(0, most)
    .map(([host, { rank, free, arch, memory, cluster }]) => `${host} ${rank} ${free} ${arch} ${memory} ${cluster}\n`)
    .join("");
}
