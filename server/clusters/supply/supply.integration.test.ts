/**
 * The supply of agents with a real database, engine and gateway, and clusters of the test's own whose agents speak the protocol and
 * execute nothing: what is asked for, what is committed when, and what becomes of it when parts of it die or lie.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { RunId } from "@/core/engine/ids";
import { parseWorkflow } from "@/core/languages";
import type { AgentOutcome as Outcome } from "@/core/protocol/agent";
import { buildWorkflow } from "@/core/workflow/build";
import { defaultRunSettings, type RunSettings } from "@/server/engine/run-settings";
import { EngineStage } from "@/server/engine/stage-for-tests";
import type { FakeAgentOptions } from "@/server/gateway/fake-agent";
import { createRun } from "@/server/journal/queries/create-run";
import { getRun } from "@/server/journal/queries/get-run";
import { requestCommand } from "@/server/journal/queries/request-command";
import { ClusterProblem } from "../cluster-problem";
import { endAgents, expectAgents } from "./agent-rows";
import { FakeCluster } from "./fake-cluster-for-tests";
import { Supply, type SupplyOptions } from "./supply";

const stage = new EngineStage();
const mark = "abcdef01";
const owner = "cli:test";
let clusters: Map<string, FakeCluster>;
let supplies: Supply[];

beforeAll(async () => {
  await stage.open();
  await stage.pool.query("UPDATE portal.cluster SET enabled = false WHERE id = 'local'");
  await stage.startParts();
}, 120_000);

afterAll(async () => {
  await stage.stopParts();
  await stage.close();
});

beforeEach(() => {
  clusters = new Map();
  supplies = [];
});

afterEach(async () => {
  for (const supply of supplies) await supply.stop();
  for (const cluster of clusters.values()) await cluster.close();
  await stage.pool.query("UPDATE engine.agent SET ended_at = now(), revoked_at = now() WHERE ended_at IS NULL");
  await stage.pool.query("UPDATE portal.cluster SET enabled = false, removed_at = now() WHERE id <> 'local'");
  await stage.pool.query("SELECT pg_notify('gridloom_cluster', '')");
});

async function addCluster(
  id: string,
  settings: Record<string, unknown> = {},
  more: { run?: FakeAgentOptions["run"]; address?: unknown; policy?: string } = {},
): Promise<FakeCluster> {
  const cluster = new FakeCluster(() => stage.parts.gatewayUrl, more.run);
  clusters.set(id, cluster);
  await stage.pool.query(
    `INSERT INTO portal.cluster (id, name, driver, isolation, isolation_note, slots, address, settings, account_policy)
     VALUES ($1, $1, 'slurm', 'namespaces', '', 0, $2, $3, $4)`,
    [
      id,
      more.address === undefined ? null : JSON.stringify(more.address),
      { pollSeconds: 0.3, ...settings },
      more.policy ?? "service",
    ],
  );
  await stage.pool.query("SELECT pg_notify('gridloom_cluster', $1)", [id]);
  return cluster;
}

function startSupply(options: Partial<SupplyOptions> = {}): Supply {
  const supply = new Supply({
    pool: stage.pool,
    log: pino({ level: "silent" }),
    portalMark: mark,
    makePlace: async ({ id }) => {
      const driver = clusters.get(id);
      if (!driver) throw new Error(`there is no cluster ${id}`);
      return { driver, close: async () => undefined };
    },
    scriptFor: async (_, { id, token, slots }) => JSON.stringify({ id, token, slots }),
    ...options,
  });
  supplies.push(supply);
  supply.start();
  return supply;
}

async function submit(tasks: number, settings: Partial<RunSettings> = {}, by = owner): Promise<RunId> {
  const source = `foreach N in 1..${tasks} {\n  task \${N} -e "true"\n}\n`;
  const { application, format } = parseWorkflow(source);
  return await createRun(stage.pool, {
    ...{ id: randomUUID(), owner: by, ownerAdmin: true, name: "supply", format, source, application },
    ...{ graph: buildWorkflow(application).workflow, settings: { ...defaultRunSettings, ...settings }, inputs: [] },
  });
}

async function until<T>(what: string, look: () => Promise<T | undefined | false>, seconds = 90): Promise<T> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(100)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`${what} did not happen\n${stage.parts.output}`);
}

const ends = (run: RunId) => until("the run's end", async () => (await getRun(stage.pool, run))?.endedAt && true);

async function agentsOf(cluster: string) {
  const { rows } = await stage.pool.query<{
    id: string;
    owner: string;
    job: string | null;
    job_state: string | null;
    ended: boolean;
    revoked: boolean;
    end_reason: string | null;
    left: number;
  }>(
    `SELECT id, owner, job, job_state, ended_at IS NOT NULL AS ended, revoked_at IS NOT NULL AS revoked, end_reason,
            extract(epoch FROM expires_at - now())::float8 AS left
     FROM engine.agent WHERE cluster = $1 ORDER BY asked_at`,
    [cluster],
  );
  return rows;
}

test("agents are committed before their jobs are submitted, within the limits, each for one person", async () => {
  const cluster = await addCluster("limited", { maxAgents: 3, maxQueued: 2, perMinute: 6 }, { run: slow });
  const committed: boolean[] = [];
  cluster.onStart = async (jobs) => {
    for (const { agent, user } of jobs) {
      const { rows } = await stage.pool.query("SELECT owner, job FROM engine.agent WHERE id = $1", [agent]);
      committed.push(rows.length === 1 && rows[0].owner === owner && rows[0].job === null && user === "test");
      expect(agent.startsWith(mark)).toBe(true);
    }
  };
  startSupply();
  const run = await submit(20);
  await ends(run);
  expect((await getRun(stage.pool, run))?.state).toBe("succeeded");
  expect(committed.length).toBeGreaterThan(0);
  expect(committed).not.toContain(false);
  expect(cluster.mostLiving).toBeLessThanOrEqual(3);
  expect(cluster.jobs.length).toBeLessThanOrEqual(6);
  const [first] = await agentsOf("limited");
  expect(first).toMatchObject({ owner, job: expect.stringMatching(/^10\d$/) });
  // Short-lived, and renewed while the job lives.
  expect(first?.left).toBeGreaterThan(0);
  expect(first?.left).toBeLessThanOrEqual(3600);
  const hosts = await until("discovery", async () => {
    const { rows } = await stage.pool.query(
      "SELECT * FROM portal.cluster_host WHERE cluster_id = 'limited' AND read_at IS NOT NULL",
    );
    return rows.length > 0 && rows;
  });
  expect(hosts).toMatchObject([
    { name: "node1", up: true, facts: { Cpus: 8, HasScratch: true }, reading: { FreeCpus: 3 } },
  ]);
}, 120_000);

test("a cluster whose front end is away or hangs delays nobody, and is not flooded", async () => {
  const down = await addCluster("down");
  const hanging = await addCluster("hanging");
  await addCluster("good", { maxAgents: 4 });
  down.frontEnd = "down";
  hanging.frontEnd = "hangs";
  startSupply();
  const began = Date.now();
  const run = await submit(10);
  await ends(run);
  expect((await getRun(stage.pool, run))?.state).toBe("succeeded");
  await sleep(3000);
  // Doubling from 0.3 s: after n seconds about log2 of it, not n / 0.3.
  const seconds = (Date.now() - began) / 1000;
  expect(down.calls.list).toBeLessThanOrEqual(4 + Math.log2(seconds + 1) * 2);
  expect(down.calls.start).toBe(0);
  expect(hanging.calls).toEqual({ list: 1, start: 0 });
  expect(await agentsOf("down")).toEqual([]);
  const { rows } = await stage.pool.query("SELECT ok, sentence FROM portal.cluster_health WHERE cluster_id = 'down'");
  expect(rows).toEqual([{ ok: false, sentence: "The front end does not answer." }]);
}, 120_000);

test("a job whose submission was not heard of is found again by its name, by the next process too", async () => {
  const cluster = await addCluster("lossy", { maxAgents: 2, maxQueued: 2 });
  cluster.losesAnswers = true;
  cluster.runs = 0;
  const first = startSupply();
  const run = await submit(6);
  await until("a submission", async () => cluster.jobs.length > 0);
  await first.stop();
  const before = await agentsOf("lossy");
  expect(before.length).toBe(cluster.jobs.length);
  await stage.pool.query("UPDATE engine.agent SET job = NULL, job_state = NULL WHERE cluster = 'lossy'");
  cluster.losesAnswers = false;
  cluster.runs = Number.POSITIVE_INFINITY;
  startSupply();
  await ends(run);
  const after = await agentsOf("lossy");
  // Agents asked for at one moment have no order of their own: each has the job that carries its name.
  const jobOf = new Map(cluster.jobs.map(({ job, asked }) => [asked.agent, job]));
  for (const { id } of before) expect(after.find((agent) => agent.id === id)?.job).toBe(jobOf.get(id));
  const { rows } = await stage.pool.query<{ agent: string }>(
    "SELECT DISTINCT agent FROM engine.attempt WHERE run = $1",
    [run],
  );
  expect(before.map(({ id }) => id)).toEqual(expect.arrayContaining(rows.map(({ agent }) => agent)));
}, 120_000);

test("a job of ours that nobody expects is cancelled within one poll; another portal's is left alone", async () => {
  const cluster = await addCluster("leftover");
  cluster.runs = 0;
  const ours = `${mark}${randomUUID().slice(8)}`;
  const theirs = `12345678${randomUUID().slice(8)}`;
  const script = JSON.stringify({ id: ours, token: "x".repeat(32), slots: 1 });
  await cluster.start([ours, theirs].map((agent) => ({ agent, user: "test", script, cores: 1 })));
  startSupply();
  await until("the cancellation", async () => cluster.cancelled.length > 0);
  expect(cluster.calls.list).toBe(1);
  expect(cluster.cancelled).toEqual(["100"]);
}, 60_000);

test("agents that wait in a queue for nothing are taken back, and their tokens are revoked", async () => {
  const cluster = await addCluster("surplus", { maxAgents: 3, maxQueued: 3 });
  cluster.runs = 0;
  startSupply({ surplusMs: 1000 });
  const run = await submit(5);
  await until("three jobs", async () => cluster.jobs.length === 3);
  await requestCommand(stage.pool, { run, kind: "kill", requestedBy: owner });
  await until("the cancellations", async () => cluster.cancelled.length === 3);
  const agents = await until("the end of the agents", async () => {
    const found = await agentsOf("surplus");
    return found.every(({ ended }) => ended) && found;
  });
  expect(agents).toHaveLength(3);
  for (const agent of agents) {
    expect(agent).toMatchObject({ revoked: true, job_state: "cancelled", end_reason: "Nothing is left for it to do." });
  }
}, 90_000);

test("a job that its owner cancels, or whose node is lost, sends its tasks elsewhere at once", async () => {
  const cluster = await addCluster("rough", { maxAgents: 1, maxQueued: 1 }, { run: verySlow });
  startSupply({ factory: { backOffMs: 500 } });
  const run = await submit(1);
  const host = () => cluster.living().find(({ state }) => state === "running");
  await until("the first attempt", async () => (await attempts(run)).length === 1 && host());
  const began = Date.now();
  await cluster.end(host()!, "node-lost");
  await until("the second attempt", async () => (await attempts(run)).length === 2);
  // Sooner than the silence of an agent is noticed.
  expect(Date.now() - began).toBeLessThan(25_000);
  expect((await attempts(run))[0]).toMatchObject({ outcome: "lost", reason: "node-lost" });
  await requestCommand(stage.pool, { run, kind: "kill", requestedBy: owner });
  await ends(run);
}, 120_000);

test("early binding: an agent for each task, with a job of its own", async () => {
  const cluster = await addCluster("early", { maxAgents: 8, maxQueued: 4 });
  startSupply();
  const run = await submit(5, { binding: "early" });
  await ends(run);
  expect((await getRun(stage.pool, run))?.state).toBe("succeeded");
  const { rows } = await stage.pool.query<{ agent: string; attempt: string; bound: string }>(
    `SELECT t.agent, t.run || '.' || t.task || '.' || t.ordinal AS attempt, a.attempt AS bound
     FROM engine.attempt t JOIN engine.agent a ON a.id = t.agent WHERE t.run = $1`,
    [run],
  );
  expect(rows).toHaveLength(5);
  expect(new Set(rows.map(({ agent }) => agent)).size).toBe(5);
  for (const { attempt, bound } of rows) expect(bound).toBe(attempt);
  expect(cluster.jobs).toHaveLength(5);
  await until("the requests' end", async () => {
    const { rows: open } = await stage.pool.query(
      "SELECT 1 FROM engine.agent_request WHERE run = $1 AND closed_at IS NULL",
      [run],
    );
    return open.length === 0;
  });
}, 120_000);

test("early binding: a job that is refused is told, and another cluster is tried", async () => {
  const closed = await addCluster("closed");
  closed.start = async (jobs) =>
    jobs.map(({ agent }) => ({
      agent,
      outcome: "refused",
      problem: new ClusterProblem("refused", "The queue is closed."),
    }));
  const open = await addCluster("open", { maxAgents: 8, maxQueued: 8 });
  startSupply();
  const run = await submit(3, { binding: "early" });
  await ends(run);
  expect((await getRun(stage.pool, run))?.state).toBe("succeeded");
  expect(open.jobs).toHaveLength(3);
  const { rows } = await stage.pool.query<{ problem: string }>(
    "SELECT args ->> 'problem' AS problem FROM engine.event WHERE run = $1 AND code = 'agent-not-started'",
    [run],
  );
  expect(rows[0]?.problem).toMatch(/The queue is closed/);
}, 120_000);

test("without a usable key nothing is asked for, and the run says why", async () => {
  const cluster = await addCluster("locked", {}, { address: { host: "front.example.org" }, policy: "own" });
  startSupply();
  const run = await submit(2);
  const told = await until("the sentence", async () => {
    const { rows } = await stage.pool.query<{ args: { reason: string; problems: string } }>(
      "SELECT args FROM engine.event WHERE run = $1 AND code = 'waiting-for-cluster' AND args ->> 'reason' = 'clusters-paused'",
      [run],
    );
    return rows[0];
  });
  expect(told.args.problems).toMatch(/You have no key for this cluster/);
  expect(cluster.calls.start).toBe(0);
  await requestCommand(stage.pool, { run, kind: "kill", requestedBy: owner });
  await ends(run);
}, 60_000);

test("a token is good for the one agent it was made for, until it expires or is revoked", async () => {
  await addCluster("tokens");
  const token = randomUUID();
  const id = randomUUID();
  await expectAgents(stage.pool, [{ id, cluster: "tokens", owner, account: null, token, slots: 1 }]);
  const host = { name: "h", os: "Linux", arch: "x64", cpus: 1, cpuModel: "", memoryBytes: 1 };
  const hello = async (agent: string) => {
    const body = JSON.stringify({ protocol: 1, agent, host, slots: 1, capabilities: [] });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const url = `${stage.parts.gatewayUrl}/agent/v1/hello`;
    return (await fetch(url, { method: "POST", headers, body })).status;
  };
  expect(await hello(randomUUID())).toBe(403);
  expect(await hello(id)).toBe(200);
  await stage.pool.query("UPDATE engine.agent SET expires_at = now() - interval '1 second' WHERE id = $1", [id]);
  await until("the token to expire", async () => (await hello(id)) === 401, 30);
  await stage.pool.query("UPDATE engine.agent SET expires_at = now() + interval '1 hour' WHERE id = $1", [id]);
  await until("the token to count again", async () => (await hello(id)) === 200, 30);
  await endAgents(stage.pool, [{ agent: id, state: "completed", reason: "Its job ended." }]);
  await until("the token to be revoked", async () => (await hello(id)) === 401, 30);
}, 120_000);

async function attempts(run: RunId) {
  const { rows } = await stage.pool.query<{ agent: string; outcome: string | null; reason: string | null }>(
    "SELECT agent, outcome, reason FROM engine.attempt LEFT JOIN engine.outcome USING (run, task, ordinal) WHERE run = $1 ORDER BY sent_at",
    [run],
  );
  return rows;
}

async function slow(): Promise<Outcome> {
  await sleep(150);
  return { is: "succeeded", outputs: [] };
}

async function verySlow(): Promise<Outcome> {
  await sleep(120_000, undefined, { ref: false });
  return { is: "succeeded", outputs: [] };
}
