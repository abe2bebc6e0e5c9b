/**
 * Moving a running task to another host (GW-7 to GW-9).
 *
 *   wanted   there is a reason. Some reasons bear no delay (its host must not run it any longer); others wait for a host
 *            that has room, and the task goes on working meanwhile
 *   begun    written down, the task is `migrating`, its agent is told to bring the restart files to safety and to end it
 *   ended    the agent reports `cancelled`: the task stands in line again, before those that never began, and its next
 *            attempt gets the last complete set of restart files
 *
 * The intention is in the journal, so an engine that starts in between goes on with it. An agent that dies in between costs
 * at most what was done since the last set. A task that ends by itself before it is stopped has simply ended.
 */
import { laneOf } from "./lanes";
import type { MoveReason, Outcome } from "./outcome";
import type { Particular } from "./particular";
import { commandDone } from "./progress";
import { isEligible } from "./room";
import { type Agent, type Core, type Flight, type Run, refOf } from "./state";
import { makeParticular } from "./task-change";
import { TaskState } from "./task-state";

export interface Wish {
  reason: MoveReason;
  /** The host must not have it any longer, whether or not there is another. */
  urgent: boolean;
  /** Of people who asked: done when the move has begun, or is needless. */
  readonly commands: Set<string>;
  /** For the event: what was seen. */
  readonly args: Readonly<Record<string, string | number>>;
}

export function wantMove(
  core: Core,
  flight: Flight,
  reason: MoveReason,
  { urgent = false, command, ...args }: { urgent?: boolean; command?: string } & Record<string, unknown> = {},
): void {
  const { watch, run, task, ordinal, host } = flight;
  if (flight.phase.is === "cancelling") {
    if (command !== undefined) needless(core, flight, command);
    return;
  }
  const said: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(args)) {
    if (typeof value === "string" || typeof value === "number") said[name] = value;
  }
  run.watched.add(flight);
  if (!watch.wish) {
    watch.wish = { reason, urgent, commands: new Set(), args: said };
    if (!pursue(core, flight)) core.event(run, "migration-wanted", { ordinal, host, reason, ...said }, task);
  } else if (urgent && !watch.wish.urgent) watch.wish.urgent = true;
  if (command === undefined) return;
  if (watch.wish) watch.wish.commands.add(command);
  else commandDone(core, command);
}

function needless(core: Core, { run, task, ordinal, host }: Flight, command: string): void {
  core.event(run, "migration-needless", { ordinal, host }, task);
  commandDone(core, command);
}

/** Begins the move if it can be. Replicas stay where they are: the first of them to end decides. */
export function pursue(core: Core, flight: Flight): boolean {
  const { watch, run, task, phase } = flight;
  const { wish } = watch;
  if (!wish || phase.is === "cancelling" || run.phase.is !== "going") return false;
  if (run.flights.get(task)?.length !== 1 || run.tasks.states[task] !== TaskState.running) return false;
  const lane = laneWithout(core, flight);
  const target = bestHost(core, flight, lane);
  if (!target && !wish.urgent) return false;
  begin(core, flight, wish, target);
  return true;
}

/** For a while it is not to come back to the host it is on. To be called while it is not ready. */
export function leaveHost(core: Core, { run, task, agent }: Flight): void {
  const { mode } = agent;
  const until = core.now() + core.settings.avoidLeftMs;
  makeParticular(core, run, task, { left: mode.is === "joined" ? { host: mode.record.key, until } : undefined });
}

/** Where it would stand: away from the host it is on. */
function laneWithout(core: Core, { run, task, agent }: Flight) {
  const left: Particular["left"] =
    agent.mode.is === "joined"
      ? { host: agent.mode.record.key, until: core.now() + core.settings.avoidLeftMs }
      : undefined;
  if (run.particulars.get(task)?.left?.host !== left?.host) makeParticular(core, run, task, { left });
  return laneOf(core, run, task);
}

export function bestHost(core: Core, flight: Flight, lane = laneOf(core, flight.run, flight.task)): Agent | undefined {
  let best: Agent | undefined;
  let bestRank = Number.NEGATIVE_INFINITY;
  for (const agent of core.free) {
    if (agent.mode.is !== "joined" || agent === flight.agent || isSameHost(agent, flight.agent)) continue;
    if (!isEligible(core, lane, agent)) continue;
    const rank = lane.shelf.judge.hostRank(agent);
    if (best && rank <= bestRank) continue;
    best = agent;
    bestRank = rank;
  }
  return best;
}

function isSameHost({ mode }: Agent, { mode: other }: Agent): boolean {
  return mode.is === "joined" && other.is === "joined" && mode.record === other.record;
}

function begin(core: Core, flight: Flight, wish: Wish, target: Agent | undefined): void {
  const { run, task, ordinal, host, agent } = flight;
  const { reason } = wish;
  const at = core.now();
  const attempt = refOf(flight);
  leaveHost(core, flight);
  core.ports.journal.append({ is: "move", attempt, reason, at });
  core.move(run, task, TaskState.migrating);
  const to: Record<string, string> = target?.mode.is === "joined" ? { to: target.mode.host } : {};
  core.event(run, "migration-begun", { ordinal, host, reason, ...to, ...wish.args }, task);
  flight.phase = { is: "cancelling", since: at, moving: reason };
  finishWish(core, flight);
  core.send(agent.id, { is: "cancel", attempt, checkpoint: true });
}

/** The attempt ended, or its move has begun: those who asked need not wait any longer. */
export function finishWish(core: Core, flight: Flight): void {
  const { wish } = flight.watch;
  flight.watch.wish = undefined;
  for (const command of wish?.commands ?? []) commandDone(core, command);
}

/** How an attempt that was told to move counts; what ended by itself before counts as it ended. */
export function endOfMove({ phase }: Flight, outcome: Outcome): Outcome {
  if (outcome.is !== "cancelled" || outcome.reason !== undefined) return outcome;
  if (phase.is !== "cancelling" || phase.moving === undefined) return outcome;
  return { is: "cancelled", reason: `moved-${phase.moving}` };
}

/** A person asks for it (GW-7). */
export function moveTask(core: Core, run: Run, task: number, command: string): void {
  const flights = run.flights.get(task) ?? [];
  // Asked again: it is wanted already, and done when that has come to something.
  if (flights.some(({ watch }) => watch.wish?.commands.has(command))) return;
  const [flight] = flights;
  if (!flight || flights.length > 1 || run.phase.is !== "going") {
    if (task >= 0 && task < run.plan.taskCount) core.event(run, "migration-needless", {}, task);
    commandDone(core, command);
    return;
  }
  wantMove(core, flight, "asked", { command });
}
