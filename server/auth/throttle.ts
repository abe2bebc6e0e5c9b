/**
 * Slowing down guesses. Failures are counted in the database, so a restart forgives nothing:
 *
 *   account + address   after 4 failures wait 2 s, then 4, 8, … up to 5 minutes
 *   address             after 20 failures the same, for one machine that tries many accounts
 *
 * An account alone is never counted: that would let anyone lock its owner out from afar. An attempt is
 * counted before it is looked at and forgotten when it succeeds, so a hundred at once are a hundred
 * failures; an attempt during the wait is refused unseen and does not prolong it. Quiet counts end after a day.
 */
import { createHash } from "node:crypto";
import type { PortalDb } from "@/server/portal-db/client";

export type Attempt = { is: "allowed"; succeeded(): Promise<void> } | { is: "wait"; seconds: number; sentence: string };

interface Rule {
  key: string;
  free: number;
}

const longestWaitSeconds = 300;
const forgetAfterHours = 24;
/** An attacker with many addresses makes many rows; the oldest go when there are more than this. */
const mostRows = 100_000;

export async function attemptSlowly(
  db: PortalDb,
  who: { address: string; email?: string },
  now: Date = new Date(),
): Promise<Attempt> {
  const network = networkOf(who.address);
  const address: Rule = { key: keyOf("address", network), free: 20 };
  const pair: Rule | undefined =
    who.email === undefined ? undefined : { key: keyOf("account", who.email, network), free: 4 };
  const rules = pair ? [address, pair] : [address];
  // Locked in one order everywhere, so that two attempts never wait for each other.
  rules.sort((a, b) => (a.key < b.key ? -1 : 1));
  const waitMs = await db.$transaction(async (tx) => {
    const stale = new Date(now.getTime() - forgetAfterHours * 3600_000);
    const states: { rule: Rule; failures: number }[] = [];
    let longest = 0;
    for (const rule of rules) {
      const [row] = await tx.$queryRaw<{ failures: number; until: Date }[]>`
        INSERT INTO portal.sign_in_failure (key, failures, until, last_at)
        VALUES (${rule.key}, 0, ${now}, ${now})
        ON CONFLICT (key) DO UPDATE SET
          failures = CASE WHEN sign_in_failure.last_at < ${stale} THEN 0 ELSE sign_in_failure.failures END
        RETURNING failures, until`;
      if (!row) throw new Error("An upsert returned no row.");
      states.push({ rule, failures: row.failures });
      longest = Math.max(longest, row.until.getTime() - now.getTime());
    }
    if (longest > 0) return longest;
    for (const { rule, failures } of states) {
      const until = new Date(now.getTime() + waitAfter(failures + 1, rule.free) * 1000);
      await tx.signInFailure.update({
        where: { key: rule.key },
        data: { failures: failures + 1, until, lastAt: now },
        select: { key: true },
      });
    }
    return 0;
  });
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    return { is: "wait", seconds, sentence: `Too many failed attempts. Wait ${inWords(seconds)} and try again.` };
  }
  return {
    is: "allowed",
    succeeded: () => forgive(db, address.key, pair?.key),
  };
}

/** Seconds to wait after so many failures in a row. */
export function waitAfter(failures: number, free: number): number {
  return failures < free ? 0 : Math.min(longestWaitSeconds, 2 ** Math.min(20, failures - free + 1));
}

/** A right password clears its account's count. The address loses only this one attempt: it may be guessing at others. */
async function forgive(db: PortalDb, address: string, pair: string | undefined): Promise<void> {
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`
      UPDATE portal.sign_in_failure SET failures = greatest(failures - 1, 0), until = last_at WHERE key = ${address}`;
    if (pair !== undefined) await tx.signInFailure.deleteMany({ where: { key: pair } });
  });
}

/** Called now and then: drops counts that no longer matter, and the oldest when there are too many. */
export async function sweepFailures(db: PortalDb, now: Date = new Date()): Promise<void> {
  const stale = new Date(now.getTime() - forgetAfterHours * 3600_000);
  await db.signInFailure.deleteMany({ where: { lastAt: { lt: stale } } });
  await db.$executeRaw`
    DELETE FROM portal.sign_in_failure WHERE key IN (
      SELECT key FROM portal.sign_in_failure ORDER BY last_at DESC OFFSET ${mostRows})`;
}

/** One person's line has 2⁶⁴ IPv6 addresses, so they count as one; an IPv4 address counts as itself in either spelling. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!address.includes(":")) return address;
  const [before = "", after] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after ? after.split(":") : [];
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  const groups = [...head, ...new Array<string>(zeros).fill("0"), ...tail];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function keyOf(...parts: string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

function inWords(seconds: number): string {
  if (seconds === 1) return "1 second";
  if (seconds < 120) return `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
