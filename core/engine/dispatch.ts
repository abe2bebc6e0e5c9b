/**
 * Handing out: as long as some lane has a ready task and some agent it may use has room, bring the two together.
 * The owner with the least use goes first (fair-share.ts); of its shelves the one with the highest priority, then the
 * one whose bag ranks highest for a free host (GridBot §4.2, Algorithm 1, for one host at a time); then the host that
 * the task prefers; lanes of one shelf take turns. A decision costs the number of shelves, whatever the number of
 * tasks, runs and busy agents; replicas come last, when nothing that was never sent could use the room.
 */
import { handOut, reasonFor } from "./hand-out";
import { HostHeap } from "./host-heap";
import { type Lane, laneOf, type Owner, type Shelf } from "./lanes";
import { handOutReplicas } from "./replicate";
import { asksNoMore, atCategoryLimit, hasRoom, isEligible, isWelcome } from "./room";
import type { Agent, Core, Run } from "./state";
import { TaskState } from "./task-state";

/** With so many free agents or fewer, looking at all of them is cheaper than being told of each that becomes free. */
const fewAgents = 64;

export function dispatch(core: Core): void {
  for (let next = core.following.shift(); next; next = core.following.shift()) follow(core, next.run, next.task);
  while (core.free.size > 0) {
    const choice = choose(core);
    if (!choice) break;
    place(core, choice);
  }
  if (core.free.size > 0) handOutReplicas(core);
}

interface Choice {
  shelf: Shelf;
  lane: Lane;
  agent: Agent;
  bagRank: number;
}

function choose(core: Core): Choice | undefined {
  for (;;) {
    const owner = neediest(core);
    if (!owner) return undefined;
    const choice = bestOf(core, owner);
    if (choice) return choice;
  }
}

/** Of the owners with a shelf that is hungry and not blocked, the one with the lowest pass. */
function neediest(core: Core): Owner | undefined {
  let neediest: Owner | undefined;
  for (const owner of core.hungry) {
    if (owner.hungry.size === 0) {
      core.hungry.delete(owner);
      if (owner.shelves.size === 0) core.owners.delete(owner.id);
      continue;
    }
    if (neediest && neediest.pass <= owner.pass) continue;
    for (const shelf of owner.hungry) {
      if (shelf.blocked) continue;
      neediest = owner;
      break;
    }
  }
  return neediest;
}

/** Blocks the shelves for which there is nobody. */
function bestOf(core: Core, owner: Owner): Choice | undefined {
  let best: Choice | undefined;
  for (const shelf of owner.hungry) {
    if (shelf.blocked || (best && shelf.priority < best.shelf.priority)) continue;
    const lane = firstLane(shelf);
    if (!lane) {
      owner.hungry.delete(shelf);
      // An order of few hosts is made again sooner than it is kept up.
      if (core.free.size <= fewAgents) core.forgetOrder(shelf);
      continue;
    }
    const agent = bestAgent(core, shelf, lane);
    if (!agent) {
      shelf.blocked = true;
      continue;
    }
    const choice = { shelf, lane, agent, bagRank: shelf.judge.bagRank(agent) };
    if (!best || goesBefore(choice, best)) best = choice;
  }
  return best;
}

/** Among equals, whoever has stood in line longest. */
function goesBefore(a: Choice, b: Choice): boolean {
  if (a.shelf.priority !== b.shelf.priority) return a.shelf.priority > b.shelf.priority;
  return a.bagRank === b.bagRank ? a.lane.stamp < b.lane.stamp : a.bagRank > b.bagRank;
}

/** The head of the line. Lanes that lost their ready tasks, moved or may not go on fall out here. */
function firstLane(shelf: Shelf): Lane | undefined {
  for (;;) {
    const lane = shelf.line.peek();
    if (!lane) return undefined;
    const mine = lane.shelf === shelf;
    if (mine && lane.run.phase.is === "going" && lane.ready.size > 0 && !atCategoryLimit(lane)) return lane;
    shelf.line.shift();
    if (mine) lane.standing = false;
  }
}

function bestAgent(core: Core, shelf: Shelf, lane: Lane): Agent | undefined {
  const near = nearAgent(core, lane);
  if (near) return near.agent;
  return heapOf(core, shelf).best((agent) => isFreeFor(core, lane, agent));
}

function isFreeFor(core: Core, lane: Lane, agent: Agent): boolean {
  return core.free.has(agent) && isEligible(core, lane, agent);
}

function heapOf(core: Core, shelf: Shelf): HostHeap {
  let { heap } = shelf;
  // Agents that were taken meanwhile are dropped when they come up; when most of it is such, it is made anew.
  if (!heap || heap.size > 4 * core.free.size + fewAgents) {
    const { judge } = shelf;
    heap = new HostHeap((agent) => judge.hostRank(agent));
    for (const agent of core.free) if (judge.matches(agent)) heap.push(agent, judge.hostRank(agent));
    shelf.heap = heap;
    core.ordering.add(shelf);
  }
  return heap;
}

/** How many of the tasks that would be near their inputs are looked at in one decision. */
const mostNear = 16;

/** A ready task whose inputs are on an agent that has room (GR-9); only where no rank says which host is better. */
function nearAgent(core: Core, lane: Lane): { task: number; agent: Agent } | undefined {
  const { near, run } = lane;
  const { hostRank, bagRank } = lane.shelf.judge.terms;
  if (near.length === 0 || hostRank || bagRank) return undefined;
  for (let looked = 0; looked < mostNear && looked < near.length; looked += 1) {
    const at = near.length - 1 - looked;
    const hint = near[at]!;
    if (run.tasks.states[hint.task] !== TaskState.ready || !core.agents.has(hint.agent.id)) near.splice(at, 1);
    else if (isFreeFor(core, lane, hint.agent)) return hint;
  }
  return undefined;
}

function place(core: Core, { shelf, lane, agent }: Choice): void {
  shelf.line.shift();
  lane.standing = false;
  const near = nearAgent(core, lane);
  const task = near?.agent === agent ? near.task : lane.ready.first();
  handOut(core, lane, task, agent, reasonFor(lane.run, task));
  core.wake(lane);
}

/** A task that became ready: if its cluster of tasks is with an agent that can go on, it goes there too. */
function follow(core: Core, run: Run, task: number): void {
  const unit = run.units.get(run.plan.unitOf?.[task] ?? -1);
  if (!unit || run.phase.is !== "going" || run.tasks.states[task] !== TaskState.ready) return;
  const { agent } = unit;
  const lane = laneOf(core, run, task);
  if (agent.mode.is !== "joined" || !core.agents.has(agent.id) || atCategoryLimit(lane)) return;
  // While others of its cluster are there it takes no room of its own, unless it asks for more than they do.
  const welcome =
    unit.open > 0 && asksNoMore(lane.asks, unit.asks) ? isWelcome(core, agent, lane) : hasRoom(core, agent, lane);
  if (welcome && lane.shelf.judge.matches(agent)) handOut(core, lane, task, agent, reasonFor(run, task));
}
