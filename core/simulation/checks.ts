/**
 * What must hold, checked after each event. `JournalChecks` judges every record as it is committed, `checkCore` the
 * reactor's memory, and the functions below them what workers see. A broken rule throws a {@link Violation}.
 */
import { type AttemptRef, attemptId, parseAttemptId } from "@/core/engine/ids";
import type { Outcome } from "@/core/engine/outcome";
import type { ClusterPolicy } from "@/core/engine/plan";
import type { JournalRecord } from "@/core/engine/ports";
import { allows, type Core, type Run } from "@/core/engine/state";
import { TaskState, taskStateNames } from "@/core/engine/task-state";
import { isLegalTransition, neighbours, toTaskState } from "@/core/engine/task-table";
import type { JournalModel, JournalWatcher, StoredRun } from "./journal-model";
import { shortAttempt } from "./names";

export class Violation extends Error {}

function insist(holds: boolean, sentence: () => string): void {
  if (!holds) throw new Violation(sentence());
}

const name = (ref: AttemptRef) => shortAttempt(attemptId(ref));

export class JournalChecks implements JournalWatcher {
  /** Attempts promised to each agent and not ended. */
  private readonly promised = new Map<string, number>();

  constructor(
    private readonly model: JournalModel,
    private readonly slotsOf: (agent: string) => number,
    private readonly lossLimit: number,
  ) {}

  beforeRecord(record: JournalRecord): void {
    if (record.is === "attempt") this.attempt(record.attempt);
    if (record.is === "outcome") {
      const stored = this.model.attempt(record.attempt);
      insist(stored !== undefined, () => `the outcome of ${name(record.attempt)} is recorded, but no attempt`);
      insist(stored?.outcome === undefined, () => `a second outcome of ${name(record.attempt)} is recorded`);
      this.promise(stored?.agent ?? "", -1);
    }
    if (record.is === "task-state") this.transition(this.model.run(record.run), record.task, record.state);
    if (record.is === "command-done") {
      insist(this.model.commands.get(record.command)?.done === false, () => `${record.command} is done twice`);
    }
  }

  afterRecord(record: JournalRecord): void {
    if (record.is === "attempt") {
      const total = this.promise(record.agent, 1);
      const slots = this.slotsOf(record.agent);
      insist(total <= slots, () => `${total} attempts are promised to an agent with room for ${slots}`);
    }
    if (record.is === "run-state") this.runState(this.model.run(record.run));
  }

  afterBatch(epoch: number, records: readonly JournalRecord[]): void {
    insist(epoch === this.model.epoch, () => `engine ${epoch} wrote under the lease of engine ${this.model.epoch}`);
    const touched = new Set(records.flatMap((record) => ("run" in record ? [record.run] : [])));
    for (const id of touched) this.consistent(this.model.run(id));
  }

  private promise(agent: string, change: number): number {
    const total = (this.promised.get(agent) ?? 0) + change;
    this.promised.set(agent, total);
    return total;
  }

  private attempt(ref: AttemptRef): void {
    const run = this.model.run(ref.run);
    const before = run.attempts[ref.task] ?? [];
    insist(run.state === "running", () => `${name(ref)} is handed out in a run that is ${run.state}`);
    insist(before.length === ref.ordinal - 1, () => `${name(ref)} does not follow attempt ${before.length}`);
    insist(before.at(-1)?.outcome !== undefined || before.length === 0, () => `${name(ref)} has an open predecessor`);
    const state = run.states[ref.task];
    insist(state === TaskState.ready, () => `${name(ref)} is handed out while its task is ${stateName(state)}`);
    for (const predecessor of neighbours(run.plan.predecessors, ref.task)) {
      const finished = run.states[predecessor] === TaskState.finished;
      insist(finished, () => `${name(ref)} is handed out before task ${predecessor} finished`);
    }
  }

  private transition(run: StoredRun, task: number, to: TaskState): void {
    const from = toTaskState(run.states[task]);
    const last = run.attempts[task]?.at(-1)?.outcome;
    const marked = from === TaskState.waiting && run.plan.doneTasks.includes(task);
    const what = () => `task ${task} of ${run.plan.id} goes from ${stateName(from)} to ${stateName(to)}`;
    insist(isLegalTransition(from, to) || (marked && to === TaskState.finished), what);
    if (to === TaskState.finished) {
      insist(marked || last?.is === "succeeded", () => `${what()} without a success`);
    }
    if (to === TaskState.failed) {
      const justified =
        (last?.is === "failed" && last.reason === "executable-missing") ||
        (last?.is === "inputs-missing" && run.plan.producers(task, last.files).length === 0) ||
        (run.failures[task] ?? 0) > run.plan.retries ||
        (run.losses[task] ?? 0) >= this.lossLimit;
      insist(justified, () => `${what()} with retries left`);
    }
    if (from === TaskState.finished) {
      const wanted = [...neighbours(run.plan.successors, task)].some(
        (successor) => run.attempts[successor]?.at(-1)?.outcome?.is === "inputs-missing",
      );
      insist(wanted, () => `${what()} although nobody misses its files`);
    }
  }

  private runState(run: StoredRun): void {
    if (run.state === "running" || run.state === "queued") return;
    const open = run.attempts.flat().filter(({ outcome }) => !outcome).length;
    insist(open === 0, () => `${run.plan.id} is ${run.state} with ${open} open attempts`);
    const all = run.states.every((state) => state === TaskState.finished);
    const some = (state: TaskState) => run.states.includes(state);
    insist(all === (run.state === "succeeded"), () => `${run.plan.id} is ${run.state}, its tasks say otherwise`);
    insist(run.state !== "failed" || some(TaskState.failed), () => `${run.plan.id} failed, but none of its tasks`);
    insist(run.state !== "killed" || run.killsRequested > 0, () => `${run.plan.id} was killed by nobody`);
    insist(!some(TaskState.ready) && !some(TaskState.running), () => `${run.plan.id} ended with work to do`);
  }

  /** A batch holds whole events, so after each one states, attempts and predecessors fit each other. */
  private consistent(run: StoredRun): void {
    run.states.forEach((state, task) => {
      const open = run.attempts[task]?.some(({ outcome }) => !outcome) ?? false;
      const running = state === TaskState.running;
      insist(open === running, () => `task ${task} of ${run.plan.id} is ${stateName(state)}, attempt open: ${open}`);
      const blocked = [...neighbours(run.plan.predecessors, task)].some(
        (predecessor) => run.states[predecessor] !== TaskState.finished,
      );
      if (state === TaskState.ready) insist(!blocked, () => `task ${task} of ${run.plan.id} is ready too early`);
      if (state === TaskState.waiting && run.state !== "queued") {
        insist(blocked, () => `task ${task} of ${run.plan.id} waits for nothing`);
      }
    });
  }
}

function stateName(state: number | undefined): string {
  return taskStateNames[state ?? -1] ?? "nothing";
}

export function checkCore(core: Core): void {
  for (const run of core.runs.values()) checkCounters(run);
  for (const agent of core.agents.values()) {
    for (const flight of agent.open) {
      insist(flight.run.inFlight.get(flight.task) === flight, () => `agent ${agent.id} has an attempt of its own`);
    }
  }
  for (const admin of [false, true]) checkNothingIdle(core, admin);
}

function checkCounters(run: Run): void {
  const { tasks, plan } = run;
  const counts = new Int32Array(tasks.counts.length);
  for (let task = 0; task < plan.taskCount; task += 1) {
    const state = tasks.state(task);
    counts[state]! += 1;
    let unfinished = 0;
    for (const predecessor of neighbours(plan.predecessors, task)) {
      if (tasks.states[predecessor] !== TaskState.finished) unfinished += 1;
    }
    insist(tasks.remaining[task] === unfinished, () => `task ${task} counts ${tasks.remaining[task]} unfinished`);
    insist(tasks.ready.has(task) === (state === TaskState.ready), () => `task ${task} is queued wrongly`);
    const flight = run.inFlight.get(task);
    insist((flight !== undefined) === (state === TaskState.running), () => `task ${task} is in flight wrongly`);
    insist(flight === undefined || flight.agent.open.has(flight), () => `task ${task} flies without its agent`);
  }
  const agree = counts.every((count, state) => count === tasks.counts[state]);
  insist(agree, () => `${plan.id} counts ${tasks.counts.join(" ")}, but has ${counts.join(" ")}`);
}

/** The reactor's own promise: after every event no ready task is left beside a free slot it may use. */
function checkNothingIdle(core: Core, admin: boolean): void {
  const waiting = [...core.runs.values()].find(
    (run) => run.plan.ownerAdmin === admin && run.phase.is === "going" && run.tasks.ready.size > 0,
  );
  if (!waiting) return;
  for (const cluster of core.clusters.values()) {
    if (!allows(cluster, admin)) continue;
    for (const agent of cluster.members) {
      const free = agent.mode.is === "joined" ? agent.mode.slots - agent.open.size : 0;
      insist(free <= 0, () => `${waiting.plan.id} has ready tasks beside ${free} free slots of ${agent.id}`);
    }
  }
}

/** A task is handed only to a cluster that its run may use, by the policy the engine was told last. */
export function checkPermission(
  record: JournalRecord,
  model: JournalModel,
  policies: ReadonlyMap<string, ClusterPolicy>,
): void {
  if (record.is !== "attempt") return;
  const policy = policies.get(record.cluster);
  const { ownerAdmin } = model.run(record.attempt.run).plan;
  const allowed = policy?.enabled === true && (ownerAdmin || policy.access === "everyone");
  insist(allowed, () => `${name(record.attempt)} is handed to ${record.cluster}, which its run may not use`);
}

/** What a worker starts was committed as its own, was never started before, and has no outcome that would be repeated. */
export class ExecutionChecks {
  private readonly started = new Set<string>();

  constructor(private readonly model: JournalModel) {}

  onStart(agent: string, attempt: string, epoch: number): void {
    const ref = parseAttemptId(attempt);
    const stored = ref && this.model.attempt(ref);
    const own = stored?.agent === agent && stored.epoch === epoch;
    insist(own, () => `${shortAttempt(attempt)} is started by an agent to which the journal did not give it`);
    const safe = stored?.outcome;
    const repeated = safe !== undefined && safe.is !== "lost" && safe.is !== "cancelled";
    insist(!repeated, () => `${shortAttempt(attempt)} is started although it has ended: ${safe?.is}`);
    const key = `${attempt} ${agent}`;
    insist(!this.started.has(key), () => `${shortAttempt(attempt)} is started twice`);
    this.started.add(key);
  }

  onAcknowledged(attempt: string, outcome: Outcome | undefined): void {
    const ref = parseAttemptId(attempt);
    const stored = ref && this.model.attempt(ref)?.outcome;
    insist(outcome !== undefined, () => `${shortAttempt(attempt)} is acknowledged before it ended`);
    insist(stored !== undefined, () => `${shortAttempt(attempt)} is acknowledged, but its outcome is not committed`);
    const same = stored?.is === outcome?.is;
    insist(same, () => `${shortAttempt(attempt)} is acknowledged as ${stored?.is}, but was ${outcome?.is}`);
  }
}
