/** What one benchmark reports: figures of ours, figures of peers measured in the same run, and what to know about them. */
export interface Measurement {
  measures: Record<string, number | boolean>;
  /** Peers by name, in the unit of the first measure. A peer that is not installed is named in `notes` instead. */
  peers: Record<string, number>;
  notes: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export function rounded(value: number, digits = 3): number {
  return Number(value.toPrecision(digits));
}
