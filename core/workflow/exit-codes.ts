/** Sets of exit codes as people write them: `0`, `3,4`, `1-255`. Kept as ranges, both ends included. */

export type ExitCodes = readonly (readonly [from: number, to: number])[];

const highest = 255;

/** Nothing if it is not a list of numbers and ranges from 0 to 255. */
export function parseExitCodes(text: string): ExitCodes | undefined {
  const ranges: [number, number][] = [];
  for (const part of text.split(",")) {
    const match = /^\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?\s*$/.exec(part);
    if (!match) return undefined;
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    if (to > highest || from > to) return undefined;
    ranges.push([from, to]);
  }
  return normal(ranges);
}

export function printExitCodes(codes: ExitCodes): string {
  return codes.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(",");
}

export function includesExit(codes: ExitCodes, code: number): boolean {
  return codes.some(([from, to]) => from <= code && code <= to);
}

/** All of both, in order, as few ranges as there can be. */
export function unionOfExits(first: ExitCodes, second: ExitCodes): ExitCodes {
  return normal([...first, ...second]);
}

function normal(ranges: readonly (readonly [number, number])[]): ExitCodes {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}
