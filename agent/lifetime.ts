/**
 * When the agent ends by itself (GridBot, section 5; rules in core/engine/overlay/idle.ts): nothing to do for a while, tasks
 * that use no CPU, or the end of the time it was given. A job that is held and not used is taken from others, and one that its
 * batch system ends takes along what was not told before.
 */
import { readFileSync } from "node:fs";
import { type CpuWatch, type IdleRules, shouldEnd, watchCpu } from "@/core/engine/overlay/idle";
import type { AgentConfig } from "./config";
import { log, sentenceOf } from "./log";

export interface WatchedWorker {
  readonly isEmpty: boolean;
  /** Processes of the tasks; undefined while no task runs, or one is being staged. */
  processesAtWork(): Promise<readonly number[] | undefined>;
}

/** The clock's unit in /proc; a hundredth of a second on every Linux. */
const tickMs = 10;
const longestCheckMs = 10_000;
/** Kept of the time given for ending what runs and telling the portal: a tenth, between five seconds and a minute. */
const ownShare = 0.1;
const leastOwnMs = 5_000;
const mostOwnMs = 60_000;

export class Lifetime {
  readonly #rules: IdleRules;
  readonly #endsAt: number | undefined;
  readonly #worker: WatchedWorker;
  readonly #end: (sentence: string) => void;
  readonly #timer: NodeJS.Timeout;
  #idleSince: number | undefined;
  #cpu: CpuWatch | undefined;

  constructor(config: AgentConfig, startedAt: number, worker: WatchedWorker, end: (sentence: string) => void) {
    const { idleSeconds = 0, quietSeconds = 0, wallSeconds } = config;
    this.#rules = {
      idleMs: idleSeconds > 0 ? idleSeconds * 1000 : Number.POSITIVE_INFINITY,
      quietMs: quietSeconds > 0 ? quietSeconds * 1000 : undefined,
      quietShare: 0.01,
    };
    this.#endsAt = wallSeconds === undefined ? undefined : startedAt + wallSeconds * 1000 - ownMs(wallSeconds * 1000);
    this.#worker = worker;
    this.#end = end;
    const shortest = Math.min(this.#rules.idleMs, this.#rules.quietMs ?? longestCheckMs, (wallSeconds ?? 600) * 100);
    this.#timer = setInterval(
      () => {
        this.#look().catch((error) => log(`whether to end could not be decided: ${sentenceOf(error)}`));
      },
      Math.max(100, Math.min(longestCheckMs, shortest / 4)),
    );
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Until it must be done. */
  leftSeconds(now = Date.now()): number | undefined {
    return this.#endsAt === undefined ? undefined : (this.#endsAt - now) / 1000;
  }

  async #look(): Promise<void> {
    const now = Date.now();
    if (this.#endsAt !== undefined && now >= this.#endsAt) return this.#end("the time it was given ends");
    this.#idleSince = this.#worker.isEmpty ? (this.#idleSince ?? now) : undefined;
    const working = this.#rules.quietMs === undefined ? undefined : await this.#worker.processesAtWork();
    this.#cpu = working && watchCpu(this.#cpu, now, cpuMsOf(working), this.#rules);
    const reason = shouldEnd({ idleSince: this.#idleSince, cpu: this.#cpu, kept: false }, this.#rules, now);
    if (!reason) return;
    const seconds = Math.round(reason.sinceMs / 1000);
    this.#end(
      reason.code === "no-work"
        ? `there has been no work for ${seconds} seconds`
        : `its tasks have used no CPU for ${seconds} seconds`,
    );
  }
}

/** What a batch system's limit leaves the agent for itself. */
export function ownMs(wallMs: number): number {
  return Math.min(mostOwnMs, Math.max(leastOwnMs, ownShare * wallMs), wallMs / 2);
}

/** All CPU time of these processes and of the children they waited for. */
function cpuMsOf(pids: readonly number[]): number {
  let ticks = 0;
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      for (const place of [11, 12, 13, 14]) ticks += Number(fields[place]);
    } catch {
      // It ended while we looked.
    }
  }
  return ticks * tickMs;
}
