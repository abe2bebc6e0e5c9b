/**
 * What the console shows of the whole grid (GridBot, section 7, "High throughput run", and Figure 6): effective throughput
 * over time for each cluster, incomplete jobs over time, totals for each cluster.
 *
 * Effective throughput is the size of the dedicated cluster that would do the same: the mean run time of the last 1000
 * finished jobs, times the jobs finished since the last sample, by the time between samples. Counting busy slots would
 * also count what is lost or thrown away. One mean serves all clusters, so that their curves add up to the whole.
 */
import type { ClusterId } from "./ids";
import { type Point, type Tier, TimeSeries } from "./time-series";

export interface ThroughputOptions {
  /** How many finished jobs the mean run time is taken of. */
  recent?: number;
  tiers?: readonly Tier[];
}

export interface ClusterTotals {
  finished: number;
  /** Σ of the run times of what finished. */
  runMs: number;
  /** Attempts that brought no result that counted: failed, lost, or a replica that came second. */
  wasted: number;
  wastedMs: number;
}

interface ClusterFigures {
  totals: ClusterTotals;
  sinceSample: number;
  series: TimeSeries;
}

export class Throughput {
  readonly #tiers: readonly Tier[] | undefined;
  readonly #clusters = new Map<ClusterId, ClusterFigures>();
  readonly #all: TimeSeries;
  readonly #incomplete: TimeSeries;
  /** A ring of the last run times and their sum, kept up as they come and go. */
  readonly #recent: Float64Array;
  #count = 0;
  #sum = 0;
  #sampledAt: number | undefined;

  constructor({ recent = 1000, tiers }: ThroughputOptions = {}) {
    this.#tiers = tiers;
    this.#recent = new Float64Array(recent);
    this.#all = new TimeSeries("mean", tiers);
    this.#incomplete = new TimeSeries("last", tiers);
  }

  finished(cluster: ClusterId, runMs: number): void {
    const place = this.#count % this.#recent.length;
    this.#sum += runMs - this.#recent[place]!;
    this.#recent[place] = runMs;
    this.#count += 1;
    // Adding and taking away leaves rounding errors behind; once a round the sum is made anew.
    if (place === this.#recent.length - 1) this.#sum = this.#recent.reduce((a, b) => a + b, 0);
    const figures = this.#of(cluster);
    figures.totals.finished += 1;
    figures.totals.runMs += runMs;
    figures.sinceSample += 1;
  }

  wasted(cluster: ClusterId, runMs: number): void {
    const { totals } = this.#of(cluster);
    totals.wasted += 1;
    totals.wastedMs += runMs;
  }

  /** Call it from time to time, with the jobs of all runs that are not done. The first call only starts the clock. */
  sample(at: number, incomplete: number): void {
    const lasting = this.#sampledAt === undefined ? 0 : at - this.#sampledAt;
    if (this.#sampledAt !== undefined && lasting <= 0) {
      // The clock was set back: what finished meanwhile counts from here on.
      this.#sampledAt = at;
      return;
    }
    this.#sampledAt = at;
    this.#incomplete.add(at, incomplete, lasting);
    let all = 0;
    for (const figures of this.#clusters.values()) {
      if (lasting > 0) {
        const cpus = (this.meanRunMs * figures.sinceSample) / lasting;
        figures.series.add(at, cpus, lasting);
        all += cpus;
      }
      figures.sinceSample = 0;
    }
    if (lasting > 0) this.#all.add(at, all, lasting);
  }

  get meanRunMs(): number {
    return this.#count === 0 ? 0 : this.#sum / Math.min(this.#count, this.#recent.length);
  }

  /** Dedicated CPUs that would do the same; of one cluster, or of all together. */
  effective(since: number, cluster?: ClusterId): Point[] {
    return (cluster === undefined ? this.#all : this.#clusters.get(cluster)?.series)?.since(since) ?? [];
  }

  incomplete(since: number): Point[] {
    return this.#incomplete.since(since);
  }

  totals(): ReadonlyMap<ClusterId, Readonly<ClusterTotals>> {
    return new Map([...this.#clusters].map(([id, { totals }]) => [id, { ...totals }]));
  }

  /** A cluster that was removed. */
  forget(cluster: ClusterId): void {
    this.#clusters.delete(cluster);
  }

  #of(cluster: ClusterId): ClusterFigures {
    let figures = this.#clusters.get(cluster);
    if (!figures) {
      const totals = { finished: 0, runMs: 0, wasted: 0, wastedMs: 0 };
      figures = { totals, sinceSample: 0, series: new TimeSeries("mean", this.#tiers) };
      this.#clusters.set(cluster, figures);
    }
    return figures;
  }
}
