/**
 * How fast one CPU of this host is, told on joining (DI-4): floating point and integer work of a few dozen milliseconds each. The
 * figures serve to compare hosts with each other, so each host runs the same loops; it does so once a day.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";

const speed = z.object({ KFlops: z.number().positive(), Mips: z.number().positive() });
export type Speed = z.infer<typeof speed>;
const kept = speed.extend({ at: z.number() });

const dayMs = 24 * 3600 * 1000;
const eachMs = 30;

export async function benchmark(file: string, now = Date.now()): Promise<Speed> {
  const earlier = read(file);
  if (earlier && Math.abs(now - earlier.at) < dayMs) return speed.parse(earlier);
  const measured = { KFlops: Math.round(rateOf(multiplyAndAdd) / 1e3), Mips: Math.round(rateOf(mixBits) / 1e6) };
  try {
    writeFileSync(`${file}.${process.pid}`, JSON.stringify({ ...measured, at: now }), { mode: 0o600 });
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // The next agent measures again.
  }
  return measured;
}

function read(file: string): z.infer<typeof kept> | undefined {
  try {
    return kept.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Operations a second: the best of several short stretches, because others may be using the CPU. */
function rateOf(work: (rounds: number) => number): number {
  const rounds = 200_000;
  let best = 0;
  for (const until = performance.now() + eachMs; performance.now() < until; ) {
    const began = performance.now();
    const operations = work(rounds);
    best = Math.max(best, operations / Math.max(1e-6, (performance.now() - began) / 1000));
  }
  return best;
}

function multiplyAndAdd(rounds: number): number {
  let a = 1.000001;
  let b = 0.5;
  for (let round = 0; round < rounds; round++) {
    a = a * 1.0000001 + 1e-9;
    b = b * 0.9999999 + a * 1e-9;
  }
  return Number.isFinite(a + b) ? rounds * 5 : 0;
}

function mixBits(rounds: number): number {
  let a = 1;
  for (let round = 0; round < rounds; round++) {
    a ^= a << 13;
    a ^= a >>> 17;
    a ^= a << 5;
  }
  return a === 0 ? 0 : rounds * 6;
}
