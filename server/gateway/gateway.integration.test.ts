/**
 * The gateway's door, with a real PostgreSQL and file store and no engine: who gets in, and what may be fetched and stored.
 */
import { createHash, randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AttemptOutput } from "@/server/files/attempt-output";
import { FileStore } from "@/server/files/store";
import { freePort } from "@/server/free-port";
import { homeAt } from "@/server/home";
import { openPool, type Pool } from "@/server/journal/pool";
import { expectAgent } from "@/server/journal/queries/expect-agent";
import { noteAgentState } from "@/server/journal/queries/note-agent-state";
import { storeRun } from "@/server/journal/run-for-tests";
import { startTestDatabase, type TestDatabase } from "@/server/postgres/test-database";
import { Gateway } from "./gateway";
import { largestBody } from "./json-body";

let database: TestDatabase;
let pool: Pool;
let directory: string;
let gateway: Gateway;
let url: string;
let id: string;
let token: string;

beforeAll(async () => {
  database = await startTestDatabase();
  pool = openPool(database.url);
  directory = await mkdtemp(join(tmpdir(), "gridloom-gateway-"));
  gateway = new Gateway({
    pool: openPool(database.url),
    home: homeAt(directory),
    engine: { path: join(directory, "no-engine.sock") },
    log: pino({ level: "silent" }),
  });
  const port = await freePort(0);
  await gateway.listen(port);
  url = `http://127.0.0.1:${port}/agent/v1`;
});
afterAll(async () => {
  await gateway.stop();
  await pool.end();
  await database.stop();
  await rm(directory, { recursive: true });
});
beforeEach(async () => {
  id = randomUUID();
  token = randomUUID();
  await expectAgent(pool, { id, cluster: "local", token });
});

const host = { name: "h", os: "linux", arch: "x64", cpus: 1, cpuModel: "", memoryBytes: 0 };
const headers = (as = token) => ({ Authorization: `Bearer ${as}` });
const post = (path: string, body: unknown, as = token) =>
  fetch(`${url}/${path}`, { method: "POST", headers: headers(as), body: JSON.stringify(body) });
const hello = (agent = id, as = token) => post("hello", { protocol: 1, agent, host, slots: 2, capabilities: [] }, as);
const exchange = (more: object = {}, agent = id) =>
  post("exchange", { agent, held: [], started: [], ended: [], output: [], goodbye: false, waitMs: 0, ...more });
const hashOf = (content: string) => createHash("sha256").update(content).digest("hex");

/** An attempt of this agent, as an engine would have written it. */
async function openAttempt(inputs: { name: string; sha256: string; size: number }[] = []): Promise<string> {
  const { run } = await storeRun(pool, { taskCount: 1, inputs, settings: { streamBytes: 10 } });
  await pool.query("UPDATE engine.run SET state = 'running' WHERE id = $1", [run]);
  await pool.query("INSERT INTO engine.attempt VALUES ($1, 0, 1, 1, $2, 'local', 'h', now())", [run, id]);
  return run;
}

describe("who gets in", () => {
  test("an agent with its token, and nobody without", async () => {
    expect(await (await hello()).json()).toEqual({ waitMs: 10_000 });
    expect((await exchange()).status).toBe(200);
    for (const as of ["", "short", randomUUID()]) {
      const answer = await hello(id, as);
      expect(answer.status).toBe(401);
      expect(await answer.json()).toEqual({ error: expect.stringMatching(/token/) });
    }
  });

  test("a revoked token is refused with a sentence", async () => {
    await pool.query("UPDATE engine.agent SET revoked_at = now() WHERE id = $1", [id]);
    const answer = await hello();
    expect(answer.status).toBe(401);
    expect(await answer.json()).toEqual({ error: "This token was revoked." });
  });

  test("nobody speaks under the identity of another token's agent", async () => {
    await hello();
    const other = { id: randomUUID(), cluster: "local", token: randomUUID() };
    await expectAgent(pool, other);
    expect((await hello(id, other.token)).status).toBe(403);
    const asOther = await post(
      "exchange",
      { agent: id, held: [], started: [], ended: [], output: [], goodbye: false, waitMs: 0 },
      other.token,
    );
    expect(asOther.status).toBe(409);
  });

  test("an agent that was given up is told so, and may come back under a new identity", async () => {
    await noteAgentState(pool, id, "refused");
    await hello();
    expect(await (await exchange()).json()).toMatchObject({ refused: true });
    const next = randomUUID();
    expect((await hello(next)).status).toBe(200);
    expect(await (await exchange({}, next)).json()).toMatchObject({ refused: false });
  });
});

describe("messages", () => {
  test("what is not understood is refused with a sentence", async () => {
    await hello();
    expect((await exchange({ held: "nothing" })).status).toBe(400);
    expect((await fetch(`${url}/exchange`, { method: "POST", headers: headers(), body: "{" })).status).toBe(400);
    expect((await fetch(`${url}/elsewhere`, { headers: headers() })).status).toBe(404);
  });

  test("a message beyond all measure is refused", async () => {
    const body = Buffer.alloc(largestBody + 1, " ");
    expect((await fetch(`${url}/exchange`, { method: "POST", headers: headers(), body })).status).toBe(413);
  });

  test("an exchange with nothing to say is held as long as asked", async () => {
    await hello();
    const began = Date.now();
    await exchange({ waitMs: 300 });
    expect(Date.now() - began).toBeGreaterThanOrEqual(290);
  });

  test("a second exchange releases the first", async () => {
    await hello();
    const began = Date.now();
    const first = exchange({ waitMs: 8000 });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await exchange({ waitMs: 0 });
    expect(await (await first).json()).toMatchObject({ assign: [] });
    expect(Date.now() - began).toBeLessThan(4000);
  });

  test("output is stored for the agent's own attempts, up to their limit, and for no others", async () => {
    await hello();
    const run = await openAttempt();
    const other = (await storeRun(pool, { taskCount: 1 })).run;
    const stretch = (attempt: string) => ({
      attempt,
      stream: "stdout",
      offset: 0,
      base64: Buffer.from("hello, world").toString("base64"),
    });
    expect((await exchange({ output: [stretch(`${run}.0.1`), stretch(`${other}.0.1`)] })).status).toBe(200);
    expect(await readdir(join(directory, "output"))).toEqual([run]);
    const kept = await new AttemptOutput(join(directory, "output")).read(
      { run, task: 0, ordinal: 1 },
      "stdout",
      0,
      100,
    );
    expect(kept.bytes.toString()).toBe("hello, wor");
  });
});

describe("files", () => {
  test("an output is stored under its hash, and refused under another", async () => {
    const put = (sha256: string, body: string) =>
      fetch(`${url}/files/${sha256}`, { method: "PUT", headers: headers(), body });
    expect((await put(hashOf("result"), "result")).status).toBe(204);
    expect((await put(hashOf("result"), "result")).status).toBe(204);
    expect(await new FileStore(join(directory, "files")).has(hashOf("result"))).toBe(true);
    expect((await put(hashOf("announced"), "other")).status).toBe(422);
    expect((await put("../../x", "other")).status).toBe(404);
  });

  test("an upload that says it is too large is refused before it is sent", async () => {
    const status = await new Promise((resolve, reject) => {
      const outgoing = request(`${url}/files/${hashOf("huge")}`, {
        method: "PUT",
        headers: { ...headers(), "Content-Length": 20 * 1024 ** 3 },
      });
      outgoing.on("response", (response) => {
        resolve(response.statusCode);
        outgoing.destroy();
      });
      outgoing.on("error", reject);
      outgoing.write("x");
    });
    expect(status).toBe(413);
  });

  test("inputs of open attempts may be fetched, whole or in part, and nothing else", async () => {
    const store = new FileStore(join(directory, "files"));
    const wanted = await store.put(Readable.from([Buffer.from("0123456789")]));
    const secret = await store.put(Readable.from([Buffer.from("somebody else's")]));
    await hello();
    const get = (sha256: string, more: Record<string, string> = {}, method = "GET") =>
      fetch(`${url}/files/${sha256}`, { method, headers: { ...headers(), ...more } });
    expect((await get(wanted.sha256)).status).toBe(404);

    const run = await openAttempt([{ name: "in", ...wanted }]);
    expect(await (await get(wanted.sha256)).text()).toBe("0123456789");
    const part = await get(wanted.sha256, { Range: "bytes=4-" });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      "bytes 4-9/10",
      "456789",
    ]);
    expect((await get(wanted.sha256, { Range: "bytes=10-" })).status).toBe(416);
    const head = await get(wanted.sha256, {}, "HEAD");
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "10"]);
    expect((await get(secret.sha256)).status).toBe(404);

    await pool.query("INSERT INTO engine.outcome VALUES ($1, 0, 1, 'succeeded', NULL, 0, NULL, NULL, '{}', now())", [
      run,
    ]);
    expect((await get(wanted.sha256)).status).toBe(404);
  });
});

describe("large files", () => {
  const content = Buffer.alloc(500_000, "the same words again and again ");
  const sha256 = createHash("sha256").update(content).digest("hex");
  const put = (from: number, to: number, bytes: Buffer) =>
    fetch(`${url}/uploads/${sha256}`, {
      method: "PUT",
      headers: { ...headers(), "Content-Range": `bytes ${from}-${content.length - 1}/${content.length}` },
      body: new Uint8Array(bytes.subarray(from, to)),
    });
  const arrived = async () =>
    Number(
      (await fetch(`${url}/uploads/${sha256}`, { method: "HEAD", headers: headers() })).headers.get("upload-offset"),
    );

  test("an upload that broke off goes on where it did, and counts only when its content is right", async () => {
    await hello();
    const broken = request(`${url}/uploads/${sha256}`, {
      method: "PUT",
      headers: { ...headers(), "Content-Range": "bytes 0-499999/500000", "Content-Length": 500_000 },
    });
    broken.on("error", () => undefined);
    broken.write(content.subarray(0, 200_000), () => broken.destroy());
    await new Promise((resolve) => broken.once("close", resolve));
    await expect.poll(arrived).toBeGreaterThan(100_000);
    expect((await put(100_000, content.length, content)).status).toBe(409);
    expect((await put(await arrived(), content.length, content)).status).toBe(204);
    expect((await fetch(`${url}/uploads/${sha256}`, { method: "HEAD", headers: headers() })).status).toBe(204);
    expect(await new FileStore(homeAt(directory).files).size(sha256)).toBe(content.length);
    const forged = await fetch(`${url}/uploads/${"ab".repeat(32)}`, {
      method: "PUT",
      headers: { ...headers(), "Content-Range": "bytes 0-3/4" },
      body: "fake",
    });
    expect(forged.status).toBe(422);
    for (const range of ["bytes 0-3/5", "bytes 4-3/4", "bytes", ""]) {
      const odd = await fetch(`${url}/uploads/${sha256}`, {
        method: "PUT",
        headers: { ...headers(), "Content-Range": range },
        body: "fake",
      });
      expect(odd.status).toBe(400);
    }
  });

  test("whether another's file exists is not told", async () => {
    await hello();
    await new FileStore(homeAt(directory).files).put(Readable.from([content]));
    expect(await arrived()).toBe(0);
  });

  test("packs what shrinks, from any place on, for agents that ask", async () => {
    await openAttempt([{ name: "in", sha256, size: content.length }]);
    await hello();
    const packed = (range: Record<string, string>) =>
      new Promise<{ status?: number; encoding?: string; bytes: Buffer }>((resolve, reject) => {
        const asked = request(`${url}/files/${sha256}`, {
          headers: { ...headers(), "accept-encoding": "gzip", ...range },
        });
        asked.on("response", (answer) => {
          const pieces: Buffer[] = [];
          answer.on("data", (piece: Buffer) => pieces.push(piece));
          answer.on("end", () =>
            resolve({
              status: answer.statusCode,
              encoding: answer.headers["content-encoding"],
              bytes: Buffer.concat(pieces),
            }),
          );
        });
        asked.on("error", reject).end();
      });
    const whole = await packed({});
    expect(whole).toMatchObject({ status: 200, encoding: "gzip" });
    expect(whole.bytes.length).toBeLessThan(20_000);
    expect(gunzipSync(whole.bytes).equals(content)).toBe(true);
    const rest = await packed({ range: "bytes=400000-" });
    expect(rest.status).toBe(206);
    expect(gunzipSync(rest.bytes).equals(content.subarray(400_000))).toBe(true);
  });
});
