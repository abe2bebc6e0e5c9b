/**
 * Learns how fast workers are while work goes on (DIANE, section 4.8.2: parameters are re-estimated at each iteration).
 * It begins with the benchmarks workers brought along, whose units need not be those of the work; every piece that is
 * done replaces belief by measurement, the latest counting most, since the load of hosts changes.
 *
 * f_c, the data that belongs to a unit of work, is found as in section 4.8.1: of the values tried, the one by which the
 * work seen so far would have been done soonest if cut by it. It carries what was seen on some workers over to
 * those of which only the benchmark is known.
 */
import { type CutOptions, cut, type Share } from "./cut";
import { speedOf, type Worker } from "./model";

export interface Observation {
  worker: string;
  amount: number;
  computeMs: number;
  transferMs: number;
  /** Everything else between handing out and having the result. */
  overheadMs?: number;
}

interface Measured {
  /** Seconds for each unit of work. */
  compute: number;
  transfer: number;
  overhead: number | undefined;
}

export interface EstimatorOptions {
  /** Taken until something was observed. */
  fc?: number;
  /** How much the latest observation counts against all earlier ones together. */
  latest?: number;
}

export class Estimator {
  readonly #benchmarks = new Map<string, Worker>();
  readonly #measured = new Map<string, Measured>();
  readonly #latest: number;
  #fc: number;
  /** Something was observed since f_c was searched. */
  #stale = false;

  constructor(workers: readonly Worker[] = [], { fc = 0, latest = 0.5 }: EstimatorOptions = {}) {
    this.#fc = fc;
    this.#latest = latest;
    for (const worker of workers) this.join(worker);
  }

  join(worker: Worker): void {
    this.#benchmarks.set(worker.id, worker);
  }

  leave(worker: string): void {
    this.#benchmarks.delete(worker);
    this.#measured.delete(worker);
  }

  observe({ worker, amount, computeMs, transferMs, overheadMs }: Observation): void {
    if (!this.#benchmarks.has(worker) || !(amount > 0) || !(computeMs > 0) || !(transferMs >= 0)) return;
    const before = this.#measured.get(worker);
    const mixed = (now: number, earlier: number | undefined) =>
      earlier === undefined ? now : earlier + this.#latest * (now - earlier);
    this.#measured.set(worker, {
      compute: mixed(computeMs / 1000 / amount, before?.compute),
      transfer: mixed(transferMs / 1000 / amount, before?.transfer),
      overhead: overheadMs === undefined ? before?.overhead : mixed(overheadMs / 1000, before?.overhead),
    });
    this.#stale = true;
  }

  get fc(): number {
    if (this.#stale) this.#fc = searchFc(this.#samples(), this.#fc);
    this.#stale = false;
    return this.#fc;
  }

  /** What is believed of each worker now. */
  workers(): Worker[] {
    const ratio = this.#powerRatio();
    const fc = this.fc;
    return [...this.#benchmarks.values()].map((benchmark) => {
      const seen = this.#measured.get(benchmark.id);
      if (!seen) return { ...benchmark, power: benchmark.power * ratio };
      return {
        id: benchmark.id,
        power: 1 / seen.compute,
        // With this bandwidth f_c gives exactly the transfers that were seen.
        bandwidth: seen.transfer > 0 && fc > 0 ? fc / seen.transfer : Number.POSITIVE_INFINITY,
        overhead: seen.overhead ?? benchmark.overhead ?? 0,
      };
    });
  }

  cut(total: number, options: Omit<CutOptions, "fc"> = {}): Share[] {
    return cut(total, this.workers(), { ...options, fc: this.fc });
  }

  /** Units of work for a unit of the benchmark, in the geometric mean of all that was seen. */
  #powerRatio(): number {
    let sum = 0;
    let count = 0;
    for (const [id, { compute }] of this.#measured) {
      const power = this.#benchmarks.get(id)?.power ?? 0;
      if (!(power > 0)) continue;
      sum += Math.log(1 / compute / power);
      count += 1;
    }
    return count === 0 ? 1 : Math.exp(sum / count);
  }

  #samples(): Sample[] {
    return [...this.#measured].flatMap(([id, { compute, transfer }]) => {
      const bandwidth = this.#benchmarks.get(id)?.bandwidth ?? 0;
      return bandwidth > 0 && bandwidth < Number.POSITIVE_INFINITY
        ? [{ power: 1 / compute, bandwidth, transfer, seconds: compute + transfer }]
        : [];
    });
  }
}

interface Sample {
  power: number;
  bandwidth: number;
  transfer: number;
  /** For a unit of work, computation and communication. */
  seconds: number;
}

/** Steps of the scan on either side of the mean of what the transfers say, and how far each goes. */
const steps = 24;
const stepFactor = 10 ** (1 / 8);

export function searchFc(samples: readonly Sample[], otherwise: number): number {
  if (samples.length === 0) return otherwise;
  const mean = samples.reduce((sum, { transfer, bandwidth }) => sum + transfer * bandwidth, 0) / samples.length;
  if (mean === 0) return 0;
  let best = mean;
  let least = timeOf(samples, mean);
  const consider = (fc: number) => {
    const time = timeOf(samples, fc);
    // A flat stretch, as with a single worker, keeps the value nearest to the mean.
    if (time < least * (1 - 1e-12)) [best, least] = [fc, time];
  };
  for (let step = 1; step <= steps; step++) {
    consider(mean * stepFactor ** step);
    consider(mean / stepFactor ** step);
  }
  for (let width = Math.sqrt(stepFactor); width > 1 + 1e-6; width = Math.sqrt(width)) {
    const middle = best;
    consider(middle * width);
    consider(middle / width);
  }
  return best;
}

/** Of one unit of work cut by f_c, as the workers really do it. */
function timeOf(samples: readonly Sample[], fc: number): number {
  const speed = samples.reduce((sum, sample) => sum + speedOf(sample, fc), 0);
  return samples.reduce((longest, sample) => Math.max(longest, (speedOf(sample, fc) / speed) * sample.seconds), 0);
}
