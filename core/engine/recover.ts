/**
 * Taking runs in: a new one from its plan, and one the journal already knows after a restart (or when a person
 * wants to go on with a run that ended long ago). Recovery trusts the journal's states and open attempts and
 * derives everything else, so that what was not written down cannot be missed.
 */
import { expectAgent, rememberAgent } from "./agents";
import { isTaken } from "./branches";
import { addFlight } from "./hand-out";
import { laneOf, mostRaised } from "./lanes";
import { newWatch } from "./monitor";
import { closeFlight } from "./outcomes";
import type { RecoveredAttempt, RecoveredRun, RunPlan } from "./plan";
import { askForResult, becomeReady, forgetRun, isRunnable, moveToRunnable, settle } from "./progress";
import { leaveRoom } from "./room";
import type { Core, Flight, Run } from "./state";
import { makeParticular } from "./task-change";
import { type RunState, TaskState } from "./task-state";
import { neighbours, TaskTable, toTaskState } from "./task-table";

const { waiting, ready, running, finished, cancelled, skipped, migrating } = TaskState;

export function takeRun(core: Core, plan: RunPlan): void {
  if (core.runs.has(plan.id)) return;
  const run = addRun(core, plan);
  const { tasks } = run;
  core.ports.journal.append({ is: "run-state", run: plan.id, state: "running", at: core.now() });
  core.event(run, "run-started", { tasks: plan.taskCount, done: plan.doneTasks.length });
  for (const task of plan.doneTasks) tasks.set(task, finished);
  countRemaining(run);
  const write = (task: number, state: TaskState) =>
    core.ports.journal.append({ is: "task-state", run: plan.id, task, state });
  for (const task of plan.doneTasks) write(task, finished);
  for (let task = 0; task < tasks.taskCount; task += 1) {
    if (tasks.states[task] !== waiting || !isRunnable(run, task)) continue;
    if (!isTaken(run, task)) becomeReady(core, run, task);
    else if (!askForResult(core, run, task)) {
      tasks.set(task, ready);
      write(task, ready);
    }
  }
  wakeLanes(core, run);
  settle(core, run);
}

/** What the journal holds of a run makes no sense. The reactor has let go of it; other runs are not affected. */
export class UnreadableRun extends Error {
  override readonly name = "UnreadableRun";
}

export function recoverRun(core: Core, plan: RunPlan, recovered: RecoveredRun): void {
  if (core.runs.has(plan.id)) return;
  try {
    takeUp(core, plan, recovered);
  } catch (error) {
    letGo(core, plan);
    throw new UnreadableRun(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function letGo(core: Core, plan: RunPlan): void {
  const run = core.runs.get(plan.id);
  if (!run) return;
  forgetRun(core, run);
  // It may stand in a line already, where only runs that go on are served.
  run.phase = { is: "over", state: "failed", at: core.now() };
  for (const flights of run.flights.values()) for (const flight of flights) leaveRoom(flight);
}

function takeUp(core: Core, plan: RunPlan, recovered: RecoveredRun): void {
  if (recovered.state === "queued") {
    takeRun(core, plan);
    return;
  }
  const run = addRun(core, plan);
  const { tasks } = run;
  for (const task of recovered.spawned ?? []) run.spawned.add(task);
  // Before the states, because a task's exceptions decide where it stands while it is ready.
  for (const { task, ordinal, failures, losses = 0, memoryKills = 0, won, answer } of recovered.attempts) {
    tasks.ordinals[task] = ordinal;
    tasks.failures[task] = failures;
    tasks.losses[task] = losses;
    const raised = Math.min(memoryKills, mostRaised(core, run, task));
    if (raised > 0) run.raised.set(task, raised);
    if (failures - raised >= core.settings.failOverAfter) run.failedOver.add(task);
    const isFinished = recovered.states[task] === finished;
    if (isFinished && won !== undefined && won !== ordinal) run.winners.set(task, won);
    if (isFinished && answer !== undefined) run.answers.set(task, answer);
  }
  for (const { task, ...set } of recovered.checkpoints ?? []) run.checkpoints.set(task, set);
  for (const { task, ...change } of recovered.changes ?? []) makeParticular(core, run, task, change);
  for (let task = 0; task < tasks.taskCount; task += 1) tasks.set(task, toTaskState(recovered.states[task]));
  countRemaining(run);
  if (isOver(recovered.state)) {
    const end = { is: "over", state: recovered.state, at: core.now() } as const;
    run.phase = end;
    core.ended.push({ run, end });
    return;
  }
  // Only a kill cancels tasks, so a run that goes on with cancelled ones was being killed. If nothing had been left to
  // cancel, the kill command itself comes again: it is not done before the run is over.
  if (tasks.count(cancelled) > 0) run.phase = { is: "killing", kills: new Set(), retries: new Set() };
  const orphaned = takeFlights(core, run, recovered.open);
  mend(core, run);
  wakeLanes(core, run);
  for (const flight of orphaned) closeFlight(core, flight, { is: "lost", reason: "agent-silent" }, {});
  settle(core, run);
}

/** Returns the attempts of agents that were given up before the run came back. */
function takeFlights(core: Core, run: Run, open: Iterable<RecoveredAttempt>): Flight[] {
  const orphaned: Flight[] = [];
  const at = core.now();
  for (const row of open) {
    const { task, ordinal } = row.attempt;
    if (run.tasks.states[task] !== running && run.tasks.states[task] !== migrating) continue;
    const isGone = core.givenUp.has(row.agent);
    const agent = isGone ? rememberAgent(core, row.agent) : expectAgent(core, row.agent);
    const phase: Flight["phase"] =
      run.phase.is === "killing"
        ? { is: "cancelling", since: at }
        : row.moving !== undefined
          ? { is: "cancelling", since: at, moving: row.moving }
          : row.startedAt === undefined
            ? { is: "sent", at }
            : { is: "started", at: row.startedAt };
    const { epoch, host, because = "first", sentAt = at, deadlineAt } = row;
    const lane = laneOf(core, run, task);
    const flight: Flight = {
      ...{ run, lane, task, ordinal, epoch, agent, host, because, sentAt, deadlineAt },
      ...{ unit: undefined, charged: 0, phase },
      watch: newWatch(at),
    };
    for (const { n, seconds } of row.samples ?? []) {
      flight.watch.sample = Math.max(flight.watch.sample, n);
      run.bestIterations.set(task, Math.min(seconds, run.bestIterations.get(task) ?? seconds));
    }
    addFlight(flight);
    if (isGone) orphaned.push(flight);
  }
  return orphaned;
}

/**
 * A journal that keeps its promises leaves nothing to do here. One that was restored from a copy, or edited by hand, may
 * have states that do not fit each other; a run must not hang for that.
 */
function mend(core: Core, run: Run): void {
  const { tasks } = run;
  const killing = run.phase.is === "killing";
  for (let task = 0; task < tasks.taskCount; task += 1) {
    const state = tasks.states[task];
    const runnable = isRunnable(run, task);
    if ((state === running || state === migrating) && !run.flights.has(task)) {
      if (killing) core.move(run, task, cancelled);
      else moveToRunnable(core, run, task);
    } else if ((state === waiting || state === ready) && killing) core.move(run, task, cancelled);
    else if (state === waiting && runnable) becomeReady(core, run, task);
    else if (state === ready && tasks.remaining[task]! > 0) core.move(run, task, waiting);
  }
}

function addRun(core: Core, plan: RunPlan): Run {
  const run: Run = {
    plan,
    policies: plan.policies ?? {},
    tasks: new TaskTable(plan.taskCount, plan.predecessors, (task) => laneOf(core, run, task).ready),
    flights: new Map(),
    lanes: new Map(),
    raised: new Map(),
    failedOver: new Set(),
    winners: new Map(),
    answers: new Map(),
    late: new Set(),
    replicasWanted: new Set(),
    checking: new Set(),
    spawned: new Set(),
    reused: new Set(),
    categories: new Map(),
    units: new Map(),
    wanted: new Map(),
    passedOver: new Map(),
    checkpoints: new Map(),
    particulars: new Map(),
    watched: new Set(),
    moved: new Set(),
    bestIterations: new Map(),
    byHost: new Map(),
    tail: false,
    wastedSeconds: 0,
    phase: { is: "going" },
    told: "",
  };
  core.runs.set(plan.id, run);
  if (run.policies.concurrency !== undefined) core.prefetching += 1;
  return run;
}

function wakeLanes(core: Core, run: Run): void {
  for (const lane of run.lanes.values()) core.wake(lane);
}

function countRemaining(run: Run): void {
  const { tasks, plan } = run;
  for (let task = 0; task < tasks.taskCount; task += 1) {
    if (tasks.states[task] !== finished && tasks.states[task] !== skipped) continue;
    for (const successor of neighbours(plan.successors, task)) tasks.remaining[successor]! -= 1;
  }
}

function isOver(state: RunState): boolean {
  return state !== "queued" && state !== "running";
}
