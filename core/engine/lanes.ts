/**
 * Who stands where. The tasks of a run that ask for the same are a lane (GridBot's bag): they are identical for
 * scheduling. Lanes of one owner that are judged alike share a shelf, where they take turns; an owner has shelves. So a
 * decision looks at owners and shelves, however many tasks and runs are waiting.
 *
 *   task → lane (run, profile, failures of its own)  → shelf (owner, priority, judge, what it asks for) → owner
 *
 * A shelf is hungry while one of its lanes has a ready task, and blocked from the moment no agent could take one until
 * an agent that may becomes free.
 */

import { numberOf } from "@/core/expressions";
import { Fifo } from "./fifo";
import type { HostHeap } from "./host-heap";
import { Judge, type Terms } from "./judge";
import { ownLane, type Particular, particularProfile } from "./particular";
import type { TaskProfile } from "./plan";
import { isRestless, type Policies, type Reading, readPolicy } from "./policy";
import { preferenceOf } from "./preference";
import { FewReady, ReadyQueue, type ReadyTasks } from "./ready-queue";
import { Scene } from "./scene";
import type { Agent, Core, Run } from "./state";

/** What one attempt takes of a host. */
export interface Asks {
  readonly cores: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly named: Readonly<Record<string, number>>;
}

export interface Lane {
  readonly run: Run;
  readonly profile: TaskProfile;
  /** How often its memory was doubled because it was too little. */
  readonly memoryLevel: number;
  /** Its tasks failed again and again: for the fail-over cluster, where there is one (GB-12). */
  readonly failOver: boolean;
  /** Its tasks get agents of their own (early.ts). */
  readonly early: boolean;
  /** The one task it is for, and what makes it so. */
  readonly particularOf: number | undefined;
  readonly particular: Particular | undefined;
  readonly asks: Asks;
  readonly ready: ReadyTasks;
  shelf: Shelf;
  scene: Scene;
  concurrency: ((agent: Agent) => number) | undefined;
  deadline: ((agent: Agent) => number) | undefined;
  /** Stands in its shelf's line, since this moment in the order of such moments. */
  standing: boolean;
  stamp: number;
  /** When it was last served, or became hungry. */
  servedAt: number;
  /** How long its tasks ran, in the mean of the last ones. */
  meanRunMs: number | undefined;
  /** The agent that is kept free for it. */
  reserved: Agent | undefined;
  /** Ready tasks whose inputs were made on an agent, the latest last. */
  readonly near: { task: number; agent: Agent }[];
}

export interface Shelf {
  readonly owner: Owner;
  readonly key: string;
  readonly priority: number;
  readonly judge: Judge;
  readonly line: Fifo<Lane>;
  /** Lanes that are on it, hungry or not. */
  lanes: number;
  /** How long their tasks ran, in the mean of the last ones: whether they are worth handing out ahead. */
  meanRunMs: number | undefined;
  blocked: boolean;
  /** Free agents it may use in the order of their rank; there is one wherever the shelf is blocked. */
  heap: HostHeap | undefined;
}

export interface Owner {
  readonly id: string;
  readonly shelves: Map<string, Shelf>;
  readonly hungry: Set<Shelf>;
  /** See fair-share.ts. */
  share: number;
  pass: number;
}

/** Few runs have more kinds of tasks than this; the others' queues take memory for what is in them. */
const lanesWithBitmaps = 8;
const mostMemoryLevel = 15;

export function laneOf(core: Core, run: Run, task: number): Lane {
  const profile = run.plan.profileOf?.(task) ?? 0;
  const level = run.raised.get(task) ?? 0;
  const failOver = run.failedOver.has(task);
  const exceptions = 2 * (mostMemoryLevel + 1);
  const exception = level * 2 + (failOver ? 1 : 0);
  const particular = run.particulars.get(task);
  const key = particular ? ownLane(task, exception, exceptions) : profile * exceptions + exception;
  let lane = run.lanes.get(key);
  if (!lane) {
    const asked = run.plan.profiles?.[profile] ?? {};
    lane = particular
      ? makeLane(core, run, particularProfile(asked, particular), level, failOver, task)
      : makeLane(core, run, asked, level, failOver);
    run.lanes.set(key, lane);
  }
  return lane;
}

/** How often the task's memory may be doubled before the cap. */
export function mostRaised({ settings }: Core, { plan }: Run, task: number): number {
  const base = plan.profiles?.[plan.profileOf?.(task) ?? 0]?.memoryBytes ?? plan.memoryBytes;
  if (base === undefined) return 0;
  return Math.max(0, Math.min(mostMemoryLevel, Math.floor(Math.log2(settings.memoryCapBytes / base))));
}

function makeLane(
  core: Core,
  run: Run,
  profile: TaskProfile,
  memoryLevel: number,
  failOver: boolean,
  particularOf?: number,
): Lane {
  const asks = asksOf(run, profile, memoryLevel);
  const count = run.plan.taskCount;
  return {
    run,
    profile,
    memoryLevel,
    failOver,
    early: profile.binding === "early",
    particularOf,
    particular: particularOf === undefined ? undefined : run.particulars.get(particularOf),
    asks,
    ready: particularOf === undefined && run.lanes.size < lanesWithBitmaps ? new ReadyQueue(count) : new FewReady(),
    ...shelve(core, run, profile, asks, failOver, particularOf),
    standing: false,
    stamp: 0,
    servedAt: core.now(),
    meanRunMs: undefined,
    reserved: undefined,
    near: [],
  };
}

function asksOf({ plan }: Run, profile: TaskProfile, memoryLevel: number): Asks {
  const base = profile.memoryBytes ?? (memoryLevel > 0 ? plan.memoryBytes : undefined) ?? 0;
  return {
    cores: Math.max(1, profile.cores ?? 1),
    memoryBytes: base * 2 ** memoryLevel,
    diskBytes: profile.diskBytes ?? 0,
    named: profile.named ?? {},
  };
}

/** After its run's policies changed. */
export function reshelve(core: Core, lane: Lane): void {
  const wasStanding = lane.standing;
  leaveShelf(core, lane);
  Object.assign(lane, shelve(core, lane.run, lane.profile, lane.asks, lane.failOver, lane.particularOf));
  lane.standing = false;
  if (wasStanding) core.wake(lane);
}

/** Lanes of runs that are let go leave nothing behind. Lines drop lanes that are no longer theirs when they meet them. */
export function leaveShelf(core: Core, lane: Lane): void {
  const { shelf } = lane;
  if (lane.reserved) lane.reserved.reservedFor = undefined;
  lane.reserved = undefined;
  shelf.lanes -= 1;
  if (shelf.lanes > 0) return;
  shelf.owner.shelves.delete(shelf.key);
  shelf.owner.hungry.delete(shelf);
  core.forgetOrder(shelf);
}

type Placing = Pick<Lane, "shelf" | "scene" | "concurrency" | "deadline">;

function shelve(
  core: Core,
  run: Run,
  profile: TaskProfile,
  asks: Asks,
  failOver: boolean,
  particularOf?: number,
): Placing {
  // Two of them may differ in the host they left: no shelf is blocked for both.
  const ownKey = particularOf === undefined ? [] : [run.plan.id, particularOf];
  const { policies } = run;
  const owner = core.owner(run.plan.ownerId, run.plan.ownerShare ?? 1);
  const terms = termsOf(profile, policies);
  const scene = new Scene(run.plan.ownerId, profile, policies, core.queueAd, core.ports.clock, core.ports.random);
  const priority = (run.plan.priority ?? 0) * 1e6 + (profile.priority ?? 0);
  const texts = [...terms.requirements, terms.hostRank, terms.bagRank].map((reading) => reading?.text ?? "");
  // What looks at its own bag is judged by itself; the rest is judged once for all bags that say the same.
  const concurrent = policies.concurrency === undefined ? undefined : readPolicy(policies.concurrency);
  const judged = [...terms.requirements, terms.hostRank, terms.bagRank, concurrent];
  const own = judged.some((reading) => reading && isRestless(reading));
  const { weights } = policies;
  const key = JSON.stringify([
    ownKey,
    priority,
    asks,
    failOver,
    run.plan.ownerAdmin,
    own ? run.plan.id : "",
    weights,
    // A host that has no room for one of its lanes has none for the others.
    policies.concurrency,
    // Expressions may ask for these.
    profile.wallSeconds,
    profile.category,
    ...texts,
  ]);
  let shelf = owner.shelves.get(key);
  if (!shelf) {
    const judge = new Judge(terms, scene, (agent) => preferenceOf(agent.node, core.preferenceScale, weights));
    shelf = {
      owner,
      key,
      priority,
      judge,
      line: new Fifo(),
      lanes: 0,
      meanRunMs: undefined,
      blocked: false,
      heap: undefined,
    };
    owner.shelves.set(key, shelf);
  }
  shelf.lanes += 1;
  const concurrency = numeric(scene, policies.concurrency);
  return { shelf, scene, concurrency, deadline: numeric(scene, policies.deadline) };
}

function termsOf(profile: TaskProfile, policies: Policies): Terms {
  const texts = [
    policies.gridPolicy,
    policies.jobRequirements,
    profile.requirement,
    ...(profile.software ?? []).map((name) => `member(${JSON.stringify(name)}, Software)`),
  ];
  const requirements: Reading[] = texts.flatMap((text) => (text === undefined ? [] : [readPolicy(text)]));
  return {
    requirements,
    ...(profile.rank === undefined ? {} : { hostRank: readPolicy(profile.rank) }),
    ...(policies.rank === undefined ? {} : { bagRank: readPolicy(policies.rank) }),
  };
}

/** A policy that must give a number above 0; any other value sets no limit. */
function numeric(scene: Scene, text: string | undefined): ((agent: Agent) => number) | undefined {
  const compiled = text === undefined ? undefined : readPolicy(text).compiled;
  if (!compiled) return undefined;
  const judge = scene.judge(compiled);
  return (agent) => {
    const number = numberOf(judge(agent.ad.ad));
    return number !== undefined && number > 0 ? number : Number.POSITIVE_INFINITY;
  };
}
