/** Workers as they really are, in a simulated world: what each piece takes there, and how long all the work takes. */
import { SeededRandom } from "@/core/simulation/random";
import type { Share } from "./cut";
import type { Observation } from "./estimator";
import { secondsFor, type Worker } from "./model";
import { type ChunkPolicy, nextChunk } from "./self-scheduling";

/** With powers and bandwidths spread around 1 by the given factor either way, evenly in the logarithm. */
export function drawWorkers(count: number, spread: number, seed: number, overhead: number): Worker[] {
  const random = new SeededRandom(seed);
  const drawn = () => spread ** (2 * random.next() - 1);
  return Array.from({ length: count }, (_, i) => ({
    id: `w${i}`,
    power: 100 * drawn(),
    bandwidth: 1e6 * drawn(),
    overhead,
  }));
}

/** Every worker that is free takes the next piece, at the start in their order. */
export function selfScheduled(total: number, workers: readonly Worker[], fc: number, policy: ChunkPolicy): number {
  const freeAt = workers.map(() => 0);
  let left = total;
  while (left > 0) {
    const chunk = nextChunk(left, workers.length, policy);
    const next = freeAt.reduce((best, at, i) => (at < freeAt[best]! ? i : best), 0);
    freeAt[next]! += secondsFor(workers[next]!, chunk, fc);
    left -= chunk;
  }
  return Math.max(...freeAt);
}

export function observed(shares: readonly Share[], workers: readonly Worker[], fc: number): Observation[] {
  return shares.map(({ worker, amount }) => {
    const { power, bandwidth, overhead = 0 } = workers.find(({ id }) => id === worker)!;
    return {
      worker,
      amount,
      computeMs: (1000 * amount) / power,
      transferMs: (1000 * fc * amount) / bandwidth,
      overheadMs: 1000 * overhead,
    };
  });
}
