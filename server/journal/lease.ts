/**
 * The right to decide. One engine at a time holds the lease; each new holder gets a higher epoch.
 *
 *   waiting   held by another   → holding   it expired, was released, or its holder on this machine is dead
 *   holding   renewed in time   → lost      another engine took it (this one was paused or cut off)
 *                               → released  clean exit
 *
 * The lease only keeps two live engines from taking turns. What keeps them from doing harm is the epoch, checked
 * inside every commit (`engine.enter_batch`); so taking over too early would be rude, not dangerous.
 */
import { hostname } from "node:os";
import { isAlive, startOf } from "@/server/process-identity";
import type { Database, Pool } from "./pool";

export const leaseName = "matcher";
export const leaseMs = 10_000;
const renewEveryMs = 2_500;

/** This process, so that a later one on the same machine can tell that it is gone. */
export function holderIdentity(pid = process.pid): string {
  return JSON.stringify([hostname(), pid, startOf(pid) ?? ""]);
}

/** The epoch, or undefined if somebody else holds the lease. */
export async function acquireLease(database: Database, holder: string, name = leaseName): Promise<number | undefined> {
  const dead = await deadHolder(database, name);
  const { rows } = await database.query<{ epoch: string }>(
    `INSERT INTO engine.lease AS held (name, holder, epoch, expires_at)
     VALUES ($1, $2, 1, now() + make_interval(secs => $3))
     ON CONFLICT (name) DO UPDATE
       SET holder = excluded.holder, epoch = held.epoch + 1, batch = 0, expires_at = excluded.expires_at
       WHERE held.expires_at <= now() OR held.holder = $4
     RETURNING epoch`,
    [name, holder, leaseMs / 1000, dead ?? null],
  );
  return rows[0] ? Number(rows[0].epoch) : undefined;
}

/** False: another engine has it now. */
export async function renewLease(database: Database, epoch: number, name = leaseName): Promise<boolean> {
  const { rowCount } = await database.query(
    "UPDATE engine.lease SET expires_at = now() + make_interval(secs => $3) WHERE name = $1 AND epoch = $2",
    [name, epoch, leaseMs / 1000],
  );
  return rowCount === 1;
}

export async function releaseLease(database: Database, epoch: number, name = leaseName): Promise<void> {
  await database.query("UPDATE engine.lease SET expires_at = now() WHERE name = $1 AND epoch = $2", [name, epoch]);
}

/** Renews until stopped. A database that cannot be reached is no reason to give up; another epoch is. */
export function keepLease(pool: Pool, epoch: number, onLost: () => void): { stop(): void } {
  let busy = false;
  const timer = setInterval(async () => {
    if (busy) return;
    busy = true;
    try {
      if (!(await renewLease(pool, epoch))) onLost();
    } catch {
      // The writer meets the same trouble and logs it; the next renewal is due soon.
    } finally {
      busy = false;
    }
  }, renewEveryMs);
  return { stop: () => clearInterval(timer) };
}

/** The present holder, if it was a process of this machine that no longer exists. */
async function deadHolder(database: Database, name: string): Promise<string | undefined> {
  const { rows } = await database.query<{ holder: string }>("SELECT holder FROM engine.lease WHERE name = $1", [name]);
  const holder = rows[0]?.holder;
  if (holder === undefined) return undefined;
  const identity: unknown = JSON.parse(holder);
  if (!Array.isArray(identity)) return undefined;
  const [host, pid, start]: unknown[] = identity;
  if (host !== hostname() || typeof pid !== "number") return undefined;
  const isGone = !isAlive(pid) || startOf(pid) !== start;
  return isGone ? holder : undefined;
}
