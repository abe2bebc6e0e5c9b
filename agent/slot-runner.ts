/**
 * One slot and the tasks that run in it, one at a time: prolog, wrapper, the slot's part of the epilog (GW-3). When
 * `perform` or `resume` returns, no process of the task is left and its directory is empty.
 */
import { watch } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentOutcome, Assignment } from "@/core/protocol/agent";
import { includesExit } from "@/core/workflow/exit-codes";
import type { TaskPlaces } from "./adaptive-watch";
import type { Attempt } from "./attempt";
import { runBeside } from "./beside";
import type { Cache } from "./cache";
import { readCandidates } from "./candidates";
import { type Beside, type Commands, resolveCommands } from "./command";
import type { Slot } from "./config";
import { type Failure, failureAround, failureOf } from "./exit-status";
import type { Account, Isolation } from "./isolation/isolation";
import { exceededDirectory, exceededStream } from "./limits";
import { collectOutputs } from "./outputs";
import { startOf, youngestPid } from "./processes";
import type { Shim } from "./shim-choice";
import { ShimProcess } from "./shim-process";
import type { Exit, Placement, Spool } from "./spool";
import { stageInputs, withRestartFiles } from "./staging";
import { taskEnvironment } from "./task-environment";
import type { Transfer } from "./transfer";
import { WorkDirectory } from "./work-directory";

export interface Surroundings {
  spool: Spool;
  cache: Cache;
  transfer: Transfer;
  isolation: Isolation;
  shim: Shim;
  slotsDirectory: string;
  /** As the portal knows it. */
  hostName: string;
  started(attempt: Attempt): void;
}

const lookAgainMs = 1000;
const selectorPatienceMs = 60_000;

export class SlotRunner {
  readonly slot: Slot;
  readonly #around: Surroundings;
  readonly #directory: WorkDirectory;
  #shim: ShimProcess | undefined;

  constructor(slot: Slot, around: Surroundings) {
    this.slot = slot;
    this.#around = around;
    this.#directory = new WorkDirectory(join(around.slotsDirectory, String(slot.number)), around.isolation.owner(slot));
  }

  /** What the shim is to take on; undefined if words of the command do. */
  get #account(): Account | undefined {
    return this.#around.shim.takesAccounts ? this.#around.isolation.account(this.slot) : undefined;
  }

  get directory(): string {
    return this.#directory.path;
  }

  /** Before the first task, when nothing is known of what ran here. */
  async tidy(): Promise<void> {
    await this.#around.isolation.clear(this.slot, undefined);
    await this.#directory.wipe();
  }

  async perform(attempt: Attempt): Promise<AgentOutcome> {
    const { spool, isolation } = this.#around;
    const { assignment } = attempt;
    attempt.slot = this.slot;
    attempt.phase = "staging";
    const outcome = await this.#prepare(attempt);
    if ("is" in outcome) return await this.#leave(attempt, outcome);
    this.#openStreams(attempt);
    this.#shim = this.#shim?.alive ? this.#shim : await ShimProcess.start(this.#around.shim);
    const shim = { pid: this.#shim.pid, start: this.#shim.start };
    const startedAt = Date.now();
    spool.place(attempt.id, { slot: this.slot.number, shim, at: startedAt, stagedBytes: attempt.stagedBytes });
    attempt.processes = {
      attempt: attempt.id,
      shimPid: shim.pid,
      shimStart: shim.start,
      startedAt,
      before: { at: performance.now(), youngest: youngestPid() },
    };
    attempt.startedAt = startedAt;
    attempt.phase = "running";
    this.#around.started(attempt);
    const answer = await this.#shim.run({
      spool: spool.directoryOf(attempt.id),
      ...outcome,
      environment: taskEnvironment(assignment, isolation.places(this.slot, this.directory)),
      workingDirectory: this.directory,
      fileBytes: Math.max(assignment.limits.outputBytes, assignment.limits.streamBytes),
      mostProcesses: isolation.mostProcesses,
      mergeErrors: sharesFile(assignment),
      account: this.#account,
    });
    if (answer === "never") {
      const detail = "The program could not be started in its directory.";
      return await this.#leave(attempt, { is: "failed", reason: "agent-error", detail });
    }
    return await this.#finish(attempt, answer === "vanished" ? spool.exitOf(attempt.id)?.status : answer);
  }

  /** Goes on with an attempt that an earlier agent placed. `never`: it was placed but not started, and may be queued again. */
  async resume(attempt: Attempt, placement: Placement): Promise<AgentOutcome | "never"> {
    attempt.slot = this.slot;
    attempt.phase = "running";
    attempt.startedAt = placement.at;
    attempt.stagedBytes = placement.stagedBytes;
    const { pid, start } = placement.shim;
    attempt.processes = { attempt: attempt.id, shimPid: pid, shimStart: start, startedAt: placement.at };
    const exit = await this.#outlive(attempt.id, placement);
    if (exit !== "never") return await this.#finish(attempt, exit?.status, exit?.at);
    await this.#around.isolation.clear(this.slot, attempt.processes);
    attempt.startedAt = undefined;
    attempt.processes = undefined;
    return "never";
  }

  async strike(attempt: Attempt): Promise<void> {
    if (attempt.processes) await this.#around.isolation.strike(this.slot, attempt.processes);
  }

  async #prepare(attempt: Attempt): Promise<AgentOutcome | Commands> {
    const { assignment } = attempt;
    const words = this.#account ? [] : this.#around.isolation.words(this.slot);
    const commands = resolveCommands(assignment, words);
    if (commands.is === "missing") return { is: "failed", reason: "executable-missing", detail: commands.detail };
    const { cache, transfer, isolation } = this.#around;
    await this.#directory.make(isolation.furniture);
    const staged = withRestartFiles(assignment);
    const failure = await stageInputs(staged, commands.programs, this.#directory, cache, transfer, attempt.given);
    attempt.stagedBytes = staged.inputs.reduce((sum, { size }) => sum + size, 0);
    return attempt.verdict ?? failure ?? (await this.#selectHost(attempt)) ?? commands.commands;
  }

  /** GW-4: where the user's own resource selector has another host in mind, the task goes there instead. */
  async #selectHost(attempt: Attempt): Promise<AgentOutcome | undefined> {
    const { adaptive } = attempt.assignment;
    const words = this.#beside(attempt).selector;
    if (!words || adaptive?.hosts === undefined) return undefined;
    const environment = this.#environmentOf(attempt);
    const call = {
      words,
      directory: this.directory,
      environment,
      input: adaptive.hosts,
      patienceMs: selectorPatienceMs,
    };
    const { exitCode, printed } = await runBeside(call);
    const candidates = readCandidates(printed);
    if (exitCode !== 0 || candidates.length === 0) {
      const detail = `The resource selector named no host (${exitCode === undefined ? "it did not end" : `exit code ${exitCode}`}).`;
      return { is: "failed", reason: "agent-error", detail };
    }
    if (candidates[0]?.host === this.#around.hostName) return undefined;
    attempt.candidates = candidates;
    return { is: "cancelled", reason: "moved-selected" };
  }

  /** What whoever watches a running task that may move has to know. */
  placesOf(attempt: Attempt): TaskPlaces {
    const { spool, isolation } = this.#around;
    return {
      directory: this.directory,
      ownerUid: isolation.owner(this.slot)?.uid ?? process.getuid?.() ?? 0,
      spool: spool.directoryOf(attempt.id),
      evaluator: this.#beside(attempt).evaluator,
      environment: this.#environmentOf(attempt),
    };
  }

  #beside({ assignment }: Attempt): Beside {
    const resolved = resolveCommands(assignment, this.#around.isolation.words(this.slot));
    return resolved.is === "runnable" ? resolved.beside : {};
  }

  #environmentOf({ assignment }: Attempt): Record<string, string> {
    return taskEnvironment(assignment, this.#around.isolation.places(this.slot, this.directory));
  }

  /** A stream that the workflow wants in a file has two names, one in the spool and one in the task's directory. */
  #openStreams({ id, assignment }: Attempt): void {
    const { spool, isolation } = this.#around;
    const names = ["stdout", "stderr", ...(assignment.before || assignment.afterwards ? ["around"] : [])];
    spool.openStreams(id, names, isolation.owner(this.slot));
    const { stdout, stderr } = assignment;
    if (stdout !== undefined) this.#directory.link(spool.streamOf(id, "stdout"), stdout);
    if (stderr !== undefined && stderr !== stdout) this.#directory.link(spool.streamOf(id, "stderr"), stderr);
  }

  /** Waits for a task whose shim another agent started. */
  async #outlive(attempt: string, placement: Placement): Promise<Exit | undefined | "never"> {
    const { spool } = this.#around;
    const watcher = watch(spool.directoryOf(attempt));
    try {
      for (;;) {
        const alive = startOf(placement.shim.pid) === placement.shim.start;
        // In this order: a shim that was seen dead writes nothing more.
        const exit = spool.exitOf(attempt);
        if (exit) return exit;
        if (!alive) return spool.hasStarted(attempt) ? undefined : "never";
        const changed = new Promise((resolve) => watcher.once("change", resolve));
        await Promise.race([changed, delay(lookAgainMs)]);
      }
    } finally {
      watcher.close();
    }
  }

  async #finish(attempt: Attempt, status: number | undefined, at = Date.now()): Promise<AgentOutcome> {
    attempt.phase = "collecting";
    attempt.endedAt = at;
    if (attempt.processes && status !== undefined) attempt.processes.status = status;
    await this.#around.isolation.clear(this.slot, attempt.processes);
    attempt.output.close();
    return await this.#leave(attempt, attempt.verdict ?? (await this.#judge(attempt, status)));
  }

  async #judge(attempt: Attempt, status: number | undefined): Promise<AgentOutcome> {
    if (status === undefined) return { is: "lost", reason: "shim-vanished" };
    const { assignment } = attempt;
    const failure =
      assignment.before || assignment.afterwards ? this.#failureAround(attempt, status) : failureOf(status);
    if (failure && !this.#isAnswer(attempt, failure)) return failure;
    const answer = failure?.exitCode === undefined ? {} : { exitCode: failure.exitCode };
    const wrote = !this.#directory.isUntouched();
    const exceeded = exceededStream(attempt) ?? (wrote ? await exceededDirectory(attempt, this.directory) : undefined);
    if (exceeded) return exceeded;
    if (assignment.outputs.length === 0) return { is: "succeeded", outputs: [], ...answer };
    const { spool, cache, isolation } = this.#around;
    const ownerUid = isolation.owner(this.slot)?.uid ?? process.getuid?.() ?? 0;
    const from = { directory: this.directory, ownerUid };
    const [run = ""] = attempt.id.split(".");
    const collected = await collectOutputs(
      assignment.outputs,
      from,
      { outputs: spool.outputsOf(attempt.id) },
      cache,
      run,
    );
    if (collected.is === "collected") return { is: "succeeded", outputs: collected.outputs, ...answer };
    return { is: "failed", reason: "output-missing", exitCode: 0, ...answer, detail: collected.detail };
  }

  /** An exit code somebody waits for (GW-13), if it is the program's or that of the command after it. */
  #isAnswer({ id, assignment }: Attempt, { reason, exitCode }: Failure): boolean {
    if (!assignment.answers || reason !== "exit-code" || exitCode === undefined) return false;
    if (assignment.before && this.#around.spool.decidedBy(id)?.by === "before") return false;
    return includesExit(assignment.answers, exitCode);
  }

  #failureAround({ id }: Attempt, status: number): Failure | undefined {
    const { spool } = this.#around;
    const decided = spool.decidedBy(id);
    return decided ? failureAround(decided, status, spool.saidAround(id)) : failureOf(status);
  }

  /** Only outputs cannot be told again from what the spool holds, once the directory is gone. */
  async #leave(attempt: Attempt, outcome: AgentOutcome): Promise<AgentOutcome> {
    const hasOutputs = outcome.is === "succeeded" && outcome.outputs.length > 0;
    if (hasOutputs) this.#around.spool.collect(attempt.id, outcome);
    await this.#directory.empty();
    return outcome;
  }
}

/** HTCondor allows one file for output and errors. */
function sharesFile({ stdout, stderr }: Assignment): boolean {
  return stdout !== undefined && stdout === stderr;
}
