/** Migrations against a real PostgreSQL: applied once, booked as Prisma books them, and honest about what does not fit. */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { applyMigrations } from "./migrations";
import { startTestDatabase, type TestDatabase } from "./postgres/test-database";

let database: TestDatabase;
let checkout: string;
let url: string;
let number = 0;

beforeAll(async () => {
  database = await startTestDatabase();
});

afterAll(async () => {
  await database.stop();
});

beforeEach(async () => {
  const name = `migrations_${++number}`;
  await query(database.url, `CREATE DATABASE ${name}`);
  url = Object.assign(new URL(database.url), { pathname: `/${name}` }).href;
  checkout = await mkdtemp(join(tmpdir(), "gridloom-migrations-"));
  await write("prisma/migrations/migration_lock.toml", 'provider = "postgresql"\n');
  await write("prisma/migrations/20260101000000_first/migration.sql", "CREATE TABLE account (id integer);");
  await write(
    "server/journal/migrations/001_engine.sql",
    "CREATE SCHEMA engine; CREATE TABLE engine.run (id integer);",
  );
  return () => rm(checkout, { recursive: true, force: true });
});

describe("applyMigrations", () => {
  it("applies each migration once, in order, and later only what is new", async () => {
    expect(await applyMigrations(url, { checkout })).toEqual(["20260101000000_first", "001_engine"]);
    expect(await applyMigrations(url, { checkout })).toEqual([]);
    await write("server/journal/migrations/002_more.sql", "ALTER TABLE engine.run ADD COLUMN name text");
    expect(await applyMigrations(url, { checkout })).toEqual(["002_more"]);
  });

  it("books a Prisma migration the way the Prisma CLI does", async () => {
    await applyMigrations(url, { checkout });
    const rows = await query(
      url,
      `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished, rolled_back_at, logs, applied_steps_count AS steps
       FROM public._prisma_migrations`,
    );
    const checksum = createHash("sha256").update("CREATE TABLE account (id integer);").digest("hex");
    expect(rows).toEqual([
      { migration_name: "20260101000000_first", checksum, finished: true, rolled_back_at: null, logs: null, steps: 1 },
    ]);
  });

  it("leaves nothing of a migration that fails, and says which", async () => {
    await write("server/journal/migrations/002_bad.sql", "CREATE TABLE engine.half (id integer); SELECT nonsense;");
    await expect(applyMigrations(url, { checkout })).rejects.toThrow(/002_bad could not be applied/);
    expect(await query(url, "SELECT to_regclass('engine.half') AS half")).toEqual([{ half: null }]);
    expect(await query(url, "SELECT migration_name AS name FROM engine_migrations")).toEqual([{ name: "001_engine" }]);
  });

  it("refuses a migration that was changed after it was applied", async () => {
    await applyMigrations(url, { checkout });
    await write("prisma/migrations/20260101000000_first/migration.sql", "CREATE TABLE account (id bigint);");
    await expect(applyMigrations(url, { checkout })).rejects.toThrow(/20260101000000_first was changed after/);
  });

  it("refuses a database that is newer than the code", async () => {
    await write("server/journal/migrations/002_future.sql", "SELECT 1");
    await applyMigrations(url, { checkout });
    await rm(join(checkout, "server/journal/migrations/002_future.sql"));
    await expect(applyMigrations(url, { checkout })).rejects.toThrow(/newer than this Gridloom.*002_future/);
  });

  it("refuses a migration that another program began and failed", async () => {
    await applyMigrations(url, { checkout });
    await query(url, "UPDATE _prisma_migrations SET finished_at = NULL");
    await expect(applyMigrations(url, { checkout })).rejects.toThrow(/failed/);
  });

  it("lets two starters at once apply each migration once", async () => {
    const both = await Promise.all([applyMigrations(url, { checkout }), applyMigrations(url, { checkout })]);
    expect(both.flat().sort()).toEqual(["001_engine", "20260101000000_first"]);
  });

  it("brings this checkout's own migrations together", async () => {
    const tables = await query(
      database.url,
      "SELECT to_regclass('engine.run') IS NOT NULL AS engine, to_regclass('portal.cluster') IS NOT NULL AS portal",
    );
    expect(tables).toEqual([{ engine: true, portal: true }]);
  });
});

async function write(name: string, content: string): Promise<void> {
  await mkdir(dirname(join(checkout, name)), { recursive: true });
  await writeFile(join(checkout, name), content);
}

async function query(databaseUrl: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
