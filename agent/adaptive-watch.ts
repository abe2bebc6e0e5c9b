/**
 * Watches running tasks that may move, about once a second: restart files to safety when their interval has passed, dynamic
 * files when they changed, the user's performance evaluator when there is something to evaluate. What is new goes with the
 * next exchange, and again until that was answered.
 */
import type { Progress } from "@/core/protocol/agent";
import type { Attempt } from "./attempt";
import { runBeside } from "./beside";
import { DynamicFiles } from "./dynamic-files";
import { log, sentenceOf } from "./log";
import { RestartFiles } from "./restart-files";
import type { Transfer } from "./transfer";

const everyMs = 1000;
const evaluateEveryMs = 10_000;
const evaluatorPatienceMs = 30_000;
/** A set that does not hold together is tried for so long before the next interval. */
const setPatienceMs = 5_000;

/** What the slot of a running attempt says about it. */
export interface TaskPlaces {
  directory: string;
  ownerUid: number;
  spool: string;
  /** Words that run the evaluator as the task is run. */
  evaluator: readonly string[] | undefined;
  environment: Record<string, string>;
}

/** One attempt under watch. */
export class AdaptiveTask {
  readonly restart: RestartFiles;
  readonly #attempt: Attempt;
  readonly #files: DynamicFiles;
  readonly #places: TaskPlaces;
  readonly #intervalMs: number;
  #setDueAt: number;
  #evaluateAt = 0;
  #evaluating = false;
  #degraded: string | undefined;
  /** What was told, and what there is to tell. */
  #version = 0;
  #told = 0;
  #toldSample = -1;

  constructor(attempt: Attempt, places: TaskPlaces, transfer: Transfer) {
    const { adaptive } = attempt.assignment;
    if (!adaptive) throw new Error(`${attempt.id} is not to move`);
    this.#attempt = attempt;
    this.#places = places;
    this.restart = new RestartFiles(adaptive, places, transfer);
    this.#files = new DynamicFiles(adaptive, places.directory, places.ownerUid);
    this.#intervalMs = adaptive.checkpointSeconds * 1000;
    this.#setDueAt = Date.now() + this.#intervalMs;
  }

  /** True if there is news. */
  async look(now: number): Promise<boolean> {
    if (this.#files.look(now)) {
      this.#version += 1;
      this.#evaluateAt = 0;
    }
    if (now >= this.#setDueAt) await this.checkpoint(setPatienceMs, this.#attempt.given);
    if (this.#places.evaluator && now >= this.#evaluateAt && !this.#evaluating) void this.#evaluate();
    return this.#version !== this.#told;
  }

  /** The newest restart files to safety; what cannot be stored now is tried again at the next interval. */
  async checkpoint(patienceMs: number, signal: AbortSignal): Promise<void> {
    this.#setDueAt = Date.now() + this.#intervalMs;
    const before = this.restart.set;
    try {
      if ((await this.restart.take(patienceMs, signal)) !== before) this.#version += 1;
    } catch (error) {
      log(`${this.#attempt.id}: its restart files could not be brought to safety: ${sentenceOf(error)}`);
    }
    this.#setDueAt = Date.now() + this.#intervalMs;
  }

  async #evaluate(): Promise<void> {
    const { evaluator, directory, environment } = this.#places;
    this.#evaluating = true;
    const call = { words: evaluator ?? [], directory, environment, patienceMs: evaluatorPatienceMs };
    const { exitCode, printed } = await runBeside(call);
    this.#evaluating = false;
    this.#evaluateAt = Date.now() + evaluateEveryMs;
    if (exitCode !== 1 || this.#attempt.phase !== "running") return;
    this.#degraded = (printed.trim().split("\n")[0] ?? "").slice(0, 200);
    this.#version += 1;
  }

  get hasNews(): boolean {
    return this.#version !== this.#told;
  }

  /** What to tell; `confirm` when it was heard. */
  news(): { progress: Progress; confirm(): void } | undefined {
    if (!this.hasNews) return undefined;
    const { attempt, epoch } = this.#attempt.assignment;
    const { requirement, rank } = this.#files;
    const samples = this.#files.samples.filter(({ n }) => n > this.#toldSample);
    const version = this.#version;
    const degraded = this.#degraded;
    const progress: Progress = {
      attempt,
      epoch,
      ...{ checkpoint: this.restart.set, requirement, rank, degraded },
      samples: samples.length > 0 ? samples : undefined,
    };
    const confirm = () => {
      this.#told = Math.max(this.#told, version);
      this.#toldSample = Math.max(this.#toldSample, samples.at(-1)?.n ?? -1);
      if (this.#degraded === degraded) this.#degraded = undefined;
    };
    return { progress, confirm };
  }

  /** Whom we speak with has forgotten what it was told. */
  tellAgain(): void {
    this.#toldSample = -1;
    this.#version += 1;
  }
}

export class AdaptiveWatch {
  readonly #running: () => Iterable<Attempt>;
  readonly #begin: (attempt: Attempt) => AdaptiveTask | undefined;
  readonly #news: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #looking = new Set<Attempt>();

  constructor(
    running: () => Iterable<Attempt>,
    begin: (attempt: Attempt) => AdaptiveTask | undefined,
    news: () => void,
  ) {
    this.#running = running;
    this.#begin = begin;
    this.#news = news;
    this.#timer = setInterval(() => this.#lookAtAll(), everyMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #lookAtAll(): void {
    for (const attempt of this.#running()) {
      if (!attempt.assignment.adaptive || attempt.leaving || this.#looking.has(attempt)) continue;
      attempt.adaptive ??= this.#begin(attempt);
      void this.#lookAt(attempt);
    }
  }

  async #lookAt(attempt: Attempt): Promise<void> {
    this.#looking.add(attempt);
    try {
      if (await attempt.adaptive?.look(Date.now())) this.#news();
    } catch (error) {
      log(`${attempt.id}: it could not be watched: ${sentenceOf(error)}`);
    } finally {
      this.#looking.delete(attempt);
    }
  }
}
