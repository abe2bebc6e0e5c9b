/**
 * Watches running tasks against their limits, about twice a second: time by the clock, memory by the processes' own
 * account, output by what lies in the directory and the streams. Looking through a directory with many files takes a
 * while, so it is looked at the less often the longer that takes.
 */
import type { Attempt } from "./attempt";
import type { Isolation } from "./isolation/isolation";
import { log, sentenceOf } from "./log";
import { listProcesses, type Process } from "./processes";
import type { Verdict } from "./spool";
import { sizeOfTree } from "./work-directory";

const everyMs = 500;
/** A directory is looked at at most this share of the time. */
const lookShare = 0.1;

export class LimitWatch {
  readonly #isolation: Isolation;
  readonly #running: () => Iterable<Attempt>;
  readonly #directoryOf: (attempt: Attempt) => string;
  readonly #exceeded: (attempt: Attempt, verdict: Verdict) => void;
  readonly #lookAgainAt = new WeakMap<Attempt, number>();
  readonly #timer: NodeJS.Timeout;
  #looking = false;

  constructor(watch: {
    isolation: Isolation;
    running: () => Iterable<Attempt>;
    directoryOf: (attempt: Attempt) => string;
    exceeded: (attempt: Attempt, verdict: Verdict) => void;
  }) {
    this.#isolation = watch.isolation;
    this.#running = watch.running;
    this.#directoryOf = watch.directoryOf;
    this.#exceeded = watch.exceeded;
    this.#timer = setInterval(() => {
      this.#look().catch((error) => log(`the limits could not be checked: ${sentenceOf(error)}`));
    }, everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      await this.#lookAtAll();
    } finally {
      this.#looking = false;
    }
  }

  async #lookAtAll(): Promise<void> {
    const running = [...this.#running()];
    // Nobody needs the list of processes for tasks that come and go in less than one look.
    const settled = running.filter(({ startedAt }) => startedAt !== undefined && Date.now() - startedAt > everyMs / 2);
    const processes = settled.length > 0 ? await listProcesses() : [];
    for (const attempt of settled) {
      try {
        await this.#lookAt(attempt, processes);
      } catch (error) {
        // One task's doing must not keep the others from being looked at.
        log(`${attempt.id}: its limits could not be checked: ${sentenceOf(error)}`);
      }
    }
  }

  async #lookAt(attempt: Attempt, processes: readonly Process[]): Promise<void> {
    const verdict = exceededTime(attempt, Date.now()) ?? this.#exceededMemory(attempt, processes);
    if (verdict) this.#exceeded(attempt, verdict);
    else await this.#lookAtOutput(attempt);
  }

  #exceededMemory(attempt: Attempt, processes: readonly Process[]): Verdict | undefined {
    if (!attempt.slot || !attempt.processes) return undefined;
    const members = this.#isolation.members(attempt.slot, attempt.processes, processes);
    const used = members.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
    attempt.peakMemoryBytes = Math.max(attempt.peakMemoryBytes ?? 0, used);
    const { memoryBytes } = attempt.assignment.limits;
    if (used <= memoryBytes) return undefined;
    const detail = `The program used ${inWords(used)} of memory; the limit is ${inWords(memoryBytes)}.`;
    return { is: "failed", reason: "memory-limit", detail };
  }

  async #lookAtOutput(attempt: Attempt): Promise<void> {
    const streams = exceededStream(attempt);
    if (streams) {
      this.#exceeded(attempt, streams);
      return;
    }
    const began = Date.now();
    if (began < (this.#lookAgainAt.get(attempt) ?? 0)) return;
    const { slot, processes } = attempt;
    const elsewhere = slot && processes ? await this.#isolation.elsewhere(slot, processes) : [];
    const verdict = await exceededDirectory(attempt, this.#directoryOf(attempt), elsewhere);
    const took = Date.now() - began;
    this.#lookAgainAt.set(attempt, Date.now() + took / lookShare);
    if (verdict && attempt.phase === "running") this.#exceeded(attempt, verdict);
  }
}

function exceededTime(attempt: Attempt, now: number): Verdict | undefined {
  const { wallSeconds } = attempt.assignment.limits;
  if (attempt.startedAt === undefined || now - attempt.startedAt <= wallSeconds * 1000) return undefined;
  const detail = `The program ran longer than its time limit of ${wallSeconds} ${wallSeconds === 1 ? "second" : "seconds"}.`;
  return { is: "failed", reason: "time-limit", detail };
}

export function exceededStream(attempt: Attempt): Verdict | undefined {
  const { assignment, output } = attempt;
  const { streamBytes, outputBytes } = assignment.limits;
  for (const stream of ["stdout", "stderr", "around"] as const) {
    // A stream in a file is one of the task's files, also if the task has removed its name.
    const inFile = stream !== "around" && assignment[stream] !== undefined;
    const limit = inFile ? outputBytes : streamBytes;
    if (output.written(stream) <= limit) continue;
    const detail = inFile
      ? `The program printed more than ${inWords(limit)}, the limit for its files.`
      : `The program printed more than ${inWords(limit)}, the limit for its output streams.`;
    return { is: "failed", reason: "output-limit", detail };
  }
  return undefined;
}

export async function exceededDirectory(
  attempt: Attempt,
  directory: string,
  elsewhere: readonly string[] = [],
): Promise<Verdict | undefined> {
  const { outputBytes } = attempt.assignment.limits;
  let written = (await sizeOfTree(directory)) - attempt.stagedBytes;
  for (const path of elsewhere) written += await sizeOfTree(path);
  if (written <= outputBytes) return undefined;
  const places = elsewhere.length > 0 ? "its directory and the system's temporary ones" : "its directory";
  const detail = `The program wrote ${inWords(written)} into ${places}; the limit is ${inWords(outputBytes)}.`;
  return { is: "failed", reason: "output-limit", detail };
}

export function inWords(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1).replace(/\.0$/, "")} ${units[unit]}`;
}
