/**
 * What happened, as it is told afterwards: one line for each attempt, slot-seconds used and offered, tasks still to do over
 * time. Listens to the engine's journal (what was decided, what counted) and to the hosts (what was really used).
 */
import { type AttemptId, type AttemptRef, attemptId } from "@/core/engine/ids";
import type { JournalRecord } from "@/core/engine/ports";
import { type RunState, TaskState } from "@/core/engine/task-state";
import type { Timeline } from "@/core/simulation/timeline";
import type { Stage } from "./execution";

/** Times in seconds of simulated time. */
export interface AttemptLine {
  run: string;
  task: number;
  ordinal: number;
  cluster: string;
  host: string;
  /** The engine decided. */
  queued: number;
  /** A slot of the host was its own, its program began, its outputs began to travel, the slot was free again. */
  prolog?: number;
  running?: number;
  epilog?: number;
  ended?: number;
  /** The engine knew its outcome. */
  recorded?: number;
  /** As the engine recorded it; `open` if it never did. */
  outcome: "succeeded" | "failed" | "lost" | "cancelled" | "inputs-missing" | "superseded" | "open";
  reason?: string;
  /** Another attempt at the task was under way when this one was decided. */
  replica: boolean;
  /** Its result is the task's result. */
  counts: boolean;
}

export interface RunRecord {
  state: RunState;
  submittedAt: number;
  endedAt?: number;
  incomplete: number;
  /** Times at which a task was finished, in order. */
  readonly finishes: number[];
}

export class Recorder {
  readonly attempts: AttemptLine[] = [];
  readonly runs = new Map<string, RunRecord>();
  lastProgress = 0;
  private openRuns = 0;
  private readonly byId = new Map<AttemptId, AttemptLine>();
  /** Attempts under way at a task, where there are any. */
  private readonly underWay = new Map<string, number>();

  constructor(private readonly timeline: Timeline) {}

  submitted(run: string, tasks: number): void {
    this.openRuns += 1;
    this.runs.set(run, { state: "queued", submittedAt: this.now, incomplete: tasks, finishes: [] });
  }

  get allOver(): boolean {
    return this.openRuns === 0;
  }

  recorded(record: JournalRecord): void {
    switch (record.is) {
      case "attempt":
        this.decided(record);
        break;
      case "outcome":
        this.outcome(record);
        break;
      case "task-state":
        if (record.state === TaskState.finished) this.finished(record.run);
        break;
      case "run-state":
        this.runState(record.run, record.state);
        break;
      default:
        break;
    }
  }

  entered(id: AttemptId, stage: Stage): void {
    const line = this.byId.get(id);
    if (!line) return;
    line[stage] = this.now;
    this.timeline.log(`${short(line)} ${stage} on ${line.host}`);
  }

  /** Nobody waits for it any more: another attempt at its task was faster. */
  superseded(id: AttemptId): void {
    const line = this.byId.get(id);
    if (line?.outcome !== "open") return;
    line.outcome = "superseded";
    this.close(line);
  }

  /** How long a finished attempt computed, and how long its files travelled. */
  timesOf(attempt: AttemptRef): { cluster: string; computeMs: number; transferMs: number } | undefined {
    const { cluster, prolog, running, epilog, ended } = this.byId.get(attemptId(attempt)) ?? {};
    if (cluster === undefined || prolog === undefined || running === undefined) return undefined;
    if (epilog === undefined || ended === undefined) return undefined;
    return { cluster, computeMs: (epilog - running) * 1000, transferMs: (running - prolog + ended - epilog) * 1000 };
  }

  private get now(): number {
    return this.timeline.now / 1000;
  }

  private decided({ attempt, cluster, host }: Extract<JournalRecord, { is: "attempt" }>): void {
    const { run, task, ordinal } = attempt;
    const key = `${run}.${task}`;
    const others = this.underWay.get(key) ?? 0;
    this.underWay.set(key, others + 1);
    const line: AttemptLine = {
      run,
      task,
      ordinal,
      cluster,
      host,
      queued: this.now,
      outcome: "open",
      replica: others > 0,
      counts: false,
    };
    this.attempts.push(line);
    this.byId.set(attemptId(attempt), line);
    this.lastProgress = this.timeline.now;
    this.timeline.log(`engine: ${short(line)} to ${host} of ${cluster}`);
  }

  private outcome({ attempt, outcome }: Extract<JournalRecord, { is: "outcome" }>): void {
    const line = this.byId.get(attemptId(attempt));
    if (!line) return;
    line.outcome = outcome.is === "cancelled" && outcome.reason === "superseded" ? outcome.reason : outcome.is;
    if (outcome.is === "failed" || outcome.is === "lost") line.reason = outcome.reason;
    line.counts = outcome.is === "succeeded";
    this.close(line);
    this.lastProgress = this.timeline.now;
    this.timeline.log(`engine: ${short(line)} ${outcome.is}`);
  }

  private close(line: AttemptLine): void {
    line.recorded = this.now;
    const key = `${line.run}.${line.task}`;
    const left = (this.underWay.get(key) ?? 1) - 1;
    if (left > 0) this.underWay.set(key, left);
    else this.underWay.delete(key);
  }

  private finished(id: string): void {
    const run = this.runs.get(id);
    if (!run) return;
    run.incomplete -= 1;
    run.finishes.push(this.now);
  }

  private runState(id: string, state: RunState): void {
    const run = this.runs.get(id);
    if (!run) return;
    run.state = state;
    this.timeline.log(`engine: run ${id} ${state}`);
    if (state !== "succeeded" && state !== "failed" && state !== "killed") return;
    run.endedAt = this.now;
    this.openRuns -= 1;
  }
}

function short({ run, task, ordinal }: AttemptLine): string {
  return `${run.slice(-4)}.${task}.${ordinal}`;
}
