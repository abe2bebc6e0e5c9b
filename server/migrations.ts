/**
 * Brings a database to the shape this code expects. Two sets of SQL files, one runner:
 *
 *   prisma/migrations/NAME/migration.sql    accounts, workflows, clusters; booked in `_prisma_migrations` exactly as the
 *                                           Prisma CLI books them, so that either may apply the next one
 *   server/journal/migrations/NAME.sql      the engine's own schema; booked in `engine_migrations`, of the same shape
 *
 * One at a time (an advisory lock, the one Prisma takes), each file in a transaction together with its booking. A file
 * that changed after it was applied, or a database with migrations we do not know, stops the start with a
 * sentence instead of guessing.
 */
import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, DatabaseError, escapeIdentifier } from "pg";
import { checkoutDirectory } from "./checkout";
import { StartProblem } from "./start-problem";

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

interface MigrationSet {
  /** The table the set is booked in. */
  book: "_prisma_migrations" | "engine_migrations";
  migrations: Migration[];
}

export interface MigrationOptions {
  checkout?: string;
  log?: (line: string) => void;
}

/** The lock the Prisma CLI holds while it migrates. */
const prismaLock = 72_707_369;

/** Returns the names of the migrations it applied. */
export async function applyMigrations(databaseUrl: string, options: MigrationOptions = {}): Promise<string[]> {
  const checkout = options.checkout ?? checkoutDirectory();
  const sets: MigrationSet[] = [
    { book: "_prisma_migrations", migrations: await readFolders(join(checkout, "prisma", "migrations")) },
    { book: "engine_migrations", migrations: await readFiles(join(checkout, "server", "journal", "migrations")) },
  ];
  const schema = new URL(databaseUrl).searchParams.get("schema") ?? "public";
  const client = new Client({ connectionString: databaseUrl, application_name: "gridloom migrations" });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [prismaLock]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${escapeIdentifier(schema)}`);
    await client.query(`SET search_path TO ${escapeIdentifier(schema)}`);
    const applied: string[] = [];
    for (const set of sets) applied.push(...(await applySet(client, set, options.log)));
    return applied;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === "42501") {
      throw new StartProblem(`The database account may not create what Gridloom needs: ${error.message}.`);
    }
    throw error;
  } finally {
    await client.end();
  }
}

async function applySet(client: Client, set: MigrationSet, log?: (line: string) => void): Promise<string[]> {
  await createBook(client, set.book);
  const pending = await pendingMigrations(client, set);
  for (const migration of pending) {
    log?.(`applying database migration ${migration.name}`);
    await applyOne(client, set.book, migration);
  }
  return pending.map((migration) => migration.name);
}

async function createBook(client: Client, book: MigrationSet["book"]): Promise<void> {
  await client.query(`
    CREATE TABLE IF NOT EXISTS ${escapeIdentifier(book)} (
      id                  varchar(36) PRIMARY KEY NOT NULL,
      checksum            varchar(64) NOT NULL,
      finished_at         timestamptz,
      migration_name      varchar(255) NOT NULL,
      logs                text,
      rolled_back_at      timestamptz,
      started_at          timestamptz NOT NULL DEFAULT now(),
      applied_steps_count integer NOT NULL DEFAULT 0
    )`);
}

async function pendingMigrations(client: Client, set: MigrationSet): Promise<Migration[]> {
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean; logs: string | null }>(`
    SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, logs
    FROM ${escapeIdentifier(set.book)} WHERE rolled_back_at IS NULL ORDER BY started_at`);
  const known = new Map(set.migrations.map((migration) => [migration.name, migration]));
  const done = new Set<string>();
  for (const row of rows) {
    const migration = known.get(row.name);
    if (!row.finished) {
      throw new StartProblem(
        `The database migration ${row.name} was begun by another program and failed. Repair it with that program (prisma migrate resolve), then start again.`,
      );
    }
    if (!migration) {
      throw new StartProblem(
        `The database is newer than this Gridloom: it has the migration ${row.name}, which this version does not know. Start the newer version.`,
      );
    }
    if (migration.checksum !== row.checksum) {
      throw new StartProblem(
        `The database migration ${row.name} was changed after it was applied to this database. Restore the file as it was released; changes belong in a new migration.`,
      );
    }
    done.add(row.name);
  }
  return set.migrations.filter((migration) => !done.has(migration.name));
}

async function applyOne(client: Client, book: MigrationSet["book"], migration: Migration): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(migration.sql);
    await client.query(
      `INSERT INTO ${escapeIdentifier(book)} (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    if (error instanceof DatabaseError) {
      throw new StartProblem(`The database migration ${migration.name} could not be applied: ${error.message}.`);
    }
    throw error;
  }
}

async function readFolders(directory: string): Promise<Migration[]> {
  const entries = await entriesOf(directory);
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => readMigration(name, join(directory, name, "migration.sql"))));
}

async function readFiles(directory: string): Promise<Migration[]> {
  const entries = await entriesOf(directory);
  const names = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".sql")).map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => readMigration(name.slice(0, -".sql".length), join(directory, name))));
}

async function entriesOf(directory: string) {
  return readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

async function readMigration(name: string, file: string): Promise<Migration> {
  const sql = await readFile(file, "utf8");
  return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
}
