/**
 * Self-scheduling (DIANE, section 4.8.1): a worker that is free takes the next piece. The baseline of workload balancing,
 * and what is used while nothing is known of the workers.
 */
export type ChunkPolicy =
  /** All pieces alike. */
  | { is: "fixed"; size: number }
  /** A part of what is left for each worker, so pieces are large at first and small in the end. */
  | { is: "guided"; smallest: number };

export function nextChunk(left: number, workers: number, policy: ChunkPolicy): number {
  const size =
    policy.is === "fixed" ? policy.size : Math.max(policy.smallest, Math.ceil(left / Math.max(1, workers) / 2));
  return Math.max(0, Math.min(left, Math.max(1, size)));
}

/** The size by which overheads stay under their share of a task's time on a worker of the given speed. */
export function chunkFor(speed: number, overhead: number, overheadShare = 0.1): number {
  return Math.max(1, Math.ceil(speed * overhead * (1 / overheadShare - 1)));
}
