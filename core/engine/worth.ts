/**
 * Whether going on elsewhere pays (GW-8). Failures, cancellations and a broken performance contract are not asked: they move
 * at once, even to a lower rank. A better host must rank enough higher, and the time it saves must be more than the move
 * costs: bringing the files, and doing again what was done since the last checkpoint.
 */
export interface Prospect {
  rankHere: number;
  rankThere: number;
  /** How long it has been running, and since when nothing of it would be lost. */
  ranMs: number;
  sinceCheckpointMs: number;
  /** How long tasks of its kind run, if some have ended. */
  meanRunMs: number | undefined;
  /** What has to be brought to the new host. */
  bytes: number;
  bytesPerSecond: number;
}

export interface Demands {
  rankGain: number;
  moveOverheadMs: number;
}

export type Worth =
  | { is: "worth"; savesMs: number; costsMs: number }
  | { is: "rank-too-low" }
  | { is: "too-dear"; savesMs: number; costsMs: number };

export function worthOfMoving(prospect: Prospect, { rankGain, moveOverheadMs }: Demands): Worth {
  const { rankHere, rankThere, sinceCheckpointMs, bytes, bytesPerSecond } = prospect;
  if (!(rankThere > 0) || rankThere < rankHere * rankGain) return { is: "rank-too-low" };
  // Rank as speed, as the papers' rank is: so much less time for the same work.
  const ratio = Math.max(0, rankHere) / rankThere;
  const savesMs = leftOf(prospect) * (1 - ratio);
  const costsMs = moveOverheadMs + (bytes / Math.max(1, bytesPerSecond)) * 1000 + sinceCheckpointMs * ratio;
  return savesMs > costsMs ? { is: "worth", savesMs, costsMs } : { is: "too-dear", savesMs, costsMs };
}

/** Without anything to go by, a task that ran for an hour is expected to run for another one. */
function leftOf({ ranMs, meanRunMs }: Prospect): number {
  return meanRunMs !== undefined && meanRunMs > ranMs ? meanRunMs - ranMs : ranMs;
}
