import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openPool, type Pool } from "@/server/journal/pool";
import { openPortalDb, type PortalDb } from "@/server/portal-db/client";
import { startTestDatabase, type TestDatabase } from "@/server/postgres/test-database";
import { createAccount, findByPassword, signInWithOidc } from "./accounts";
import { attemptSlowly, sweepFailures } from "./throttle";

let database: TestDatabase;
let pool: Pool;
let db: PortalDb;

beforeAll(async () => {
  database = await startTestDatabase();
  pool = openPool(database.url);
  db = openPortalDb(pool);
});

afterAll(async () => {
  await db?.$disconnect();
  if (pool && !pool.ended) await pool.end();
  await database?.stop();
});

beforeEach(async () => {
  await db.user.deleteMany();
  await db.signInFailure.deleteMany();
});

const password = "loom and shuttle 42";
const person = (email: string) => ({ email, name: email, password });

/**
 * Holds every sign-up between looking whether there is anybody and writing itself down, until all have come that far: the
 * table may be read but not written to. So the race is run each time, not only when the machine happens to be quick.
 */
async function allAtOnce<T>(signUps: (() => Promise<T>)[]): Promise<T[]> {
  const holder = await pool.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE portal."user" IN SHARE ROW EXCLUSIVE MODE');
    const made = Promise.all(signUps.map((signUp) => signUp()));
    await vi.waitFor(
      async () => {
        // Not by the holder: within a transaction PostgreSQL shows the same activity again and again.
        const { rows } = await pool.query<{ held: number }>(
          `SELECT count(*)::int AS held FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rows[0]?.held).toBe(signUps.length);
      },
      { timeout: 10_000, interval: 20 },
    );
    await holder.query("COMMIT");
    return await made;
  } finally {
    // Closed, so that a failed wait leaves no lock to the tests after it.
    holder.release(true);
  }
}

describe("the first account", () => {
  it("is the admin, and of several people who sign up at once exactly one is first", async () => {
    const emails = ["a@example.org", "b@example.org", "c@example.org", "d@example.org"];
    const accounts = await allAtOnce(emails.map((email) => () => createAccount(db, person(email))));
    expect(accounts.map((account) => account?.role).sort()).toEqual(["admin", "scientist", "scientist", "scientist"]);
  });

  it("may also come from the OIDC issuer, at the same moment as one with a password", async () => {
    const claims = { issuer: "i", subject: "1", email: "b@example.org", emailVerified: true };
    await allAtOnce<unknown>([() => createAccount(db, person("a@example.org")), () => signInWithOidc(db, claims)]);
    expect(await db.user.count()).toBe(2);
    expect(await db.user.count({ where: { role: "admin" } })).toBe(1);
  });

  it("is made once when the same e-mail signs up twice at once", async () => {
    const made = await Promise.all([1, 2].map(() => createAccount(db, person("a@example.org"))));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await db.user.count()).toBe(1);
  });
});

describe("a password", () => {
  it("is stored as argon2id and opens its own account only", async () => {
    const account = await createAccount(db, person("a@example.org"));
    await createAccount(db, { ...person("b@example.org"), password: "another one entirely" });
    const stored = await db.user.findUnique({ where: { email: "a@example.org" }, select: { passwordHash: true } });
    expect(stored?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await findByPassword(db, "a@example.org", password))?.id).toBe(account?.id);
    expect(await findByPassword(db, "b@example.org", password)).toBeUndefined();
    expect(await findByPassword(db, "nobody@example.org", password)).toBeUndefined();
  });

  it("does not open a disabled account", async () => {
    await createAccount(db, person("a@example.org"));
    await db.user.updateMany({ data: { disabled: true } });
    expect(await findByPassword(db, "a@example.org", password)).toBeUndefined();
  });
});

describe("a person from the OIDC issuer", () => {
  const subject = { issuer: "https://issuer.example", subject: "42" };

  it("gets the account with the same e-mail only if the issuer verified it", async () => {
    const account = await createAccount(db, person("a@example.org"));
    const claimed = await signInWithOidc(db, { ...subject, email: "A@example.org", emailVerified: false });
    expect(claimed).toEqual({ is: "refused", because: "unverified-email" });
    const verified = await signInWithOidc(db, { ...subject, email: "A@example.org", emailVerified: true });
    expect(verified).toMatchObject({ is: "signed-in", user: { id: account?.id, role: "admin" } });
  });

  it("keeps the account after a change of e-mail, and is stopped when it is disabled", async () => {
    const first = await signInWithOidc(db, { ...subject, email: "a@example.org", emailVerified: true });
    const later = await signInWithOidc(db, { ...subject, email: "new@example.org", emailVerified: false });
    expect(later).toEqual(first);
    await db.user.updateMany({ data: { disabled: true } });
    expect(await signInWithOidc(db, { ...subject, emailVerified: false })).toEqual({
      is: "refused",
      because: "disabled",
    });
  });
});

describe("repeated failures", () => {
  const at = (seconds: number) => new Date(Date.UTC(2030, 0, 1) + seconds * 1000);
  const who = { address: "10.0.0.1", email: "a@example.org" };

  async function failures(count: number, seconds = 0) {
    for (let i = 0; i < count; i++) await attemptSlowly(db, who, at(seconds));
  }

  it("are free at first, then cost a wait that doubles and says how long it is", async () => {
    await failures(4);
    expect(await attemptSlowly(db, who, at(0))).toMatchObject({ is: "wait", seconds: 2 });
    expect(await attemptSlowly(db, who, at(0))).toMatchObject({
      sentence: "Too many failed attempts. Wait 2 seconds and try again.",
    });
    expect(await attemptSlowly(db, who, at(2.1))).toMatchObject({ is: "allowed" });
    expect(await attemptSlowly(db, who, at(2.1))).toMatchObject({ is: "wait", seconds: 4 });
  });

  it("never lock an account for longer than five minutes, and hammering does not prolong it", async () => {
    let now = 0;
    for (let i = 0; i < 30; i++) {
      const attempt = await attemptSlowly(db, who, at(now));
      now += attempt.is === "wait" ? attempt.seconds : 0;
    }
    for (let i = 0; i < 20; i++) await attemptSlowly(db, who, at(now));
    expect(await attemptSlowly(db, who, at(now + 300))).toMatchObject({ is: "allowed" });
  });

  it("count when they come all at once", async () => {
    const attempts = await Promise.all(Array.from({ length: 12 }, () => attemptSlowly(db, who, at(0))));
    expect(attempts.filter((attempt) => attempt.is === "allowed")).toHaveLength(4);
  });

  it("of one address do not keep the owner out who comes from another", async () => {
    await failures(10);
    expect(await attemptSlowly(db, { ...who, address: "10.0.0.2" }, at(0))).toMatchObject({ is: "allowed" });
  });

  it("over many accounts from one address are slowed down too", async () => {
    for (let i = 0; i < 20; i++) await attemptSlowly(db, { ...who, email: `${i}@example.org` }, at(0));
    expect(await attemptSlowly(db, { ...who, email: "x@example.org" }, at(0))).toMatchObject({ is: "wait" });
  });

  it("are forgotten after a success, and after a quiet day", async () => {
    await failures(3);
    const right = await attemptSlowly(db, who, at(0));
    if (right.is !== "allowed") throw new Error("expected to be let in");
    await right.succeeded();
    await failures(3);
    expect(await attemptSlowly(db, who, at(1))).toMatchObject({ is: "allowed" });
    expect(await attemptSlowly(db, who, at(1))).toMatchObject({ is: "wait" });
    expect(await attemptSlowly(db, who, at(2 * 86_400))).toMatchObject({ is: "allowed" });
    expect(await attemptSlowly(db, who, at(2 * 86_400))).toMatchObject({ is: "allowed" });
    await sweepFailures(db, at(4 * 86_400));
    expect(await db.signInFailure.count()).toBe(0);
  });
});
