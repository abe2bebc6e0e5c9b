/**
 * Divisible work on a simulated grid (DI-13): an amount that may be cut into pieces of any size, done in iterations of which
 * each waits for the one before. By self-scheduling, where whoever is free takes the next piece of equal size; and
 * balanced, where each iteration is cut in proportion to what those before it have measured (core/engine/balance), the first,
 * of which nothing is known, being self-scheduled. The pieces are tasks of the real engine; a balanced piece prefers its
 * worker's host and goes elsewhere if that is gone.
 */
import { Estimator, heterogeneity } from "@/core/engine/balance";
import type { Adjacency } from "@/core/workflow/workflow";
import type { Grid } from "./grid-schema";
import { GridWorld, type Submission } from "./grid-world";
import type { AttemptLine } from "./recorder";
import type { Workload } from "./workload";

export interface DivisibleWork {
  units: number;
  /** Of one unit on a host of speed 1. */
  secondsPerUnit: number;
  /** That each unit reads. */
  bytesPerUnit: number;
  iterations: number;
}

export interface DivisibleOptions extends DivisibleWork {
  grid: Grid;
  seed: number;
}

export interface DivisibleReport {
  grid: string;
  seed: number;
  workers: number;
  /** Φ of the hosts' speeds: 0 if they are alike. */
  heterogeneity: number;
  /** With the number of pieces for each worker that was best in hindsight. */
  selfScheduled: { seconds: number; piecesPerWorker: number };
  balanced: { seconds: number; iterations: number[]; hash: string };
  /** Self-scheduled over balanced. */
  speedup: number;
}

interface Piece {
  amount: number;
  /** The host it is cut for. */
  host?: string;
  worker?: string;
}

const piecesTried = [1, 2, 3, 4, 6, 8, 12, 16, 32];
/** For each worker, while nothing is known of them: the quick ones take more of these. */
const piecesToLearn = 4;

export function simulateDivisible(options: DivisibleOptions): DivisibleReport {
  // Workers stay: what they have shown is worth something only if they are still there.
  const grid: Grid = { ...options.grid, factory: { ...options.grid.factory, kind: "standing" } };
  const settled = { ...options, grid };
  const speeds = new GridWorld(grid, [], options.seed).clusters.flatMap(({ hosts }) =>
    hosts.flatMap(({ speed, slots }) => Array.from({ length: slots }, () => speed)),
  );
  const tried = piecesTried.map((piecesPerWorker) => ({
    piecesPerWorker,
    seconds: selfScheduled(settled, speeds.length * piecesPerWorker),
  }));
  const best = tried.reduce((a, b) => (b.seconds < a.seconds ? b : a));
  const balanced = balance(settled);
  return {
    grid: grid.name,
    seed: options.seed,
    workers: speeds.length,
    heterogeneity: heterogeneity(speeds),
    selfScheduled: best,
    balanced,
    speedup: best.seconds / balanced.seconds,
  };
}

function selfScheduled(options: DivisibleOptions, pieces: number): number {
  const units = options.units / options.iterations;
  return sum(iterate(options, () => equalPieces(units, pieces)).seconds);
}

function equalPieces(units: number, pieces: number): Piece[] {
  return Array.from({ length: pieces }, () => ({ amount: units / pieces }));
}

function balance(options: DivisibleOptions): DivisibleReport["balanced"] {
  const estimator = new Estimator();
  const hostOf = new Map<string, string>();
  const known = (world: GridWorld) => {
    if (hostOf.size > 0) return;
    for (const { hosts, link } of world.clusters) {
      const bandwidth = Number.isFinite(link.bytesPerMs) ? link.bytesPerMs * 1000 : 1;
      for (const { name, slots } of hosts) {
        for (let slot = 0; slot < slots; slot += 1) {
          hostOf.set(`${name}#${slot}`, name);
          // Nothing is known of its power before it has done something.
          estimator.join({ id: `${name}#${slot}`, power: 1, bandwidth });
        }
      }
    }
  };
  const units = options.units / options.iterations;
  const { seconds, hash } = iterate(options, (world, before) => {
    known(world);
    if (before.length === 0) return equalPieces(units, hostOf.size * piecesToLearn);
    for (const { piece, line } of before) observe(estimator, piece, line);
    const shares = estimator.cut(units, { unit: units / 1e6 });
    return shares.map(({ worker, amount }) => ({ worker, amount, host: hostOf.get(worker) ?? worker }));
  });
  return { seconds: sum(seconds), iterations: seconds, hash };
}

function observe(estimator: Estimator, { amount, host, worker }: Piece, line: AttemptLine): void {
  const { queued, prolog, running, epilog, ended, recorded } = line;
  if (prolog === undefined || running === undefined || epilog === undefined) return;
  if (ended === undefined || recorded === undefined) return;
  const compute = epilog - running;
  const transfer = running - prolog + (ended - epilog);
  estimator.observe({
    worker: worker !== undefined && line.host === host ? worker : `${line.host}#0`,
    amount,
    computeMs: compute * 1000,
    transferMs: transfer * 1000,
    overheadMs: Math.max(0, recorded - queued - compute - transfer) * 1000,
  });
}

interface Done {
  piece: Piece;
  line: AttemptLine;
}

/** One iteration after the other; what the pieces of the last one took is known when the next is cut. */
function iterate(options: DivisibleOptions, cut: (world: GridWorld, before: readonly Done[]) => Piece[]) {
  const { grid, seed, iterations } = options;
  let pieces: Piece[] = [];
  let seen = 0;
  const next = (world: GridWorld, number: number): Submission => {
    const before = world.recorder.attempts.slice(seen).flatMap((line) => {
      const piece = pieces[line.task];
      return line.counts && piece ? [{ piece, line }] : [];
    });
    seen = world.recorder.attempts.length;
    pieces = cut(world, before);
    return { workload: workloadOf(pieces, options, number), rules: { retries: 100 } };
  };
  // Agents have joined by then.
  const at = Math.max(...grid.clusters.map(({ link }) => link.latencySeconds)) + 1;
  const world: GridWorld = new GridWorld(grid, [{ at, later: () => next(world, 1) }], seed, (over) =>
    over < iterations ? next(world, over + 1) : undefined,
  );
  world.run();
  const seconds = [...world.recorder.runs.values()].map(({ submittedAt, endedAt = Number.POSITIVE_INFINITY }) => {
    return endedAt - submittedAt;
  });
  return { seconds, hash: world.timeline.hash };
}

function workloadOf(
  pieces: readonly Piece[],
  { secondsPerUnit, bytesPerUnit }: DivisibleWork,
  iteration: number,
): Workload {
  const count = pieces.length;
  const none: Adjacency = { offsets: new Uint32Array(count + 1), targets: new Uint32Array(0) };
  const balanced = pieces.some(({ host }) => host !== undefined);
  const rankOf = ({ host }: Piece) => (host === undefined ? {} : { rank: `Name == ${JSON.stringify(host)} ? 1 : 0` });
  return {
    name: `iteration ${iteration}`,
    taskCount: count,
    successors: none,
    predecessors: none,
    doneTasks: [],
    ...(balanced && { scheduling: { profiles: pieces.map(rankOf), profileOf: (task: number) => task } }),
    taskName: (task) => `${iteration}.${task + 1}`,
    seconds: (task) => pieces[task]!.amount * secondsPerUnit,
    files: (task) => {
      const bytes = pieces[task]!.amount * bytesPerUnit;
      return { inputs: bytes > 0 ? [{ name: `in-${iteration}.${task}`, bytes }] : [], outputs: [] };
    },
    producers: () => [],
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
