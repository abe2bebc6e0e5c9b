/**
 * The overlay constructor (GridBot, section 5): how many clients to ask of each grid. Which bags may use which grids is
 * decided before, from their GridPolicy; what remains is a bipartite matching of bags and grids under what each bag
 * demands and each grid has room for, the details of which the paper leaves out. Here:
 *
 *   - no grid gets more than it has room for, and all together no more than the limit: a gateway is never flooded;
 *   - no client is asked for that no bag could use, and clients that wait for work are used before new ones are asked for;
 *   - as much demand is met as there can be, and evenly: a bag gets less than another only if it wants no more, or the
 *     grids it may use have no more.
 *
 * Clients are not bound to bags; the numbers by bag only show that each client will have work.
 */
import type { ClusterId, RunId } from "../ids";
import { Flow } from "./flow";

export interface BagDemand {
  id: RunId;
  /** Tasks that could run now. */
  ready: number;
  /** How many of them one client takes at a time (GridBot's Concurrency). */
  concurrency: number;
}

export interface GridSupply {
  id: ClusterId;
  /** Clients there, or on their way, that have no work yet. */
  waiting: number;
  /** How many more may be asked for now, by all of the grid's limits. */
  room: number;
  /** Of two grids a bag may use, the one with more is used first: fitness or preference. */
  appeal?: number;
}

export interface OverlayPlan {
  /** New clients, in the order of the grids. */
  clients: number[];
  /** How many it could be at most where the choice is left to the agent factory: no more are of use there. */
  useful: number[];
  /** Clients that each bag will have for its ready tasks, waiting ones and new ones. */
  served: number[];
}

/** `may[b][g]` tells whether bag b may use grid g. */
export function buildOverlay(
  bags: readonly BagDemand[],
  grids: readonly GridSupply[],
  may: readonly (readonly boolean[])[],
  limit = Number.MAX_SAFE_INTEGER,
): OverlayPlan {
  const waiting = grids.map((grid) => natural(grid.waiting));
  const room = grids.map((grid) => natural(grid.room));
  const byAppeal = grids.map((_, g) => g).sort((a, b) => (grids[b]!.appeal ?? 0) - (grids[a]!.appeal ?? 0) || a - b);
  const choices = bags.map((_, b) => byAppeal.filter((g) => may[b]?.[g] && waiting[g]! + room[g]! > 0));
  // More than the grids it may use can give is no use in counting up to.
  const demand = bags.map(({ ready, concurrency }, b) => {
    const wanted = Math.ceil(natural(ready) / Math.max(1, natural(concurrency)));
    return Math.min(wanted, sumOver(choices[b]!, waiting) + sumOver(choices[b]!, room));
  });
  const kinds = kindsOf(choices);
  const flow = new Flow({ waiting, room, limit: natural(limit), choices: kinds.map(([bag]) => choices[bag!]!) });
  const served = fillEvenly(flow, kinds, demand);
  const clients = flow.asked;
  const total = clients.reduce((sum, count) => sum + count, 0);
  const useful = grids.map((_, g) => {
    const wanted = demand.reduce((sum, count, b) => sum + (may[b]?.[g] ? count : 0), 0);
    return Math.max(0, Math.min(room[g]!, wanted - waiting[g]!, total));
  });
  return { clients, useful, served };
}

/** Bags by the grids they may use: what matters for the flow is the same for all of a kind. */
function kindsOf(choices: readonly (readonly number[])[]): number[][] {
  const kinds = new Map<string, number[]>();
  choices.forEach((grids, bag) => {
    const key = grids.join();
    const kind = kinds.get(key);
    if (kind) kind.push(bag);
    else kinds.set(key, [bag]);
  });
  return [...kinds.values()];
}

/**
 * Raises all bags together, like water, and leaves behind those that can rise no more: a bag that cannot be raised
 * once never can be later. The step doubles while all can follow and is halved when one cannot, so it is the logarithm of
 * the number of clients that counts.
 */
function fillEvenly(flow: Flow, kinds: readonly (readonly number[])[], demand: readonly number[]): number[] {
  let served = demand.map(() => 0);
  let step = 1;
  const wants = (bag: number) => Math.min(step, demand[bag]! - served[bag]!);
  const raise = (kind: number): boolean => {
    const wanted = kinds[kind]!.reduce((sum, bag) => sum + wants(bag), 0);
    const given = flow.raise(kind, wanted);
    let left = given;
    for (const bag of kinds[kind]!) {
      const gets = Math.min(wants(bag), left);
      served[bag]! += gets;
      left -= gets;
    }
    return given === wanted;
  };
  const thirsty = (kind: number) => kinds[kind]!.some((bag) => served[bag]! < demand[bag]!);
  let rising = kinds.map((_, kind) => kind).filter(thirsty);
  while (rising.length > 0) {
    const before = served.slice();
    const undo = flow.save();
    if (step === 1) {
      const risen = rising.filter(raise);
      if (risen.length === rising.length) step = 2;
      rising = risen;
    } else if (rising.every(raise)) {
      step *= 2;
    } else {
      undo();
      served = before;
      step /= 2;
    }
    rising = rising.filter(thirsty);
  }
  return served;
}

function sumOver(places: readonly number[], values: readonly number[]): number {
  return places.reduce((sum, place) => sum + values[place]!, 0);
}

function natural(value: number): number {
  return value > 0 ? Math.min(Math.ceil(value), 1_000_000_000) : 0;
}
