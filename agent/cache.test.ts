import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Cache } from "./cache";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

describe("the cache", () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "gridloom-cache-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const open = (limit = 1000) => new Cache(join(directory, "cache"), limit);
  const read = async (path: string) => readFileSync(path, "utf8");
  const fetching = (text: string) => async (to: string) => writeFileSync(to, text);
  const keep = async (cache: Cache, text: string) => {
    const path = join(directory, text.slice(0, 20));
    writeFileSync(path, text);
    return await cache.adopt(path, "a-run");
  };

  it("fetches once for all who want a file at the same time, and finds it after a restart", async () => {
    const cache = open();
    let fetched = 0;
    const fetch = async (to: string) => {
      fetched++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      writeFileSync(to, "content");
    };
    const wants = [1, 2, 3].map(() => cache.use(hash("content"), read, fetch));
    expect(await Promise.all(wants)).toEqual(["content", "content", "content"]);
    expect(fetched).toBe(1);
    expect(await open().use(hash("content"), read)).toBe("content");
  });

  it("a failed fetch leaves nothing, and the next one is tried", async () => {
    const cache = open();
    const fail = async () => {
      throw new Error("broken");
    };
    await expect(cache.use(hash("x"), read, fail)).rejects.toThrow("broken");
    expect(cache.has(hash("x"))).toBe(false);
    expect(await cache.use(hash("x"), read, fetching("x"))).toBe("x");
  });

  it("one who stops waiting does not take the file from the others", async () => {
    const cache = open();
    const slow = async (to: string) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      writeFileSync(to, "x");
    };
    const abort = new AbortController();
    const leaver = cache.use(hash("x"), read, slow, abort.signal);
    const stayer = cache.use(hash("x"), read, slow);
    abort.abort();
    await expect(leaver).rejects.toThrow();
    expect(await stayer).toBe("x");
  });

  it("makes room from the least recently used, transient files last", async () => {
    const cache = open(100);
    const kept = await keep(cache, "k".repeat(40));
    const older = "a".repeat(25);
    const newer = "b".repeat(25);
    await cache.use(hash(older), read, fetching(older));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await cache.use(hash(newer), read, fetching(newer));
    await cache.use(hash("c".repeat(30)), read, fetching("c".repeat(30)));
    expect([older, newer].map((text) => cache.has(hash(text)))).toEqual([false, true]);
    expect(cache.has(kept.sha256)).toBe(true);
    await cache.use(hash("d".repeat(90)), read, fetching("d".repeat(90)));
    expect(cache.has(kept.sha256)).toBe(false);
  });

  it("never takes a file away while it is used", async () => {
    const cache = open(10);
    await cache.use(
      hash("used-used"),
      async (path) => {
        await cache.use(hash("new-new-n"), read, fetching("new-new-n"));
        expect(readFileSync(path, "utf8")).toBe("used-used");
      },
      fetching("used-used"),
    );
  });

  it("an ordinary file that becomes transient too stays like one", async () => {
    const cache = open(50);
    await cache.use(hash("z".repeat(20)), read, fetching("z".repeat(20)));
    await keep(cache, "z".repeat(20));
    await cache.use(hash("y".repeat(25)), read, fetching("y".repeat(25)));
    await cache.use(hash("w".repeat(20)), read, fetching("w".repeat(20)));
    expect(cache.has(hash("z".repeat(20)))).toBe(true);
  });

  it("is shared: of several agents one fetches a file, and all have it", async () => {
    const agents = [open(), open(), open()];
    let fetched = 0;
    const fetch = async (to: string) => {
      fetched++;
      await new Promise((resolve) => setTimeout(resolve, 50));
      writeFileSync(to, "shared");
    };
    const wants = agents.map((cache) => cache.use(hash("shared"), read, fetch));
    expect(await Promise.all(wants)).toEqual(["shared", "shared", "shared"]);
    expect(fetched).toBe(1);
  });

  it("a transient file of one agent serves the others, until its run is over", async () => {
    const [one, other] = [open(), open()];
    const { sha256 } = await keep(one, "transient");
    expect(other.has(sha256)).toBe(true);
    expect(await other.use(sha256, read)).toBe("transient");
    other.drop("another-run");
    expect(other.has(sha256)).toBe(true);
    one.drop("a-run");
    expect(await other.use(sha256, read)).toBeUndefined();
    expect(other.runs()).toEqual([]);
  });

  it("what another agent removed to make room is fetched again", async () => {
    const [one, other] = [open(10), open(10)];
    await one.use(hash("first"), read, fetching("first"));
    await other.use(hash("second-2"), read, fetching("second-2"));
    expect(await one.use(hash("first"), read, fetching("first"))).toBe("first");
  });

  it("a claim of an agent that died does not keep the others waiting", async () => {
    const cache = open();
    mkdirSync(join(directory, "cache/claims"));
    writeFileSync(join(directory, "cache/claims", hash("x")), `${hostname()} 999999999 long-ago\n`);
    expect(await cache.use(hash("x"), read, fetching("x"))).toBe("x");
  });

  it("with a limit of 0 nothing is kept: every task fetches for itself", async () => {
    const cache = open(0);
    let fetched = 0;
    const fetch = async (to: string) => {
      fetched++;
      writeFileSync(to, "x");
    };
    expect(await Promise.all([1, 2].map(() => cache.use(hash("x"), read, fetch)))).toEqual(["x", "x"]);
    expect(fetched).toBe(2);
  });
});
