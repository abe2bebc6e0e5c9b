/**
 * What must hold, checked after each event. `JournalChecks` judges every record as it is committed, `checkCore` the
 * reactor's memory, and the functions below them what workers see. A broken rule throws a {@link Violation}.
 */
import { type AttemptRef, attemptId, parseAttemptId } from "@/core/engine/ids";
import type { Outcome } from "@/core/engine/outcome";
import type { ClusterPolicy, TaskProfile } from "@/core/engine/plan";
import { defaultMaxReplicas } from "@/core/engine/policy";
import type { JournalRecord, ToAgent } from "@/core/engine/ports";
import { atCategoryLimit, isEligible } from "@/core/engine/room";
import type { Settings } from "@/core/engine/settings";
import type { Agent, Core, Run } from "@/core/engine/state";
import { TaskState, taskStateNames } from "@/core/engine/task-state";
import { isLegalTransition, neighbours, toTaskState } from "@/core/engine/task-table";
import type { JournalModel, JournalWatcher, StoredAttempt, StoredRun } from "./journal-model";
import { shortAttempt } from "./names";
import type { Introduction } from "./worker";
import { muchMemory, needsMuchMemory } from "./workload";

export class Violation extends Error {}

function insist(holds: boolean, sentence: () => string): void {
  if (!holds) throw new Violation(sentence());
}

const name = (ref: AttemptRef) => shortAttempt(attemptId(ref));

interface Asked {
  cores: number;
  memoryBytes: number;
}

type Totals = Asked & { attempts: number };

/** What attempts ask for, by what shares room: an attempt by itself, or those of one cluster of tasks. */
type Promised = Map<string, Map<string, Asked>>;

export class JournalChecks implements JournalWatcher {
  /** What is promised by each agent and not ended. */
  private readonly promised = new Map<string, Promised>();

  constructor(
    private readonly model: JournalModel,
    private readonly settings: Pick<Settings, "aheadPerSlot" | "lossLimit">,
    private readonly introductionOf: (agent: string) => Introduction | undefined,
  ) {}

  beforeRecord(record: JournalRecord): void {
    if (record.is === "attempt") this.attempt(record);
    if (record.is === "outcome") {
      const stored = this.model.attempt(record.attempt);
      insist(stored !== undefined, () => `the outcome of ${name(record.attempt)} is recorded, but no attempt`);
      insist(stored?.outcome === undefined, () => `a second outcome of ${name(record.attempt)} is recorded`);
      this.promise(stored?.agent ?? "", record.attempt, stored?.because, -1);
    }
    if (record.is === "spawned") this.spawn(record);
    if (record.is === "task-state") this.transition(this.model.run(record.run), record.task, record.state);
    if (record.is === "move") {
      const stored = this.model.attempt(record.attempt);
      insist(
        stored !== undefined && !stored.outcome,
        () => `${name(record.attempt)} is to move, but it is not under way`,
      );
      insist(stored?.moving === undefined, () => `${name(record.attempt)} moves twice`);
    }
    if (record.is === "command-done") {
      insist(this.model.commands.get(record.command)?.done === false, () => `${record.command} is done twice`);
    }
  }

  afterRecord(record: JournalRecord): void {
    if (record.is === "attempt") {
      const { attempts, cores, memoryBytes } = this.promise(record.agent, record.attempt, record.because, 1);
      const { slots = 0, host } = this.introductionOf(record.agent) ?? {};
      const ahead = 1 + this.settings.aheadPerSlot;
      const prefetch = this.anyPrefetch();
      const room = slots * ahead * (prefetch ? 2 : 1);
      insist(attempts <= room, () => `${attempts} attempts are promised to an agent with room for ${room}`);
      // Concurrency counts tasks, whatever they ask for.
      insist(prefetch || cores <= room, () => `${cores} cores are promised to an agent with room for ${room}`);
      const memory = (host?.memoryBytes ?? 0) * ahead;
      insist(memoryBytes <= memory, () => `${memoryBytes} bytes are promised of the ${memory} of an agent`);
    }
    if (record.is === "run-state") this.runState(this.model.run(record.run));
  }

  afterBatch(epoch: number, records: readonly JournalRecord[]): void {
    insist(epoch === this.model.epoch, () => `engine ${epoch} wrote under the lease of engine ${this.model.epoch}`);
    const touched = new Set(records.flatMap((record) => ("run" in record ? [record.run] : [])));
    for (const id of touched) this.consistent(this.model.run(id));
  }

  /** Tasks of one cluster of tasks follow each other: together they take what the largest of them asks for. */
  private promise(agent: string, ref: AttemptRef, because: string | undefined, change: 1 | -1): Totals {
    const mine = this.promised.get(agent) ?? new Map<string, Map<string, Asked>>();
    this.promised.set(agent, mine);
    const unit = because === "replica" ? -1 : (this.model.run(ref.run).plan.unitOf?.[ref.task] ?? -1);
    const key = unit < 0 ? name(ref) : `${ref.run} unit ${unit}`;
    const room = mine.get(key) ?? new Map<string, Asked>();
    if (change === 1) room.set(name(ref), this.asks(ref));
    else room.delete(name(ref));
    if (room.size === 0) mine.delete(key);
    else mine.set(key, room);
    const total = (of: (each: Asked) => number) =>
      [...mine.values()].reduce((sum, each) => sum + Math.max(...[...each.values()].map(of)), 0);
    return { attempts: mine.size, cores: total(({ cores }) => cores), memoryBytes: total((each) => each.memoryBytes) };
  }

  /** Without what was added because it was too little. */
  private asks(ref: AttemptRef): Asked {
    const { cores = 1, memoryBytes = 0 } = profileOf(this.model.run(ref.run), ref.task) ?? {};
    return { cores, memoryBytes };
  }

  /** Some run lets hosts hold twice as much as they run, or did. */
  private anyPrefetch(): boolean {
    return [...this.model.runs.values()].some(({ everyPolicies }) =>
      everyPolicies.some(({ concurrency }) => concurrency),
    );
  }

  private spawn({ by, first, tasks }: Extract<JournalRecord, { is: "spawned" }>): void {
    const run = this.model.run(by.run);
    insist(first === run.plan.taskCount, () => `${name(by)} adds tasks from ${first} on to ${run.plan.taskCount}`);
    insist(!run.spawned.has(by.task), () => `task ${by.task} of ${by.run} adds tasks a second time`);
    const good = this.model.attempt(by)?.outcome?.is === "succeeded";
    insist(good, () => `${name(by)} adds tasks without having succeeded`);
    insist(tasks >= first, () => `${name(by)} takes tasks away`);
  }

  private replica(run: StoredRun, ref: AttemptRef, host: string, open: readonly StoredAttempt[]): void {
    // A change that was asked for a moment ago may not have reached the engine yet.
    const asked = run.everyPolicies.some(({ replicationRequirements }) => replicationRequirements !== undefined);
    insist(asked, () => `${name(ref)} is a replica that no policy asks for`);
    insist(open.length < defaultMaxReplicas, () => `${name(ref)} is one replica too many`);
    const elsewhere = open.every((other) => other.host !== host);
    insist(elsewhere, () => `${name(ref)} is placed beside itself on ${host}`);
  }

  private attempt({ attempt: ref, because, host, agent, cluster }: Extract<JournalRecord, { is: "attempt" }>): void {
    const run = this.model.run(ref.run);
    const { owner = run.plan.ownerId } = this.introductionOf(agent) ?? {};
    insist(owner === run.plan.ownerId, () => `${name(ref)} is handed to an agent that works for ${owner} only`);
    const failedBefore = run.attempts[ref.task]?.some(({ outcome }) => outcome?.is === "failed") ?? false;
    insist(cluster !== "rescue" || failedBefore, () => `${name(ref)} is handed to the fail-over cluster at once`);
    const hasMuch = this.introductionOf(agent)?.host.memoryBytes === muchMemory;
    const needsMuch = requirementOf(run, ref.task) === needsMuchMemory;
    insist(hasMuch || !needsMuch, () => `${name(ref)} is handed out to a host that does not meet its requirement`);
    const before = run.attempts[ref.task] ?? [];
    insist(run.state === "running", () => `${name(ref)} is handed out in a run that is ${run.state}`);
    insist(!run.changes.get(ref.task)?.held, () => `${name(ref)} is handed out although it waits for a person`);
    insist(before.length === ref.ordinal - 1, () => `${name(ref)} does not follow attempt ${before.length}`);
    const open = before.filter(({ outcome }) => !outcome);
    const state = run.states[ref.task];
    const wanted = because === "replica" ? TaskState.running : TaskState.ready;
    insist(state === wanted, () => `${name(ref)} (${because}) is handed out while its task is ${stateName(state)}`);
    if (because === "replica") this.replica(run, ref, host, open);
    else insist(open.length === 0, () => `${name(ref)} has an open predecessor`);
    for (const predecessor of neighbours(run.plan.predecessors, ref.task)) {
      const over = isOver(run.states[predecessor]);
      insist(over, () => `${name(ref)} is handed out before task ${predecessor} finished`);
    }
    // Whoever has begun goes on, also if a predecessor had to run again and answered otherwise. The author's DONE says that
    // the branch was taken; its task runs after all if its files are missed.
    if (ref.ordinal === 1 && !run.plan.doneTasks.includes(ref.task))
      insist(isOnBranch(run, ref.task), () => `${name(ref)} is not on the branch that was taken`);
  }

  private transition(run: StoredRun, task: number, to: TaskState): void {
    const from = toTaskState(run.states[task]);
    // Of several attempts at once it need not be the last that decides.
    const outcomes = run.attempts[task]?.map(({ outcome }) => outcome) ?? [];
    const byReuse = from === TaskState.waiting && to === TaskState.finished;
    insist(!byReuse || run.reused.has(task) || run.plan.doneTasks.includes(task), () => `task ${task} finishes unrun`);
    const marked = from === TaskState.waiting && run.plan.doneTasks.includes(task);
    const what = () => `task ${task} of ${run.plan.id} goes from ${stateName(from)} to ${stateName(to)}`;
    insist(isLegalTransition(from, to) || (marked && to === TaskState.finished), what);
    const succeeded = run.attempts[task]?.some(({ outcome }) => outcome?.is === "succeeded") ?? false;
    if (to === TaskState.finished)
      insist(marked || succeeded || run.reused.has(task), () => `${what()} without a success`);
    if (to === TaskState.migrating) {
      const moves = run.attempts[task]?.some(({ outcome, moving }) => !outcome && moving !== undefined) ?? false;
      insist(moves, () => `${what()}, but no attempt at it moves`);
    }
    if (to === TaskState.failed) {
      const justified =
        outcomes.some((outcome) => outcome && isFinal(run, task, outcome)) ||
        (run.failures[task] ?? 0) > retriesOf(run, task) ||
        (run.losses[task] ?? 0) >= this.settings.lossLimit;
      insist(justified, () => `${what()} with retries left`);
    }
    if (to === TaskState.skipped) {
      const undecided = [...neighbours(run.plan.predecessors, task)].some((before) => !isOver(run.states[before]));
      insist(!undecided, () => `${what()} before its predecessors are over`);
      insist(!isOnBranch(run, task), () => `${what()} although its branch was taken`);
    }
    if (from === TaskState.finished) {
      // Of several attempts at once it need not be the last that missed them.
      const wanted = [...neighbours(run.plan.successors, task)].some((successor) =>
        run.attempts[successor]?.some(({ outcome }) => outcome?.is === "inputs-missing"),
      );
      insist(wanted, () => `${what()} although nobody misses its files`);
    }
  }

  private runState(run: StoredRun): void {
    if (run.state === "running" || run.state === "queued") return;
    const open = run.attempts.flat().filter(({ outcome }) => !outcome).length;
    insist(open === 0, () => `${run.plan.id} is ${run.state} with ${open} open attempts`);
    const all = run.states.every(isOver);
    const some = (state: TaskState) => run.states.includes(state);
    insist(all === (run.state === "succeeded"), () => `${run.plan.id} is ${run.state}, its tasks say otherwise`);
    insist(run.state !== "failed" || some(TaskState.failed), () => `${run.plan.id} failed, but none of its tasks`);
    insist(run.state !== "killed" || run.killsRequested > 0, () => `${run.plan.id} was killed by nobody`);
    const working = [TaskState.ready, TaskState.running, TaskState.migrating].some(some);
    insist(!working, () => `${run.plan.id} ended with work to do`);
  }

  /** A batch holds whole events, so after each one states, attempts and predecessors fit each other. */
  private consistent(run: StoredRun): void {
    run.states.forEach((state, task) => {
      const open = run.attempts[task]?.some(({ outcome }) => !outcome) ?? false;
      const running = state === TaskState.running || state === TaskState.migrating;
      insist(open === running, () => `task ${task} of ${run.plan.id} is ${stateName(state)}, attempt open: ${open}`);
      const blocked = [...neighbours(run.plan.predecessors, task)].some(
        (predecessor) => !isOver(run.states[predecessor]),
      );
      if (state === TaskState.ready) insist(!blocked, () => `task ${task} of ${run.plan.id} is ready too early`);
      if (state === TaskState.waiting && run.state !== "queued" && task !== run.plan.finalTask && !run.plan.reuse) {
        insist(blocked, () => `task ${task} of ${run.plan.id} waits for nothing`);
      }
    });
  }
}

export function profileOf({ plan }: StoredRun, task: number): TaskProfile | undefined {
  return plan.profiles?.[plan.profileOf?.(task) ?? 0];
}

/** As the running task last changed it, else as it is described. */
function requirementOf(run: StoredRun, task: number): string | undefined {
  return run.changes.get(task)?.requirement ?? profileOf(run, task)?.requirement;
}

function retriesOf(run: StoredRun, task: number): number {
  return profileOf(run, task)?.retries?.times ?? run.plan.retries;
}

/** A way to end after which no retry helps. */
function isFinal(run: StoredRun, task: number, outcome: Outcome): boolean {
  if (outcome.is === "inputs-missing") return run.plan.producers(task, outcome.files).length === 0;
  if (outcome.is !== "failed") return false;
  const unlessExit = profileOf(run, task)?.retries?.unlessExit;
  return outcome.reason === "executable-missing" || (unlessExit !== undefined && outcome.exitCode === unlessExit);
}

function isOver(state: number | undefined): boolean {
  return state === TaskState.finished || state === TaskState.skipped;
}

/** By what is written down, found without the engine's own rule: the answers are the last good outcomes. */
function isOnBranch(run: StoredRun, task: number): boolean {
  const { plan } = run;
  const before = [...neighbours(plan.predecessors, task)];
  const suiting = before.filter((predecessor) => {
    if (run.states[predecessor] !== TaskState.finished) return false;
    const good = run.attempts[predecessor]?.findLast(({ outcome }) => outcome?.is === "succeeded")?.outcome;
    const answer = good?.is === "succeeded" ? (good.exitCode ?? 0) : 0;
    const asked = plan.conditionsOf?.(task).find((condition) => condition.before === predecessor);
    return !asked || asked.exits.some(([from, to]) => answer >= from && answer <= to);
  });
  return plan.isJoin?.(task) && before.length > 0 ? suiting.length > 0 : suiting.length === before.length;
}

function stateName(state: number | undefined): string {
  return taskStateNames[state ?? -1] ?? "nothing";
}

export function checkCore(core: Core): void {
  for (const run of core.runs.values()) checkCounters(run);
  for (const agent of core.agents.values()) {
    for (const flight of agent.open) {
      const known = flight.run.flights.get(flight.task)?.includes(flight) ?? false;
      insist(known, () => `agent ${agent.id} has an attempt of its own`);
    }
  }
  checkNothingIdle(core);
}

function checkCounters(run: Run): void {
  const { tasks, plan } = run;
  const counts = new Int32Array(tasks.counts.length);
  for (let task = 0; task < plan.taskCount; task += 1) {
    const state = tasks.state(task);
    counts[state]! += 1;
    let unfinished = 0;
    for (const predecessor of neighbours(plan.predecessors, task)) {
      if (!isOver(tasks.states[predecessor])) unfinished += 1;
    }
    insist(tasks.remaining[task] === unfinished, () => `task ${task} counts ${tasks.remaining[task]} unfinished`);
    let queued = 0;
    for (const lane of run.lanes.values()) if (lane.ready.has(task)) queued += 1;
    insist(queued === (state === TaskState.ready ? 1 : 0), () => `task ${task} is queued ${queued} times`);
    const flights = run.flights.get(task) ?? [];
    const isOut = state === TaskState.running || state === TaskState.migrating;
    insist(flights.length > 0 === isOut, () => `task ${task} is in flight wrongly`);
    const agents = flights.every((flight) => flight.agent.open.has(flight));
    insist(agents, () => `task ${task} flies without its agent`);
  }
  const agree = counts.every((count, state) => count === tasks.counts[state]);
  insist(agree, () => `${plan.id} counts ${tasks.counts.join(" ")}, but has ${counts.join(" ")}`);
}

/** The reactor's own promise: after every event no ready task is left beside room it may use. */
function checkNothingIdle(core: Core): void {
  for (const run of core.runs.values()) {
    if (run.phase.is !== "going") continue;
    for (const lane of run.lanes.values()) {
      // What changes by itself is looked at once a tick.
      if (lane.ready.size === 0 || lane.shelf.judge.restless || lane.concurrency || atCategoryLimit(lane)) continue;
      // So is a host that a task left a while ago.
      if (lane.particular?.left) continue;
      for (const agent of core.agents.values()) {
        const idle = agent.used.cores < slotsOf(agent) && isEligible(core, lane, agent);
        insist(!idle, () => `${run.plan.id} has ready tasks beside room at ${agent.id}`);
      }
    }
  }
}

function slotsOf({ mode }: Agent): number {
  return mode.is === "joined" ? mode.slots : 0;
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

/** An attempt is sent with the last complete restart files of its task (GW-9), and with nothing else. */
export function checkRestart(message: ToAgent, model: JournalModel): void {
  if (message.is !== "assign") return;
  const { run, task, ordinal } = message.attempt;
  const { checkpoints, attempts } = model.run(run);
  const set = checkpoints.get(task);
  const sentAt = attempts[task]?.[ordinal - 1]?.place ?? 0;
  // A replica may have made others, or shown them to be of no use, since it was handed out.
  if (!set || set.place > sentAt || model.attempt(message.attempt)?.outcome) return;
  const same = JSON.stringify(message.restart) === JSON.stringify(set.files);
  insist(same, () => `${name(message.attempt)} is sent with other restart files than the last complete ones`);
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
