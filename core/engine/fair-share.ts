/**
 * Fair share between owners, as stride scheduling: each owner has a pass that rises with what its tasks use (cores ×
 * seconds, divided by its share), and whoever has the lowest goes first. A task is charged with what its kind took in
 * the mean when it is handed out, and with the difference when it ends. An owner that was away comes back at the pass
 * of the others, so that nobody saves up turns.
 *
 * With tasks of equal length an owner of share s among hungry owners of shares S in all is served at least once in any
 * ⌈S/s⌉ + n decisions it could be served in, n the number of owners: nobody starves (fair-share.test.ts).
 */
import type { Lane, Owner } from "./lanes";

/** Before the first task of a kind has ended. */
const guessSeconds = 1;

function expectedSeconds({ meanRunMs }: Lane): number {
  return meanRunMs === undefined ? guessSeconds : Math.max(0.001, meanRunMs / 1000);
}

/** Returns what was charged, to be given back when the attempt ends. */
export function chargeAhead(lane: Lane): number {
  const seconds = expectedSeconds(lane);
  charge(lane, seconds);
  return seconds;
}

export function chargeUsed(lane: Lane, chargedSeconds: number, usedSeconds: number): void {
  charge(lane, usedSeconds - chargedSeconds);
}

function charge({ shelf: { owner }, asks }: Lane, seconds: number): void {
  owner.pass += (asks.cores * seconds) / owner.share;
}

/** An owner that becomes hungry starts where the others are. */
export function catchUp(owner: Owner, others: Iterable<Owner>): void {
  let lowest = Number.POSITIVE_INFINITY;
  for (const other of others) if (other !== owner && other.pass < lowest) lowest = other.pass;
  if (lowest !== Number.POSITIVE_INFINITY && owner.pass < lowest) owner.pass = lowest;
}
