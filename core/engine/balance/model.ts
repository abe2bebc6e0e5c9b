/**
 * What workload balancing knows of workers (DIANE, section 4.8.1): power p, bandwidth n, and f_c, how much data belongs to
 * a unit of work. An amount x then takes
 *
 *   overhead + x / p + f_c · x / n  =  overhead + x / speed,   speed = p / (1 + f_c · p / n)
 *
 * so work cut in proportion to speed takes equally long everywhere. (Section 4.8.2 speaks of durations proportional to
 * μ = p / n, which would give a worker the more the slower its link is; section 4.8.1, equal times, is followed.)
 */
export interface Worker {
  id: string;
  /** Units of work a second. */
  power: number;
  /** Of data a second, in the unit of f_c; Infinity where nothing travels. */
  bandwidth: number;
  /** Seconds that every task costs there, however small: being handed out, started and reported. */
  overhead?: number;
}

/** Units of work a second, with the data on its way. */
export function speedOf({ power, bandwidth }: Pick<Worker, "power" | "bandwidth">, fc: number): number {
  if (!(power > 0) || !(bandwidth > 0)) return 0;
  return power / (1 + (fc * power) / bandwidth);
}

export function secondsFor(worker: Worker, amount: number, fc: number): number {
  return (worker.overhead ?? 0) + amount / speedOf(worker, fc);
}

/** Each worker's speed as a part of the best one's: what the hybrid agent factory scales fitness by. */
export function rankOf(workers: readonly Worker[], fc: number): number[] {
  const speeds = workers.map((worker) => speedOf(worker, fc));
  const best = Math.max(0, ...speeds);
  return speeds.map((speed) => (best > 0 ? speed / best : 0));
}

/**
 * Φ, the standard deviation of the parameters as parts of their mean: 0 for workers that are all alike. (Equation 4.4 is
 * printed without the square, and would be 0 for all of them.)
 */
export function heterogeneity(parameters: readonly number[]): number {
  const count = parameters.length;
  if (count < 2) return 0;
  const mean = parameters.reduce((sum, value) => sum + value, 0) / count;
  return Math.sqrt(parameters.reduce((sum, value) => sum + (1 - value / mean) ** 2, 0) / (count - 1));
}
