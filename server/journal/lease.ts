/**
 * The right to decide. One engine at a time holds the lease; each new holder gets a higher epoch.
 *
 *   waiting   held by another   → holding   it expired, was released, or its holder on this machine is dead
 *   holding   renewed in time   → lost      another engine took it (this one was paused or cut off)
 *                               → released  clean exit
 *
 * The lease only keeps two live engines from taking turns. What keeps them from doing harm is the epoch, checked
 * inside every commit (`engine.enter_batch`); so taking over too early would be rude, not dangerous. How long it is, and
 * why: docs/decisions/lease.md.
 */
import { hostname } from "node:os";
import pg from "pg";
import { isAlive, startOf } from "@/server/process-identity";
import type { Database, Pool } from "./pool";

export const leaseName = "matcher";
export const leaseMs = 6_000;
const renewEveryMs = 1_500;
/** An expired lease whose row is locked for longer is held by an engine that was paused in the middle of a commit. */
const lockPatienceMs = 500;

/** This process, so that a later one on the same machine can tell that it is gone. */
export function holderIdentity(pid = process.pid): string {
  return JSON.stringify([hostname(), pid, startOf(pid) ?? ""]);
}

/** The epoch, or undefined if somebody else holds the lease. */
export async function acquireLease(pool: Pool, holder: string, name = leaseName): Promise<number | undefined> {
  // Looking first: a standby asks often, and an upsert would lock the holder's row each time.
  const held = await presentHolder(pool, name);
  if (held && !held.expired && !isGone(held.holder)) return undefined;
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(`SET LOCAL lock_timeout = ${lockPatienceMs}`);
    const { rows } = await client.query<{ epoch: string }>(
      `INSERT INTO engine.lease AS held (name, holder, epoch, expires_at)
       VALUES ($1, $2, 1, now() + make_interval(secs => $3))
       ON CONFLICT (name) DO UPDATE
         SET holder = excluded.holder, epoch = held.epoch + 1, batch = 0, expires_at = excluded.expires_at
         WHERE held.expires_at <= now() OR held.holder = $4
       RETURNING epoch`,
      [name, holder, leaseMs / 1000, held && isGone(held.holder) ? held.holder : null],
    );
    await client.query("COMMIT");
    return rows[0] ? Number(rows[0].epoch) : undefined;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    if (!(error instanceof pg.DatabaseError) || error.code !== "55P03") throw error;
    await endCommitsUnderWay(client);
    return undefined;
  } finally {
    client.release();
  }
}

/** Their engine's time is over; whatever they would have committed, nobody was told of. */
async function endCommitsUnderWay(database: Database): Promise<void> {
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE relation = 'engine.lease'::regclass AND mode = 'RowExclusiveLock' AND granted AND pid <> pg_backend_pid()
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
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
export function keepLease(pool: Pool, epoch: number, onLost: () => void, name = leaseName): { stop(): void } {
  let busy = false;
  const timer = setInterval(async () => {
    if (busy) return;
    busy = true;
    try {
      if (!(await renewLease(pool, epoch, name))) onLost();
    } catch {
      // The writer meets the same trouble and logs it; the next renewal is due soon.
    } finally {
      busy = false;
    }
  }, renewEveryMs);
  return { stop: () => clearInterval(timer) };
}

async function presentHolder(
  database: Database,
  name: string,
): Promise<{ holder: string; expired: boolean } | undefined> {
  const { rows } = await database.query<{ holder: string; expired: boolean }>(
    "SELECT holder, expires_at <= now() AS expired FROM engine.lease WHERE name = $1",
    [name],
  );
  return rows[0];
}

/** Was it a process of this machine that no longer exists? */
function isGone(holder: string): boolean {
  const identity: unknown = JSON.parse(holder);
  if (!Array.isArray(identity)) return false;
  const [host, pid, start]: unknown[] = identity;
  if (host !== hostname() || typeof pid !== "number") return false;
  return !isAlive(pid) || startOf(pid) !== start;
}
