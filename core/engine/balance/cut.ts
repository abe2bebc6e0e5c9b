/**
 * Cuts divisible work so that every worker that takes part ends at the same time (AWLB; DIANE, section 4.8), and leaves
 * out workers for which a share would be so small that overheads eat it up: they are to stay under a tenth of the time of
 * a task (section 4.8, from the model of chapter 3).
 */
import { secondsFor, speedOf, type Worker } from "./model";

export interface CutOptions {
  /** Data for each unit of work. */
  fc: number;
  /** Of a task's time, at most. */
  overheadShare?: number;
  /** The smallest piece that work can be cut into. */
  unit?: number;
}

export interface Share {
  worker: string;
  amount: number;
}

/** Pieces that add up to `total`, for the workers that take part, in the order given. */
export function cut(
  total: number,
  workers: readonly Worker[],
  { fc, overheadShare = 0.1, unit = 1 }: CutOptions,
): Share[] {
  const able = workers.filter((worker) => speedOf(worker, fc) > 0);
  const units = Math.round(total / unit);
  if (able.length === 0 || units <= 0) return [];
  const speeds = new Map(able.map((worker) => [worker, speedOf(worker, fc) / unit]));
  const team = bestTeam(units, able, speeds, overheadShare);
  const amounts = wholeUnits(units, team, speeds);
  return team
    .map((worker, i) => ({ worker: worker.id, amount: amounts[i]! * unit }))
    .filter(({ amount }) => amount > 0);
}

/** How long the slowest of the shares takes. */
export function makespan(shares: readonly Share[], workers: readonly Worker[], fc: number): number {
  const byId = new Map(workers.map((worker) => [worker.id, worker]));
  return shares.reduce((longest, { worker, amount }) => {
    const found = byId.get(worker);
    return found ? Math.max(longest, secondsFor(found, amount, fc)) : longest;
  }, 0);
}

type Speeds = ReadonlyMap<Worker, number>;

/**
 * With workers W, all end at T = (units + Σ speed · overhead) / Σ speed. Each further worker makes T shorter and the
 * overheads weigh more, so workers join one after the other as long as all overheads stay under their share. Whether the
 * quick ones or those with little overhead should come first depends on the case: both are tried.
 */
function bestTeam(units: number, workers: readonly Worker[], speeds: Speeds, overheadShare: number): Worker[] {
  const order = new Map(workers.map((worker, i) => [worker, i]));
  const bySpeed = (a: Worker, b: Worker) => speeds.get(b)! - speeds.get(a)!;
  const byOverhead = (a: Worker, b: Worker) => (a.overhead ?? 0) - (b.overhead ?? 0);
  const place = (a: Worker, b: Worker) => order.get(a)! - order.get(b)!;
  const orders = [
    (a: Worker, b: Worker) => bySpeed(a, b) || byOverhead(a, b) || place(a, b),
    (a: Worker, b: Worker) => byOverhead(a, b) || bySpeed(a, b) || place(a, b),
  ];
  const teams = orders.map((compare) => joinInOrder(units, workers.toSorted(compare), speeds, overheadShare));
  const best = teams.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  // Work that is not cut at all has no overhead of cutting: a single worker that is done sooner may have any overhead.
  const alone = workers.reduce((a, b) => (secondsAlone(units, b, speeds) < secondsAlone(units, a, speeds) ? b : a));
  return secondsAlone(units, alone, speeds) < best.seconds ? [alone] : best.team.toSorted(place);
}

function joinInOrder(units: number, workers: readonly Worker[], speeds: Speeds, overheadShare: number) {
  const team: Worker[] = [];
  let speed = 0;
  let lost = units;
  let largest = 0;
  let seconds = Number.POSITIVE_INFINITY;
  for (const worker of workers) {
    const overhead = worker.overhead ?? 0;
    const own = speeds.get(worker)!;
    const then = (lost + own * overhead) / (speed + own);
    if (Math.max(largest, overhead) > overheadShare * then) continue;
    team.push(worker);
    speed += own;
    lost += own * overhead;
    largest = Math.max(largest, overhead);
    seconds = then;
  }
  return { team, seconds };
}

/**
 * The earliest time by which whole units done by the team add up, found by halving; who gets the last units is decided by
 * place. Rounding shares to the nearest unit would not do: a unit more is nothing to a quick worker, much to a slow one.
 */
function wholeUnits(units: number, team: readonly Worker[], speeds: Speeds): number[] {
  const doneBy = (seconds: number) =>
    team.map((worker) => Math.max(0, Math.floor(speeds.get(worker)! * (seconds - (worker.overhead ?? 0)))));
  const enough = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0) >= units;
  let early = 0;
  let late = Math.min(...team.map((worker) => secondsAlone(units, worker, speeds))) * (1 + 1e-9);
  for (let i = 0; i < 100 && early < late; i++) {
    const middle = (early + late) / 2;
    if (middle === early || middle === late) break;
    if (enough(doneBy(middle))) late = middle;
    else early = middle;
  }
  const amounts = doneBy(late);
  let surplus = amounts.reduce((sum, amount) => sum + amount, 0) - units;
  const without = doneBy(early);
  for (let i = amounts.length - 1; i >= 0 && surplus > 0; i--) {
    const back = Math.min(surplus, amounts[i]! - without[i]!);
    amounts[i]! -= back;
    surplus -= back;
  }
  return amounts;
}

function secondsAlone(units: number, worker: Worker, speeds: Speeds): number {
  return (worker.overhead ?? 0) + units / speeds.get(worker)!;
}
