/**
 * All attempts of this agent: takes assignments, gives them to free slots in order, ends them when told to, and says
 * in every report all it knows. What the gateway says may be repeated, late or lost without harm.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { AgentOutcome, Assignment, Ended, ExchangeReply } from "@/core/protocol/agent";
import { AdaptiveTask, AdaptiveWatch } from "./adaptive-watch";
import { Attempt } from "./attempt";
import { LimitWatch } from "./limits";
import { log, sentenceOf } from "./log";
import type { OutcomeJournal } from "./outcome-journal";
import { outputPath } from "./outputs";
import { listProcesses } from "./processes";
import { type Report, reportOf } from "./report";
import type { SlotRunner, Surroundings } from "./slot-runner";
import type { SpooledAttempt, Verdict } from "./spool";

const strikeAgainMs = 100;
/** A program that writes without a pause is not waited for: then the last set stands. */
const leavePatienceMs = 10_000;
/** Of the time there is for ending everything, what restart files may take. */
const savingShare = 0.6;

/** Ends are gathered so long while more than so many attempts wait here for each of them. */
const gatherEndsMs = 40;
const plentyPerEnd = 3;
const plentyPerSlot = 12;
/** A start alone is not worth an exchange of its own if the end follows at once; where tasks wait, it mostly does. */
const tellStartMs = 30;
const tellBriskStartMs = 200;

export class Worker {
  readonly #around: Surroundings;
  readonly #journal: OutcomeJournal;
  readonly #news: (withinMs: number) => void;
  readonly #runners: ReadonlyMap<number, SlotRunner>;
  readonly #free: SlotRunner[] = [];
  readonly #attempts = new Map<string, Attempt>();
  readonly #queue: Attempt[] = [];
  readonly #limits: LimitWatch;
  readonly #adaptive: AdaptiveWatch;
  /** Ends that no report has carried yet. */
  #untold = 0;
  #stopping = false;

  constructor(
    runners: ReadonlyMap<number, SlotRunner>,
    around: Surroundings,
    journal: OutcomeJournal,
    news: (withinMs: number) => void,
  ) {
    this.#runners = runners;
    this.#around = around;
    this.#journal = journal;
    this.#news = news;
    this.#limits = new LimitWatch({
      isolation: around.isolation,
      running: () => this.#running(),
      directoryOf: (attempt) => this.#runnerOf(attempt)?.directory ?? "",
      exceeded: (attempt, verdict) => this.#exceeded(attempt, verdict),
    });
    this.#adaptive = new AdaptiveWatch(
      () => this.#running(),
      (attempt) => this.#watchedTask(attempt),
      () => this.#news(0),
    );
  }

  /** Takes up what an earlier agent left in the spool; the other slots are cleared of whatever may be left in them. */
  async recall(): Promise<void> {
    const busy = new Set<SlotRunner>();
    for (const spooled of this.#around.spool.recall()) {
      const runner = this.#recallOne(spooled);
      if (runner) busy.add(runner);
    }
    this.#journal.settle(new Set(this.#attempts.keys()));
    const idle = [...this.#runners.values()].filter((runner) => !busy.has(runner));
    // A slot that cannot be cleared keeps neither the others nor the agent from working.
    const tidied = await Promise.allSettled(idle.map((runner) => runner.tidy()));
    for (const [index, runner] of idle.entries()) {
      if (tidied[index]?.status === "fulfilled") this.#release(runner);
      else void this.#repair(runner);
    }
  }

  /** Returns the slot it occupies, if it still does. */
  #recallOne({ assignment, placement, verdict, collected }: SpooledAttempt): SlotRunner | undefined {
    const { spool } = this.#around;
    const id = assignment.attempt;
    const ended = this.#journal.outcomeOf(id);
    if (!ended && this.#journal.knows(id)) {
      spool.remove(id);
      return undefined;
    }
    const attempt = new Attempt(assignment, spool.directoryOf(id));
    this.#attempts.set(id, attempt);
    if (ended) {
      attempt.phase = "ended";
      attempt.ended = ended;
      return undefined;
    }
    if (verdict) attempt.judge(verdict);
    if (collected) {
      this.#aside(attempt, this.#conclude(attempt, collected));
      return undefined;
    }
    if (!placement) {
      if (verdict) this.#aside(attempt, this.#conclude(attempt, verdict));
      else this.#queue.push(attempt);
      return undefined;
    }
    const runner = this.#runners.get(placement.slot);
    if (!runner) {
      this.#aside(attempt, this.#conclude(attempt, { is: "lost", reason: "agent-restarted" }));
      return undefined;
    }
    const resumed = this.#occupy(runner, attempt, async () => {
      const outcome = await runner.resume(attempt, placement);
      if (outcome !== "never") return outcome;
      spool.unplace(id);
      return await runner.perform(attempt);
    });
    this.#aside(attempt, resumed);
    if (verdict) this.#aside(attempt, this.#strike(attempt));
    return runner;
  }

  heed(reply: ExchangeReply): void {
    for (const id of reply.acknowledge) {
      const attempt = this.#attempts.get(id);
      if (attempt?.ended) this.#forget(attempt);
    }
    for (const run of reply.over ?? []) this.#around.cache.drop(run);
    for (const id of reply.discard) this.#discard(this.#attempts.get(id));
    for (const assignment of reply.assign) if (assignment.command.is !== "no-op") this.#admit(assignment);
    this.#admitNothings(reply.assign.filter(({ command }) => command.is === "no-op"));
    for (const id of reply.cancel) {
      const attempt = this.#attempts.get(id);
      if (!attempt) continue;
      if (reply.checkpoint?.includes(id)) this.#leave(attempt, { is: "cancelled" }, leavePatienceMs);
      else this.#end(attempt, { is: "cancelled" });
    }
    this.#fill();
  }

  #admit(assignment: Assignment): void {
    const id = assignment.attempt;
    if (this.#stopping || this.#attempts.has(id)) return;
    const untold = this.#journal.untoldOutcomeOf(id);
    if (!untold && this.#journal.knows(id)) return;
    try {
      this.#around.spool.admit(assignment);
    } catch (error) {
      // Not held, so it will be assigned again, here or elsewhere.
      log(`${id}: could not be taken: ${sentenceOf(error)}`);
      return;
    }
    const attempt = new Attempt(assignment, this.#around.spool.directoryOf(id));
    this.#attempts.set(id, attempt);
    if (!untold) {
      this.#queue.push(attempt);
      return;
    }
    attempt.phase = "collecting";
    this.#aside(attempt, this.#settle(attempt, { ...untold, epoch: assignment.epoch }));
  }

  /**
   * What needs neither a slot nor a place in the spool: an agent that forgets it before it is told loses nothing. All together
   * are written down at once.
   */
  #admitNothings(assignments: readonly Assignment[]): void {
    const fresh = assignments.filter(({ attempt }) => !this.#attempts.has(attempt) && !this.#journal.knows(attempt));
    if (this.#stopping || fresh.length === 0) return;
    const at = Date.now();
    const ends = fresh.map((assignment): { attempt: Attempt; ended: Ended } => {
      const attempt = new Attempt(assignment, undefined);
      attempt.phase = "collecting";
      this.#attempts.set(attempt.id, attempt);
      const usage = { startedAt: at, endedAt: at };
      const outcome: AgentOutcome = { is: "succeeded", outputs: [] };
      return { attempt, ended: { attempt: attempt.id, epoch: assignment.epoch, outcome, usage } };
    });
    const settle = async () => {
      try {
        await this.#journal.record(...ends.map(({ ended }) => ended));
      } catch (error) {
        log(`outcomes could not be written to disk: ${sentenceOf(error)}`);
      }
      for (const { attempt, ended } of ends) this.#close(attempt, ended);
    };
    void settle();
  }

  #fill(): void {
    while (this.#free.length > 0 && this.#queue.length > 0) {
      const attempt = this.#queue.shift()!;
      if (attempt.phase !== "queued" || attempt.verdict) continue;
      const runner = this.#free.shift()!;
      this.#aside(
        attempt,
        this.#occupy(runner, attempt, () => runner.perform(attempt)),
      );
    }
  }

  async #occupy(runner: SlotRunner, attempt: Attempt, work: () => Promise<AgentOutcome>): Promise<void> {
    let outcome: AgentOutcome;
    try {
      outcome = await work();
    } catch (error) {
      log(`${attempt.id}: ${sentenceOf(error)}`);
      outcome = {
        is: "failed",
        reason: "agent-error",
        detail: `The agent could not run it: ${sentenceOf(error)}`.slice(0, 4000),
      };
      void this.#repair(runner);
      await this.#conclude(attempt, outcome);
      return;
    }
    // First what the spool must know before the slot's next task: an outcome without outputs is written at once.
    const concluded = this.#conclude(attempt, outcome);
    this.#release(runner);
    await concluded;
  }

  /** A slot in which something went wrong is used again only once it could be cleared. */
  async #repair(runner: SlotRunner): Promise<void> {
    for (let wait = 1000; ; wait = Math.min(wait * 2, 60_000)) {
      try {
        await runner.tidy();
        this.#release(runner);
        return;
      } catch (error) {
        log(`slot ${runner.slot.number} cannot be used: ${sentenceOf(error)}`);
        await delay(wait, undefined, { ref: false });
      }
    }
  }

  #release(runner: SlotRunner): void {
    this.#free.push(runner);
    this.#fill();
  }

  /** Stages out, makes the outcome durable, and only then has news for the gateway. */
  async #conclude(attempt: Attempt, outcome: AgentOutcome): Promise<void> {
    const final =
      outcome.is === "succeeded" && outcome.outputs.length > 0 ? await this.#stageOut(attempt, outcome) : outcome;
    const { epoch } = attempt.assignment;
    const usage = {
      startedAt: attempt.startedAt,
      endedAt: attempt.endedAt ?? this.#around.spool.exitOf(attempt.id)?.at ?? Date.now(),
      peakMemoryBytes: attempt.peakMemoryBytes,
    };
    const checkpoint = final.is === "succeeded" ? undefined : attempt.adaptive?.restart.set;
    const { candidates } = attempt;
    await this.#settle(attempt, { attempt: attempt.id, epoch, outcome: final, usage, checkpoint, candidates });
  }

  async #settle(attempt: Attempt, ended: Ended): Promise<void> {
    try {
      await this.#journal.record(ended);
    } catch (error) {
      // Better told without a net than not at all.
      log(`${attempt.id}: its outcome could not be written to disk: ${sentenceOf(error)}`);
    }
    this.#close(attempt, ended);
  }

  #close(attempt: Attempt, ended: Ended): void {
    attempt.output.close();
    attempt.ended = ended;
    attempt.phase = "ended";
    if (attempt.discarded) this.#forget(attempt);
    else this.#tellEnd();
  }

  tellStart(): void {
    this.#news(this.#queue.length > 0 ? tellBriskStartMs : tellStartMs);
  }

  /**
   * An end is told at once where somebody may wait for it: the slots, because the work here runs out, or whoever hands out
   * what depends on it. Only while there is plenty to do and little to tell is it worth waiting for more.
   */
  #tellEnd(): void {
    this.#untold++;
    this.#news(this.#queue.length > plentyPerEnd * this.#untold ? gatherEndsMs : 0);
  }

  async #stageOut(attempt: Attempt, outcome: Extract<AgentOutcome, { is: "succeeded" }>): Promise<AgentOutcome> {
    const directory = this.#around.spool.outputsOf(attempt.id);
    const send = outcome.outputs.map(async ({ name, sha256, size, transient }, index) => {
      if (transient) return undefined;
      try {
        await this.#around.transfer.upload(sha256, outputPath(directory, index), size, attempt.given);
        return undefined;
      } catch (error) {
        return `The output "${name}" could not be sent: ${sentenceOf(error)}.`;
      }
    });
    const failures = (await Promise.all(send)).filter((failure) => failure !== undefined);
    if (failures.length === 0) return outcome;
    const detail = failures.join(" ").slice(0, 4000);
    return attempt.verdict ?? { is: "failed", reason: "staging", exitCode: 0, detail };
  }

  #watchedTask(attempt: Attempt): AdaptiveTask | undefined {
    const places = this.#runnerOf(attempt)?.placesOf(attempt);
    return places && new AdaptiveTask(attempt, places, this.#around.transfer);
  }

  /**
   * Ends an attempt when its restart files are safe, or after the patience. If its time is up it goes on elsewhere, but only
   * if it got so far as to leave something to go on from.
   */
  #leave(attempt: Attempt, verdict: Verdict, patienceMs: number): void {
    if (attempt.leaving || attempt.verdict) return;
    const isUp = verdict.is === "failed" && verdict.reason === "time-limit";
    if (attempt.phase !== "running" || !attempt.assignment.adaptive?.restart.length) {
      this.#end(attempt, verdict);
      return;
    }
    attempt.leaving = true;
    attempt.adaptive ??= this.#watchedTask(attempt);
    const leave = async () => {
      await attempt.adaptive?.checkpoint(patienceMs, AbortSignal.timeout(patienceMs * 2));
      const goesOn = isUp && attempt.adaptive?.restart.set !== undefined;
      this.#end(attempt, goesOn ? { is: "cancelled", reason: "moved-wall-time" } : verdict);
    };
    this.#aside(attempt, leave());
  }

  #exceeded(attempt: Attempt, verdict: Verdict): void {
    if (verdict.is === "failed" && verdict.reason === "time-limit") this.#leave(attempt, verdict, leavePatienceMs);
    else this.#end(attempt, verdict);
  }

  /** Whom we speak with has forgotten what it was told. */
  tellProgressAgain(): void {
    for (const { adaptive } of this.#attempts.values()) adaptive?.tellAgain();
  }

  /** Ends an attempt early. The first reason given stands. */
  #end(attempt: Attempt, verdict: Verdict | Extract<AgentOutcome, { is: "lost" }>): void {
    if (!attempt.judge(verdict)) return;
    if (attempt.phase === "queued") this.#aside(attempt, this.#conclude(attempt, verdict));
    if (attempt.phase !== "running") return;
    try {
      if (verdict.is !== "lost") this.#around.spool.judge(attempt.id, verdict);
    } catch (error) {
      // A full disk, perhaps by this very task: all the more reason to end it.
      log(`${attempt.id}: why it is ended could not be written to disk: ${sentenceOf(error)}`);
    }
    this.#aside(attempt, this.#strike(attempt));
  }

  /** Again and again: just after its start the program may not yet run under the account that is struck. */
  async #strike(attempt: Attempt): Promise<void> {
    while (attempt.phase === "running") {
      try {
        await this.#runnerOf(attempt)?.strike(attempt);
      } catch (error) {
        log(`${attempt.id}: could not be struck: ${sentenceOf(error)}`);
      }
      await delay(strikeAgainMs, undefined, { ref: false });
    }
  }

  /** Lets something go on by itself; what goes wrong with one attempt must not end the agent. */
  #aside(attempt: Attempt, work: Promise<void>): void {
    work.catch((error) => log(`${attempt.id}: ${sentenceOf(error)}`));
  }

  #discard(attempt: Attempt | undefined): void {
    if (!attempt) return;
    attempt.discarded = true;
    if (attempt.phase === "ended") this.#forget(attempt);
    else this.#end(attempt, { is: "cancelled" });
  }

  #forget(attempt: Attempt): void {
    this.#attempts.delete(attempt.id);
    this.#journal.forget(attempt.id).catch((error) => log(`${attempt.id}: ${sentenceOf(error)}`));
    if (!attempt.spooled) return;
    try {
      this.#around.spool.remove(attempt.id);
    } catch (error) {
      log(`${attempt.id}: its directory could not be removed: ${sentenceOf(error)}`);
    }
  }

  /** Of everything that runs, as far as there is time. */
  async #saveRestartFiles(patienceMs: number): Promise<void> {
    const movable = [...this.#running()].filter(({ assignment }) => assignment.adaptive?.restart.length);
    if (movable.length === 0) return;
    const save = movable.map(async (attempt) => {
      attempt.leaving = true;
      attempt.adaptive ??= this.#watchedTask(attempt);
      await attempt.adaptive?.checkpoint(patienceMs, AbortSignal.timeout(patienceMs));
    });
    await Promise.race([Promise.allSettled(save), delay(patienceMs, undefined, { ref: false })]);
  }

  *#running(): Iterable<Attempt> {
    for (const attempt of this.#attempts.values()) if (attempt.phase === "running") yield attempt;
  }

  #runnerOf(attempt: Attempt): SlotRunner | undefined {
    return attempt.slot && this.#runners.get(attempt.slot.number);
  }

  get hasOutput(): boolean {
    for (const attempt of this.#running()) if (attempt.output.hasNews) return true;
    return false;
  }

  /** Enough to do for a while: nobody here waits for an answer. */
  get hasPlenty(): boolean {
    return this.#queue.length > plentyPerSlot * this.#runners.size;
  }

  get isEmpty(): boolean {
    return this.#attempts.size === 0;
  }

  async processesAtWork(): Promise<readonly number[] | undefined> {
    const running = [...this.#running()];
    if (running.length === 0) return undefined;
    for (const { phase } of this.#attempts.values())
      if (phase === "staging" || phase === "collecting") return undefined;
    const all = await listProcesses();
    return running.flatMap(({ slot, processes }) =>
      slot && processes ? this.#around.isolation.members(slot, processes, all).map(({ pid }) => pid) : [],
    );
  }

  get hasNothingOpen(): boolean {
    for (const { ended } of this.#attempts.values()) if (!ended) return false;
    return true;
  }

  /** `live`: also output of tasks that still run. */
  report(live: boolean): Report {
    this.#untold = 0;
    return reportOf(this.#attempts, live);
  }

  /** Ends everything, each attempt as lost without blame; returns when that is safe in the spool, or after `patienceMs`. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopping = true;
    this.#limits.stop();
    this.#adaptive.stop();
    await this.#saveRestartFiles(patienceMs * savingShare);
    const open = [...this.#attempts.values()].filter(({ ended }) => !ended);
    for (const attempt of open) this.#end(attempt, { is: "lost", reason: "agent-stopped" });
    for (const until = Date.now() + patienceMs; !this.hasNothingOpen && Date.now() < until; ) await delay(10);
  }
}
