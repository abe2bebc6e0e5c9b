/**
 * A number over time, for charts, in memory that never grows: several rings, the first fine and short, the last coarse
 * and long. Every sample goes into all of them, so the last hour can be seen minute by minute and the last months day by
 * day.
 */
export interface Tier {
  /** The width of one point. */
  stepMs: number;
  points: number;
}

/** An hour by 10 s, a day by 2 min, two months by the hour. */
export const defaultTiers: readonly Tier[] = [
  { stepMs: 10_000, points: 360 },
  { stepMs: 120_000, points: 720 },
  { stepMs: 3_600_000, points: 1440 },
];

export interface Point {
  /** The beginning of the step. */
  at: number;
  value: number;
}

/** What stands for a step with several samples: `mean` for a rate, by the time each holds; `last` for a count. */
export type Summary = "mean" | "last";

export class TimeSeries {
  readonly #rings: readonly Ring[];

  constructor(summary: Summary, tiers: readonly Tier[] = defaultTiers) {
    this.#rings = tiers.map((tier) => new Ring(tier, summary));
  }

  /**
   * The value held for the `lastingMs` before `at`. A sample that is earlier than the last one means that the clock was
   * set back: what lies after it never was, and is not shown any more.
   */
  add(at: number, value: number, lastingMs: number): void {
    for (const ring of this.#rings) ring.add(at, value, lastingMs);
  }

  /** Oldest first, from the finest ring that reaches back that far; steps without a sample are left out. */
  since(from: number): Point[] {
    const ring = this.#rings.find((candidate) => candidate.reaches(from)) ?? this.#rings.at(-1);
    return ring?.since(from) ?? [];
  }
}

class Ring {
  readonly #stepMs: number;
  readonly #summary: Summary;
  /** The number of the step that each place holds; -1 for none. */
  readonly #steps: Float64Array;
  readonly #sums: Float64Array;
  readonly #weights: Float64Array;
  #newest = -1;
  /** Steps before it were never sampled, so nothing of them is missing here. */
  #oldest = Number.POSITIVE_INFINITY;

  constructor({ stepMs, points }: Tier, summary: Summary) {
    this.#stepMs = stepMs;
    this.#summary = summary;
    this.#steps = new Float64Array(points).fill(-1);
    this.#sums = new Float64Array(points);
    this.#weights = new Float64Array(points);
  }

  add(at: number, value: number, lastingMs: number): void {
    const step = Math.floor(at / this.#stepMs);
    const place = step % this.#steps.length;
    if (this.#steps[place] !== step || this.#summary === "last") {
      this.#steps[place] = step;
      this.#sums[place] = 0;
      this.#weights[place] = 0;
    }
    const weight = Math.max(lastingMs, 1);
    this.#sums[place]! += value * weight;
    this.#weights[place]! += weight;
    this.#newest = step;
    this.#oldest = Math.min(this.#oldest, step);
  }

  reaches(from: number): boolean {
    const first = Math.max(this.#oldest, Math.floor(from / this.#stepMs));
    return first > this.#newest - this.#steps.length;
  }

  since(from: number): Point[] {
    const points: Point[] = [];
    const size = this.#steps.length;
    const first = Math.max(Math.floor(from / this.#stepMs), this.#newest - size + 1, 0);
    for (let step = first; step <= this.#newest; step++) {
      const place = step % size;
      if (this.#steps[place] !== step) continue;
      points.push({ at: step * this.#stepMs, value: this.#sums[place]! / this.#weights[place]! });
    }
    return points;
  }
}
