/**
 * The record of a host that expressions see (GB-3): what the engine keeps about it, its cluster, and the facts its agent
 * told. Names are HTCondor's where it has one; GridBot's Name and NumCpus stand beside Machine and Cpus.
 */
import { factEntries, LiveAd, realOrInteger } from "./live-ad";
import type { JoiningAgent } from "./plan";
import type { Agent, Core } from "./state";

/** Kept by us: first in the record, so that they can be set by place. */
const kept = {
  ErrorRate: 0,
  AverageTurnaround: 1,
  JobsToday: 2,
  RecentCpuTime: 3,
  RunningJobs: 4,
  FreeSlots: 5,
} as const;

export function hostAd(joining: JoiningAgent): LiveAd {
  const { host, slots, cluster, facts = {}, memoryBytes } = joining;
  return new LiveAd([
    ...Object.keys(kept).map((name) => [name, 0] as const),
    ["Cpus", slots],
    ["NumCpus", slots],
    ...(memoryBytes === undefined ? [] : [["Memory", Math.floor(memoryBytes / 1024 ** 2)] as const]),
    ...factEntries(facts),
    // Facts do not speak for these.
    ["Name", host],
    ["Machine", host],
    ["Grid", cluster],
    ["ClusterName", cluster],
    ["Slots", slots],
  ]);
}

/** What is known of the present, for whoever is not the engine. */
export function noteBusy(ad: LiveAd, running: number, free: number): LiveAd {
  ad.set(kept.RunningJobs, running);
  ad.set(kept.FreeSlots, free);
  return ad;
}

export function refreshHostAd(core: Core, agent: Agent): void {
  if (agent.mode.is !== "joined") return;
  const { record } = agent.mode;
  const { ad } = agent;
  agent.keptVersion = core.newVersion();
  ad.set(kept.ErrorRate, realOrInteger(record.errorRate));
  ad.set(kept.AverageTurnaround, record.turnaround === undefined ? undefined : realOrInteger(record.turnaround));
  ad.set(kept.JobsToday, record.jobsToday);
  ad.set(kept.RecentCpuTime, realOrInteger(record.recentSeconds));
  ad.set(kept.RunningJobs, agent.open.size);
  ad.set(kept.FreeSlots, Math.max(0, core.freeSlots(agent)));
}
