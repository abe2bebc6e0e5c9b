/**
 * The journal as a model: what is committed, and nothing else. It holds the lease, refuses batches of an engine that no
 * longer has it, and gives a run back the way recovery reads it from the database.
 */
import { type AttemptRef, attemptId } from "@/core/engine/ids";
import { isMove, type MoveReason, type Outcome } from "@/core/engine/outcome";
import type {
  Command,
  RecoveredAttempt,
  RecoveredChange,
  RecoveredCheckpoint,
  RecoveredRun,
  RunPlan,
  TaskHistory,
} from "@/core/engine/plan";
import type { Policies } from "@/core/engine/policy";
import type { JournalRecord, Placement } from "@/core/engine/ports";
import type { RunState } from "@/core/engine/task-state";
import { extendPlan } from "./workload";

export interface StoredAttempt {
  epoch: number;
  agent: string;
  cluster: string;
  host: string;
  because: Placement;
  sentAt: number;
  deadlineAt?: number;
  startedAt?: number;
  moving?: MoveReason;
  /** In the order of all records. */
  place: number;
  outcome?: Outcome;
}

export interface StoredRun {
  /** Another one after tasks were added. */
  plan: RunPlan;
  /** As the people who may change them last asked. */
  policies: Policies;
  /** Those before as well. */
  readonly everyPolicies: Policies[];
  state: RunState;
  states: Uint8Array;
  /** By task, in the order of their ordinals. */
  readonly attempts: StoredAttempt[][];
  /** Failures and losses since the last `run-retried` event. */
  readonly failures: number[];
  readonly losses: number[];
  readonly memoryKills: number[];
  killsRequested: number;
  readonly reused: Set<number>;
  /** Tasks that handed in others. */
  readonly spawned: Set<number>;
  /** The last restart files, and what a task needs otherwise than described, of tasks that have not succeeded. */
  readonly checkpoints: Map<number, RecoveredCheckpoint & { place: number }>;
  readonly changes: Map<number, RecoveredChange>;
}

/** Looks at every committed batch; the simulation's checks are one. */
export interface JournalWatcher {
  beforeRecord(record: JournalRecord): void;
  afterRecord(record: JournalRecord): void;
  afterBatch(epoch: number, records: readonly JournalRecord[]): void;
}

export class JournalModel {
  readonly runs = new Map<string, StoredRun>();
  readonly commands = new Map<string, Command & { done: boolean }>();
  /** Rises with every commit. */
  version = 0;
  private places = 0;
  epoch = 0;
  watcher: JournalWatcher | undefined;

  /** Takes the lease: whoever had it before has it no more. */
  takeLease(): number {
    this.epoch += 1;
    return this.epoch;
  }

  submit(plan: RunPlan): void {
    this.runs.set(plan.id, {
      plan,
      policies: plan.policies ?? {},
      everyPolicies: [plan.policies ?? {}],
      state: "queued",
      states: new Uint8Array(plan.taskCount),
      attempts: Array.from({ length: plan.taskCount }, () => []),
      failures: Array.from({ length: plan.taskCount }, () => 0),
      losses: Array.from({ length: plan.taskCount }, () => 0),
      memoryKills: Array.from({ length: plan.taskCount }, () => 0),
      killsRequested: 0,
      reused: new Set(),
      spawned: new Set(),
      checkpoints: new Map(),
      changes: new Map(),
    });
  }

  request(command: Command): void {
    this.commands.set(command.id, { ...command, done: false });
    if (command.kind === "kill") this.run(command.run).killsRequested += 1;
    if (command.kind !== "change-policies") return;
    const run = this.run(command.run);
    run.policies = command.policies;
    run.everyPolicies.push(command.policies);
  }

  /** False if the writer no longer holds the lease: nothing is written. */
  commit(epoch: number, records: readonly JournalRecord[]): boolean {
    if (!this.mayWrite(epoch)) return false;
    for (const record of records) {
      this.watcher?.beforeRecord(record);
      this.apply(record, epoch);
      this.watcher?.afterRecord(record);
    }
    this.version += 1;
    this.watcher?.afterBatch(epoch, records);
    return true;
  }

  protected mayWrite(epoch: number): boolean {
    return epoch === this.epoch;
  }

  run(id: string): StoredRun {
    const run = this.runs.get(id);
    if (!run) throw new Error(`the journal has no run ${id}`);
    return run;
  }

  attempt({ run, task, ordinal }: AttemptRef): StoredAttempt | undefined {
    return this.runs.get(run)?.attempts[task]?.[ordinal - 1];
  }

  recovered(id: string): RecoveredRun {
    const run = this.run(id);
    const attempts: TaskHistory[] = [];
    const open: RecoveredAttempt[] = [];
    run.attempts.forEach((list, task) => {
      if (list.length === 0) return;
      const won = list.findLastIndex(({ outcome }) => outcome?.is === "succeeded") + 1;
      const good = list[won - 1]?.outcome;
      const answer = good?.is === "succeeded" ? good.exitCode : undefined;
      attempts.push({
        ...{ task, ordinal: list.length, failures: run.failures[task]!, losses: run.losses[task]! },
        ...{ memoryKills: run.memoryKills[task]!, ...(won > 0 ? { won } : {}) },
        ...(answer === undefined ? {} : { answer }),
      });
      list.forEach(({ outcome, place: _, ...attempt }, index) => {
        if (!outcome) open.push({ ...attempt, attempt: { run: id, task, ordinal: index + 1 } });
      });
    });
    const checkpoints = [...run.checkpoints.values()].map(({ place: _, ...set }) => set);
    const changes = [...run.changes.values()];
    return {
      state: run.state,
      states: run.states.slice(),
      attempts,
      open,
      spawned: [...run.spawned],
      checkpoints,
      changes,
    };
  }

  private apply(record: JournalRecord, epoch: number): void {
    this.places += 1;
    switch (record.is) {
      case "run-state":
        this.run(record.run).state = record.state;
        break;
      case "task-state":
        this.run(record.run).states[record.task] = record.state;
        break;
      case "attempt": {
        const { attempt, agent, cluster, host, because, at, deadlineAt } = record;
        const deadline = deadlineAt === undefined ? {} : { deadlineAt };
        this.run(attempt.run).attempts[attempt.task]!.push({
          epoch,
          agent,
          cluster,
          host,
          because,
          sentAt: at,
          place: this.places,
          ...deadline,
        });
        break;
      }
      case "spawned":
        this.grow(this.run(record.by.run), record.by.task);
        break;
      case "reused":
        this.run(record.run).reused.add(record.task);
        break;
      case "attempt-started":
        this.known(record.attempt).startedAt = record.at;
        break;
      case "checkpoint": {
        const { attempt, files, at } = record;
        const { task, ordinal } = attempt;
        const { checkpoints } = this.run(attempt.run);
        if (files.length === 0) checkpoints.delete(task);
        else checkpoints.set(task, { task, ordinal, files, at, place: this.places });
        break;
      }
      case "move":
        this.known(record.attempt).moving = record.reason;
        break;
      case "task-change": {
        const { is: _, run, at: __, ...change } = record;
        this.run(run).changes.set(record.task, change);
        break;
      }
      case "samples":
        break;
      case "outcome":
        this.known(record.attempt).outcome = record.outcome;
        this.count(this.run(record.attempt.run), record.attempt.task, record.outcome);
        break;
      case "event":
        if (record.code === "run-retried") {
          const run = this.run(record.run);
          for (const column of [run.failures, run.losses, run.memoryKills]) column.fill(0);
        }
        break;
      case "command-done": {
        const command = this.commands.get(record.command);
        if (command) command.done = true;
      }
    }
  }

  private grow(run: StoredRun, by: number): void {
    const before = run.plan.taskCount;
    run.plan = extendPlan(run.plan, by);
    run.spawned.add(by);
    const states = new Uint8Array(run.plan.taskCount);
    states.set(run.states);
    run.states = states;
    for (let task = before; task < run.plan.taskCount; task += 1) {
      run.attempts.push([]);
      for (const column of [run.failures, run.losses, run.memoryKills]) column.push(0);
    }
  }

  private known(attempt: AttemptRef): StoredAttempt {
    const stored = this.attempt(attempt);
    if (!stored) throw new Error(`the journal has no attempt ${attemptId(attempt)}`);
    return stored;
  }

  private count(run: StoredRun, task: number, outcome: Outcome): void {
    if (outcome.is === "succeeded") {
      run.checkpoints.delete(task);
      run.changes.delete(task);
      return;
    }
    if (isMove(outcome)) return;
    if (outcome.is === "failed") run.failures[task]! += 1;
    else run.losses[task]! += 1;
    if (outcome.is === "failed" && outcome.reason === "memory-limit") run.memoryKills[task]! += 1;
  }
}
