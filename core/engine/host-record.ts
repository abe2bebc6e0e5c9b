/**
 * What the engine keeps about a host across its agents and tasks (GB-3, GB-11): error rate, turnaround, jobs of the day.
 * A host that fails again and again where others succeed is a black hole: it is avoided for a while, twice as long each
 * time, then gets one task at a time until one succeeds. Failures of tasks that fail elsewhere too do not count
 * against it, so a broken workflow closes no host, and a lone host is never closed.
 */
import type { Outcome } from "./outcome";
import type { Core, Run } from "./state";

export interface HostRecord {
  readonly key: string;
  /** Share of attempts that failed; the last one counts a tenth. */
  errorRate: number;
  /** Seconds from sending to result, in the same mean. */
  turnaround: number | undefined;
  /** Results of the present day (UTC). */
  day: number;
  jobsToday: number;
  /** Seconds its tasks ran, halved every day it is not heard of. */
  recentSeconds: number;
  /** Failures in a row, each as far as it is the host's fault. */
  blame: number;
  times: number;
  /** `avoided` until then; `tried` with one task at a time after that. */
  trust: { is: "trusted" } | { is: "avoided"; until: number } | { is: "tried" };
}

const blameToAvoid = 3;
const firstAvoidMs = 60_000;
const longestAvoidMs = 3_600_000;
const dayMs = 86_400_000;
const weight = 0.1;

export function newHostRecord(key: string, now: number): HostRecord {
  return {
    key,
    errorRate: 0,
    turnaround: undefined,
    day: Math.floor(now / dayMs),
    jobsToday: 0,
    recentSeconds: 0,
    blame: 0,
    times: 0,
    trust: { is: "trusted" },
  };
}

/** An attempt on the host ended. Returns true if the host is to be avoided from now on. */
export function noteOutcome(core: Core, host: HostRecord, run: Run, outcome: Outcome, sentAt: number, ranMs: number) {
  const now = core.now();
  if (outcome.is !== "succeeded" && outcome.is !== "failed") return false;
  const today = Math.floor(now / dayMs);
  if (today !== host.day) {
    host.recentSeconds /= 2 ** Math.min(30, Math.abs(today - host.day));
    host.day = today;
    host.jobsToday = 0;
  }
  host.recentSeconds += ranMs / 1000;
  const failed = outcome.is === "failed";
  host.errorRate += weight * ((failed ? 1 : 0) - host.errorRate);
  if (!failed) {
    const seconds = Math.max(0, now - sentAt) / 1000;
    host.turnaround = host.turnaround === undefined ? seconds : host.turnaround + weight * (seconds - host.turnaround);
    host.jobsToday += 1;
    host.blame = 0;
    host.times = 0;
    host.trust = { is: "trusted" };
    tally(run, host.key, "succeeded");
    return false;
  }
  tally(run, host.key, "failed");
  host.blame += blameOf(run, host.key);
  if (host.trust.is === "tried" ? host.blame > 0 : host.blame >= blameToAvoid && host.trust.is === "trusted") {
    const ms = Math.min(longestAvoidMs, firstAvoidMs * 2 ** host.times);
    host.times += 1;
    host.trust = { is: "avoided", until: now + ms };
    return true;
  }
  return false;
}

/** Some hosts are enough to compare with. */
const mostCompared = 64;

function tally(run: Run, host: string, what: "succeeded" | "failed"): void {
  let found = run.byHost.get(host);
  if (!found) {
    if (run.byHost.size >= mostCompared) return;
    found = { succeeded: 0, failed: 0 };
    run.byHost.set(host, found);
  }
  found[what] += 1;
}

/** How often the run's tasks succeed on other hosts; nothing to blame a host for where no other has succeeded. */
function blameOf(run: Run, host: string): number {
  let succeeded = 0;
  let failed = 0;
  for (const [key, results] of run.byHost) {
    if (key === host) continue;
    succeeded += results.succeeded;
    failed += results.failed;
  }
  return succeeded === 0 ? 0 : succeeded / (succeeded + failed);
}

/** Once a tick: those whose time is over are tried again. Returns whether there were any. */
export function forgive(core: Core): boolean {
  const now = core.now();
  let any = false;
  for (const host of core.hosts.values()) {
    if (host.trust.is !== "avoided" || (host.trust.until > now && host.trust.until <= now + longestAvoidMs)) continue;
    host.trust = { is: "tried" };
    any = true;
  }
  return any;
}
