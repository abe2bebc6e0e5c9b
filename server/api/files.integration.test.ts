/** Files in and out: uploads up to the limit, downloads and archives with any name. */
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TaskState } from "@/core/engine/task-state";
import type { SessionUser } from "@/server/auth/session";
import type { Backend } from "./backend";
import { contextOf, startTestBackend, type TestBackend } from "./backend-for-tests";
import { downloadArchive, downloadFile, downloadRescue } from "./downloads";
import { receiveUpload } from "./receive-upload";
import { createCaller } from "./root";
import { recordUpload } from "./uploads";

const limit = 100_000;

let test: TestBackend;
let backend: Backend;
let alice: SessionUser;

beforeAll(async () => {
  test = await startTestBackend({ maxUploadBytes: limit });
  backend = test.backend;
  alice = await test.person("scientist");
});

afterAll(async () => {
  await test?.stop();
});

function upload(name: string, body: BodyInit, headers: Record<string, string> = {}) {
  const url = `http://portal.test/api/upload?name=${encodeURIComponent(name)}`;
  // Node wants to be told that the answer may come before the end of the body; the DOM's types do not know it.
  const init: RequestInit & { duplex: "half" } = { method: "POST", body, headers, duplex: "half" };
  return receiveUpload(backend, alice, new Request(url, init));
}

/** Sends pieces without saying how many there are; counts how many were taken. */
function stream(pieces: number, size: number) {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (taken === pieces) controller.close();
      else {
        taken++;
        controller.enqueue(new Uint8Array(size).fill(taken));
      }
    },
  });
  return { body, taken: () => taken };
}

async function filesInStore(): Promise<string[]> {
  const entries = await readdir(backend.home.files, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function makeRun(): Promise<string> {
  const text = 'task A -e "echo hello" -o a.out\n';
  return (await createCaller(contextOf(backend, alice)).runs.start({ name: "Läufe “1”", text })).id;
}

async function addOutput(run: string, name: string, content: string, transient = false) {
  const { sha256, size } = await backend.files.put(
    (async function* () {
      yield Buffer.from(content);
    })(),
  );
  await backend.pool.query(
    `INSERT INTO engine.output (run, name, task, ordinal, sha256, size, transient)
     VALUES ($1, $2, 0, 1, decode($3, 'hex'), $4, $5)`,
    [run, name, sha256, size, transient],
  );
}

describe("an upload", () => {
  it("gives the hash under which its owner may use it", async () => {
    const answer = await upload("Ünïcode “name”.txt", "hello");
    expect(answer).toMatchObject({
      status: 200,
      body: {
        name: "Ünïcode “name”.txt",
        size: 5,
        sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
      },
    });
  });

  it("may have the same content as others that come at the same moment", async () => {
    const contents = Array.from({ length: 10 }, (_, i) => ({ sha256: String(i).repeat(64), size: 1 }));
    await Promise.all(
      contents.flatMap((content) => Array.from({ length: 10 }, () => recordUpload(backend.db, alice.id, content))),
    );
    const owned = { ownerId: alice.id, sha256: { in: contents.map(({ sha256 }) => sha256) } };
    expect(await backend.db.upload.count({ where: owned })).toBe(contents.length);
  });

  it("over the limit is refused with a sentence and leaves nothing behind", async () => {
    const before = await filesInStore();
    const uploads = await backend.db.upload.count();
    const { body, taken } = stream(1000, 10_000);
    const answer = await upload("big.bin", body);
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual({
      error: "“big.bin” is larger than the 0.1 MB this portal accepts. Nothing was stored.",
    });
    // It was not read to the end either.
    expect(taken()).toBeLessThan(20);
    expect(await filesInStore()).toEqual(before);
    expect(await backend.db.upload.count()).toBe(uploads);
  });

  it("that announces its size is refused before a byte is taken", async () => {
    const { body, taken } = stream(1000, 10_000);
    const answer = await upload("big.bin", body, { "content-length": String(limit + 1) });
    expect(answer.status).toBe(413);
    expect(taken()).toBeLessThan(2);
  });

  it("of exactly the limit is taken", async () => {
    const { body } = stream(10, limit / 10);
    expect(await upload("full.bin", body)).toMatchObject({ status: 200, body: { size: limit } });
  });

  it("that breaks off leaves nothing behind", async () => {
    const before = await filesInStore();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
      pull: (controller) => controller.error(new Error("the line broke")),
    });
    await expect(upload("half.bin", body)).rejects.toThrow("the line broke");
    expect(await filesInStore()).toEqual(before);
  });

  it.each(["/etc/passwd", "../up", "a/../b", "", "a//b"])("named “%s” is refused", async (name) => {
    expect((await upload(name, "x")).status).toBe(400);
  });
});

describe("a download", () => {
  it("is never shown as a page of the portal", async () => {
    const run = await makeRun();
    await addOutput(run, "dir/π “1”.html", "<script>alert(1)</script>");
    const response = await downloadFile(backend, alice, run, "dir/π “1”.html");
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; .*filename\*=UTF-8''%CF%80%20%E2%80%9C1/);
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toMatch(/^sandbox/);
    expect(await response.text()).toBe("<script>alert(1)</script>");
  });

  it("of a transient file is not offered", async () => {
    const run = await makeRun();
    await addOutput(run, "t.out", "gone", true);
    expect((await downloadFile(backend, alice, run, "t.out")).status).toBe(404);
  });
});

describe("the archive", () => {
  it("holds every result under its own name, and no transient file", async () => {
    const run = await makeRun();
    await addOutput(run, "a b.txt", "first");
    await addOutput(run, "ordner/ünï 'q'.txt", "second");
    await addOutput(run, "t.out", "transient", true);
    const response = await downloadArchive(backend, alice, run);
    expect(response.status).toBe(200);
    const content = Buffer.from(await response.arrayBuffer());
    expect(unzip(content)).toEqual({ "a b.txt": "first", "ordner/ünï 'q'.txt": "second" });
  });

  it("of a run without results says so", async () => {
    const response = await downloadArchive(backend, alice, await makeRun());
    expect(response.status).toBe(404);
    expect(await response.text()).toBe("This run has no result files yet.\n");
  });

  it("of an unknown run is not there", async () => {
    expect((await downloadArchive(backend, alice, randomUUID())).status).toBe(404);
  });

  it("has what is left of a run as a DAG, for its owner only", async () => {
    const run = await makeRun();
    const answer = await downloadRescue(backend, alice, run);
    expect(answer.headers.get("content-disposition")).toContain("rescue.dag");
    const dag = await answer.text();
    expect(dag).toMatch(/^JOB A \{$/m);
    expect(dag).not.toContain("DONE");
    await backend.pool.query("UPDATE engine.task_chunk SET states = set_byte(states, 0, $2) WHERE run = $1", [
      run,
      TaskState.finished,
    ]);
    expect(await (await downloadRescue(backend, alice, run)).text()).toMatch(/^\} DONE$/m);
    expect((await downloadRescue(backend, null, run)).status).toBe(401);
    expect((await downloadRescue(backend, await test.person("scientist"), run)).status).toBe(404);
  });
});

/** Reads a zip by its central directory (APPNOTE 4.3.12), names in UTF-8. */
function unzip(zip: Buffer): Record<string, string> {
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06"));
  const files: Record<string, string> = {};
  let at = zip.readUInt32LE(end + 16);
  for (let i = 0; i < zip.readUInt16LE(end + 10); i++) {
    const method = zip.readUInt16LE(at + 10);
    const packed = zip.readUInt32LE(at + 20);
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + packed);
    files[zip.toString("utf8", at + 46, at + 46 + name!)] = (method === 8 ? inflateRawSync(data) : data).toString();
    at += 46 + name! + extra! + comment!;
  }
  return files;
}
