/**
 * When a client ends itself (GridBot, section 5: "must not stay idle on the execution host"): it gets no work, or its job
 * uses no CPU. The grid's own queue cannot know either, and a slot that is held and not used is taken from others.
 */
export interface IdleRules {
  /** Without work for so long. */
  idleMs: number;
  /** With work that used less than `quietShare` of one CPU all this time. Undefined: programs may wait as they like. */
  quietMs: number | undefined;
  quietShare: number;
}

export const defaultIdleRules: IdleRules = { idleMs: 5 * 60_000, quietMs: 30 * 60_000, quietShare: 0.01 };

export interface ClientFacts {
  /** Since when it has had no task at all; undefined while it has one. */
  idleSince: number | undefined;
  /** Of its tasks together; undefined while it has none that runs, files being fetched or brought back included. */
  cpu: CpuWatch | undefined;
  /** The cluster is to keep this many agents even without work. */
  kept: boolean;
}

export interface CpuWatch {
  at: number;
  /** All CPU time used so far. */
  cpuMs: number;
  /** Since when less than the share was used. */
  quietSince: number;
}

export type EndReason = { code: "no-work" | "no-cpu"; sinceMs: number };

/** The next sample of the CPU time that a client's tasks have used. */
export function watchCpu(before: CpuWatch | undefined, at: number, cpuMs: number, rules: IdleRules): CpuWatch {
  // Less than before: another set of tasks, or a clock set back. The watch begins anew.
  if (!before || cpuMs < before.cpuMs || at < before.at) return { at, cpuMs, quietSince: at };
  const busy = cpuMs - before.cpuMs >= rules.quietShare * (at - before.at);
  return { at, cpuMs, quietSince: busy && cpuMs > before.cpuMs ? at : before.quietSince };
}

export function shouldEnd({ idleSince, cpu, kept }: ClientFacts, rules: IdleRules, now: number): EndReason | undefined {
  if (idleSince !== undefined) {
    const sinceMs = now - idleSince;
    return !kept && sinceMs >= rules.idleMs ? { code: "no-work", sinceMs } : undefined;
  }
  if (cpu === undefined || rules.quietMs === undefined) return undefined;
  const sinceMs = now - cpu.quietSince;
  return sinceMs >= rules.quietMs ? { code: "no-cpu", sinceMs } : undefined;
}
