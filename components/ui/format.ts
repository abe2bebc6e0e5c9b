/**
 * Numbers, sizes and durations as a reader expects them. Pure, so that every place words them alike; dates go
 * through `Moment` (moment.tsx), because only the browser knows the reader's zone.
 */
const thousands = new Intl.NumberFormat("en", { useGrouping: true });

/** 1234567 → `1,234,567`. */
export function count(n: number): string {
  return thousands.format(n);
}

/** `1 task`, `200 tasks`. */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${count(n)} ${n === 1 ? noun : plural}`;
}

/** Decimal units, three figures at most: 0 → `0 B`, 1234 → `1.23 kB`, 45_600_000 → `45.6 MB`. */
export function bytes(n: number): string {
  if (n < 1000) return `${Math.round(n)} B`;
  const units = ["kB", "MB", "GB", "TB", "PB"];
  let value = n / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[unit]}`;
}

/** 840 → `0.8 s`, 65_000 → `1 min 05 s`, 5_400_000 → `1 h 30 min`, 200_000_000 → `2 d 7 h`. */
export function duration(ms: number): string {
  if (ms < 0) return "0 s";
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const two = (n: number) => String(n).padStart(2, "0");
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  const hours = Math.floor(minutes / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How long ago, for lists: `just now`, `4 min ago`, `3 h ago`; older than a day is said by date instead. */
export function ago(thenMs: number, nowMs: number): string | undefined {
  const seconds = Math.max(0, Math.round((nowMs - thenMs) / 1000));
  if (seconds < 45) return "just now";
  if (seconds < 3570) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return undefined;
}

/** The first figures of a hash, enough to compare by eye. */
export function shortHash(sha256: string): string {
  return sha256.slice(0, 10);
}

/** A part of a whole in percent: never `100 %` before it is whole, never `0 %` once something is there. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  if (part >= whole) return "100 %";
  return `${Math.min(99, Math.max(1, Math.round((100 * part) / whole)))} %`;
}
