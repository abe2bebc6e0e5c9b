/**
 * What the input cache saves (GRAND, Table G.2): bags of tasks that do nothing and share an input of 1 MB, on one SSH host that sees
 * the portal over a link of 10 Mbit/s and 20 ms each way. Two agents work on the host. With the cache the file is
 * fetched by one of them and used by all tasks; without, every task fetches it. Transfers are counted on the portal's side of the link.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { publishAgentPrograms } from "@/server/clusters/agent-programs";
import { agentScript } from "@/server/clusters/agent-script";
import { sshRunner } from "@/server/clusters/over-ssh";
import { defaultRunSettings } from "@/server/engine/run-settings";
import { FileStore } from "@/server/files/store";
import type { Home } from "@/server/home";
import { openPool, type Pool } from "@/server/journal/pool";
import { createRun } from "@/server/journal/queries/create-run";
import { expectAgent } from "@/server/journal/queries/expect-agent";
import { getRun } from "@/server/journal/queries/get-run";
import { startStack } from "@/server/stack";
import { makeTemporaryHome } from "@/server/temporary-home";
import { SshHost } from "@/server/testbed/ssh-hosts-for-tests";
import { type Measurement, rounded } from "./measurement";

const sizes = [50, 100, 200];
const inputBytes = 1_000_000;
const link = { delayMs: 20, bytesPerSecond: 10_000_000 / 8 };
const agents = 2;
const slots = 2;

export async function measure(): Promise<Measurement> {
  const { home, remove } = await makeTemporaryHome();
  const stack = await startStack({ home, web: false, slots: 0, log: () => undefined });
  const pool = openPool(stack.databaseUrl);
  const door = await countingDoor(new URL(stack.gatewayUrl));
  try {
    const cached = await onOneHost(home, pool, door, 10 * 2 ** 30);
    const fetched = await onOneHost(home, pool, door, 0);
    const measures: Record<string, number> = {};
    for (const size of sizes) {
      const [withCache, without] = [cached.get(size), fetched.get(size)];
      if (!withCache || !without) continue;
      measures[`saved_fraction_${size}`] = rounded(1 - withCache.seconds / without.seconds);
    }
    for (const size of sizes) {
      measures[`seconds_cached_${size}`] = rounded(cached.get(size)?.seconds ?? Number.NaN);
      measures[`seconds_uncached_${size}`] = rounded(fetched.get(size)?.seconds ?? Number.NaN);
    }
    measures.transfers_per_cluster = Math.max(...[...cached.values()].map(({ transfers }) => transfers));
    measures.transfers_uncached_200 = fetched.get(200)?.transfers ?? Number.NaN;
    const notes = `${agents} agents with ${slots} slots each on one SSH host; a new random input of ${inputBytes} bytes for each bag; from submission to the end of the run.`;
    return { measures, peers: {}, notes };
  } finally {
    door.server.closeAllConnections();
    door.server.close();
    await pool.end();
    await stack.stop();
    await remove();
  }
}

interface Result {
  seconds: number;
  transfers: number;
}

async function onOneHost(home: Home, pool: Pool, door: Door, cacheBytes: number): Promise<Map<number, Result>> {
  const cluster = `link-${cacheBytes === 0 ? "uncached" : "cached"}`;
  await pool.query(
    `INSERT INTO portal.cluster (id, name, driver, isolation, isolation_note, slots) VALUES ($1, $1, 'ssh', 'none', '', 2)`,
    [cluster],
  );
  await pool.query("SELECT pg_notify('gridloom_cluster', $1)", [cluster]);
  const programs = await publishAgentPrograms(home);
  const host = await SshHost.start({ network: { reach: [door.port], link } });
  const runner = sshRunner(host.target);
  const results = new Map<number, Result>();
  const jobs: Promise<unknown>[] = [];
  try {
    const gatewayUrl = `http://127.0.0.1:${door.port}`;
    for (let count = 0; count < agents; count++) {
      const identity = { agent: randomUUID(), token: randomUUID(), cluster };
      await expectAgent(pool, { id: identity.agent, ...identity });
      const script = agentScript({ ...identity, gatewayUrl, slots, programs, cacheBytes });
      const job = runner.run(["/bin/sh", "-s"], { stdin: script, timeoutMs: 3_600_000, purpose: "start an agent" });
      jobs.push(job.catch(() => undefined));
    }
    await joined(pool, cluster);
    for (const tasks of sizes) results.set(tasks, await runBag(home, pool, door, tasks));
    return results;
  } finally {
    await runner.close();
    await host.stop();
    await Promise.all(jobs);
    await pool.query("UPDATE engine.agent SET revoked_at = now() WHERE cluster = $1", [cluster]);
    await pool.query("UPDATE portal.cluster SET enabled = false WHERE id = $1", [cluster]);
    await pool.query("SELECT pg_notify('gridloom_cluster', $1)", [cluster]);
  }
}

async function joined(pool: Pool, cluster: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM engine.agent WHERE cluster = $1 AND state = 'joined'",
      [cluster],
    );
    if (rows[0]?.count === agents) return;
    await sleep(50);
  }
}

async function runBag(home: Home, pool: Pool, door: Door, tasks: number): Promise<Result> {
  const source = `foreach I in 1..${tasks} { task T\${I} -e true -i shared.in }\n`;
  const { application, format } = parseWorkflow(source);
  const input = await new FileStore(home.files).put(Readable.from([randomBytes(inputBytes)]));
  door.transfers.clear();
  const began = performance.now();
  const run = await createRun(pool, {
    id: randomUUID(),
    owner: "cli:bench",
    ownerAdmin: true,
    name: "staging",
    format,
    source,
    application,
    graph: buildWorkflow(application).workflow,
    settings: defaultRunSettings,
    inputs: [{ name: "shared.in", ...input }],
  });
  for (;;) {
    const state = (await getRun(pool, run))?.state;
    if (state === "succeeded") break;
    if (state !== "queued" && state !== "running") throw new Error(`the bag of ${tasks} tasks ended as ${state}`);
    await sleep(20);
  }
  return { seconds: (performance.now() - began) / 1000, transfers: door.transfers.get(input.sha256) ?? 0 };
}

interface Door {
  server: Server;
  port: number;
  /** By hash. */
  transfers: Map<string, number>;
}

/** Passes everything on to the gateway, and counts who fetches what. */
async function countingDoor(gateway: URL): Promise<Door> {
  const transfers = new Map<string, number>();
  const pass = (incoming: IncomingMessage, answer: ServerResponse) => {
    const file = incoming.method === "GET" && /\/files\/([0-9a-f]{64})$/.exec(incoming.url ?? "")?.[1];
    if (file) transfers.set(file, (transfers.get(file) ?? 0) + 1);
    const { method, headers, url } = incoming;
    const onward = request({ host: gateway.hostname, port: gateway.port, method, path: url, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    incoming.pipe(onward);
  };
  const server = createServer(pass);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { server, port, transfers };
}
