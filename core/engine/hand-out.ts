/**
 * An attempt begins: its intent is written down, its room is taken, and the agent is told once that is committed. The
 * tasks of a cluster (GR-4) go together: the first takes along those that are ready, and takes the room of one.
 */
import { chargeAhead } from "./fair-share";
import { refreshHostAd } from "./host-ad";
import { type Lane, laneOf } from "./lanes";
import { newWatch } from "./monitor";
import type { JournalRecord, Placement, ToAgent } from "./ports";
import { asksNoMore, atCategoryLimit, takeRoom } from "./room";
import { type Agent, type Core, type Flight, type Run, refOf, type Unit } from "./state";
import { TaskState } from "./task-state";

export function reasonFor(run: Run, task: number): Placement {
  if (run.tasks.ordinals[task] === 0) return "first";
  if (run.moved.delete(task)) return "moved";
  return run.late.delete(task) ? "deadline" : "again";
}

type Intent = Extract<JournalRecord, { is: "attempt" }>;

/** The intent is appended first; the ports hold the message back until it is committed. */
export function handOut(core: Core, lane: Lane, task: number, agent: Agent, because: Placement): void {
  if (agent.mode.is !== "joined") throw new Error(`agent ${agent.id} has not joined`);
  const { run } = lane;
  const { cluster, host } = agent.mode;
  const at = core.now();
  const ordinal = run.tasks.ordinals[task]! + 1;
  run.tasks.ordinals[task] = ordinal;
  const { epoch } = core.settings;
  const rank = lane.shelf.judge.hostRank(agent);
  const seconds = lane.deadline?.(agent) ?? Number.POSITIVE_INFINITY;
  const deadlineAt = seconds === Number.POSITIVE_INFINITY ? undefined : at + seconds * 1000;
  const unit = because === "replica" ? undefined : unitFor(run, lane, task, agent);
  const charged = chargeAhead(lane);
  const phase = { is: "sent", at } as const;
  const flight: Flight = {
    run,
    lane,
    task,
    ordinal,
    epoch,
    agent,
    host,
    because,
    sentAt: at,
    deadlineAt,
    unit,
    charged,
    phase,
    watch: newWatch(at),
  };
  addFlight(flight);
  run.told = "";
  const { reserved } = lane;
  if (reserved) {
    reserved.reservedFor = undefined;
    lane.reserved = undefined;
  }
  const attempt = refOf(flight);
  const intent: Intent = { is: "attempt", attempt, agent: agent.id, cluster: cluster.id, host, because, at };
  if (rank !== 0) intent.rank = rank;
  if (deadlineAt !== undefined) intent.deadlineAt = deadlineAt;
  core.ports.journal.append(intent);
  if (run.tasks.states[task] !== TaskState.running) core.move(run, task, TaskState.running);
  core.toTheBack(agent);
  refreshHostAd(core, agent);
  // What is left of it is anybody's again.
  if (reserved) core.offer(reserved);
  core.send(agent.id, assignment(flight));
  if (unit?.open === 1) bringAlong(core, run, lane, unit);
}

export function addFlight(flight: Flight): void {
  const { run, task, lane } = flight;
  const others = run.flights.get(task);
  if (others) others.push(flight);
  else run.flights.set(task, [flight]);
  const { category } = lane.profile;
  if (category !== undefined) run.categories.set(category, (run.categories.get(category) ?? 0) + 1);
  if (lane.profile.adaptive) run.watched.add(flight);
  takeRoom(flight);
}

export function assignment(flight: Flight): ToAgent {
  const { epoch, lane, run, task } = flight;
  const attempt = refOf(flight);
  const restart = run.checkpoints.get(task)?.files;
  return {
    ...{ is: "assign", attempt, epoch },
    ...(lane.memoryLevel === 0 ? {} : { memoryBytes: lane.asks.memoryBytes }),
    ...(restart ? { restart } : {}),
  };
}

/** A task that asks for more than the first of its cluster takes room of its own. */
function unitFor(run: Run, lane: Lane, task: number, agent: Agent): Unit | undefined {
  const number = run.plan.unitOf?.[task] ?? -1;
  if (number < 0) return undefined;
  let unit = run.units.get(number);
  if (unit?.agent !== agent || unit.open === 0) {
    unit = { number, agent, asks: lane.asks, open: 0 };
    run.units.set(number, unit);
  }
  return asksNoMore(lane.asks, unit.asks) ? unit : undefined;
}

/** The ready tasks of the same cluster go with it, as many as one exchange can reasonably carry. */
const mostAlong = 1000;

function bringAlong(core: Core, run: Run, lane: Lane, unit: Unit): void {
  const { unitOf } = run.plan;
  let along = 0;
  for (const other of unitOf ? membersOf(run, unit.number) : []) {
    if (run.tasks.states[other] !== TaskState.ready || laneOf(core, run, other) !== lane) continue;
    if (along >= mostAlong || atCategoryLimit(lane)) return;
    along += 1;
    handOut(core, lane, other, unit.agent, reasonFor(run, other));
  }
}

/** Tasks of each cluster, sorted out once a run. */
const members = new WeakMap<Run, Map<number, number[]>>();

function membersOf(run: Run, unit: number): readonly number[] {
  let byUnit = members.get(run);
  if (!byUnit) {
    byUnit = new Map();
    for (const [task, number] of (run.plan.unitOf ?? []).entries()) {
      if (number < 0) continue;
      const list = byUnit.get(number);
      if (list) list.push(task);
      else byUnit.set(number, [task]);
    }
    members.set(run, byUnit);
  }
  return byUnit.get(unit) ?? [];
}
