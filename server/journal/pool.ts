/**
 * Connections to the engine's schema for everything but the journal writer, which keeps one of its own.
 */
import pg from "pg";

export type Pool = pg.Pool;
/** What a query needs: a pool, or a client inside a transaction. */
export type Database = Pick<pg.Pool, "query">;

export function openPool(url: string, maximum = 10): Pool {
  const pool = new pg.Pool({ connectionString: url, max: maximum, connectionTimeoutMillis: 10_000 });
  // A connection that breaks while it is idle is replaced at its next use; without a listener it would end the process.
  pool.on("error", () => undefined);
  return pool;
}
