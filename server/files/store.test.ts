import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FileStore } from "./store";

const hashOf = (content: string) => createHash("sha256").update(content).digest("hex");
const streamOf = (...parts: string[]) => Readable.from(parts.map((part) => Buffer.from(part)));

describe("file store", () => {
  let directory: string;
  let store: FileStore;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "gridloom-store-"));
    store = new FileStore(directory);
  });
  afterEach(() => rm(directory, { recursive: true }));

  const leftovers = () => readdir(join(directory, "incoming"));

  test("content is found under the hash of its bytes", async () => {
    const stored = await store.put(streamOf("hello, ", "grid"));
    expect(stored).toEqual({ sha256: hashOf("hello, grid"), size: 11 });
    expect(await readFile(store.path(stored.sha256), "utf8")).toBe("hello, grid");
    expect(await store.has(stored.sha256)).toBe(true);
    expect(await store.size(stored.sha256)).toBe(11);
    expect(await leftovers()).toEqual([]);
  });

  test("the same content is stored once, an empty file too", async () => {
    const [first, second] = await Promise.all([store.put(streamOf("x")), store.put(streamOf("x"))]);
    expect(first).toEqual(second);
    const empty = await store.put(streamOf());
    expect(empty).toEqual({ sha256: hashOf(""), size: 0 });
    expect(await store.size(empty.sha256)).toBe(0);
  });

  test("a range gives its bytes, both ends included", async () => {
    const { sha256 } = await store.put(streamOf("0123456789"));
    expect(await text(store.open(sha256, { start: 2, end: 4 }))).toBe("234");
    expect(await text(store.open(sha256))).toBe("0123456789");
  });

  test("too much content is refused and leaves nothing behind", async () => {
    await expect(store.put(streamOf("12345", "6"), { limit: 5 })).rejects.toMatchObject({ code: "too-large" });
    await expect(store.put(streamOf("12345"), { limit: 5 })).resolves.toMatchObject({ size: 5 });
    expect(await leftovers()).toEqual([]);
  });

  test("content with another hash than announced is refused", async () => {
    const expected = hashOf("announced");
    await expect(store.put(streamOf("other"), { expected })).rejects.toMatchObject({ code: "wrong-content" });
    expect(await store.has(expected)).toBe(false);
    expect(await store.has(hashOf("other"))).toBe(false);
  });

  test("a sender that breaks off leaves nothing behind", async () => {
    async function* brokenOff() {
      yield Buffer.from("half");
      throw new Error("connection reset");
    }
    await expect(store.put(brokenOff())).rejects.toThrow("connection reset");
    expect(await leftovers()).toEqual([]);
  });

  test("only hashes are names", async () => {
    expect(() => store.path("../../etc/passwd")).toThrow();
    expect(await store.has(hashOf("never stored"))).toBe(false);
  });
});
