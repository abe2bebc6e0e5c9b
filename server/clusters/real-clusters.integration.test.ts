/**
 * The whole portal, without pages, on real clusters: plain SSH hosts and Slurm behind its SSH front end, with the agents, the jobs and the
 * transfers being what they are anywhere else.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { RunId } from "@/core/engine/ids";
import { freePort } from "@/server/free-port";
import { SlurmCluster } from "@/server/testbed/slurm-for-tests";
import { SshHost } from "@/server/testbed/ssh-hosts-for-tests";
import { PortalWithClusters, sumOfSquares } from "./portal-with-clusters-for-tests";

let grid: PortalWithClusters;
let slurm: SlurmCluster;
let alder: SshHost;

beforeAll(async () => {
  grid = await PortalWithClusters.start(1);
  await grid.localIs(false);
  slurm = await SlurmCluster.start({ nodes: 2, cpus: 2 });
  alder = await SshHost.start({ hostName: "alder" });
}, 240_000);

afterAll(async () => {
  await grid?.stop();
  await slurm?.stop();
  await alder?.stop();
}, 60_000);

afterEach(() => grid.removeClusters(), 90_000);

test("twenty tasks over an SSH host and Slurm; a third cluster whose front end is down delays nobody", async () => {
  await grid.register("alder", "ssh", alder);
  await grid.register("slurm", "slurm", await slurm.frontEnd(), { maxAgents: 2 });
  await grid.register("dead", "slurm", alder);
  await grid.pool.query("UPDATE portal.cluster SET address = $1 WHERE id = 'dead'", [
    { host: "127.0.0.1", port: await freePort() },
  ]);
  const run = await grid.squares(20, 1);
  expect(await grid.ended(run)).toBe("succeeded");
  expect(await grid.sumOf(run)).toBe(sumOfSquares(20));
  const work = await grid.workOn(run);
  expect(Object.keys(work).sort()).toEqual(["alder", "slurm"]);

  const { rows: health } = await grid.pool.query<{ cluster_id: string; ok: boolean }>(
    "SELECT cluster_id, ok FROM portal.cluster_health ORDER BY cluster_id",
  );
  expect(health).toEqual([
    { cluster_id: "alder", ok: true },
    { cluster_id: "dead", ok: false },
    { cluster_id: "slurm", ok: true },
  ]);
  // What was run there can be looked at, without the token in it.
  const { rows: commands } = await grid.pool.query<{ words: string }>(
    "SELECT array_to_string(command, ' ') || stdout || stderr AS words FROM portal.cluster_command WHERE cluster_id = 'slurm'",
  );
  expect(commands.some(({ words }) => words.includes("sbatch"))).toBe(true);
  // The hosts are known, and what Slurm says of them can be asked for.
  const { rows: nodes } = await grid.pool.query(
    "SELECT name, up FROM portal.cluster_host WHERE cluster_id = 'slurm' ORDER BY name",
  );
  expect(nodes).toEqual([
    { name: "n1", up: true },
    { name: "n2", up: true },
  ]);
}, 300_000);

test("kill -9 between the submission and its commit: the job is found again by its name, and there is no second one", async () => {
  const slow = mkdtempSync(join(tmpdir(), "gl-slow-sbatch-"));
  chmodSync(slow, 0o755);
  try {
    // Slurm has the job; its answer takes its time.
    writeFileSync(join(slow, "sbatch"), '#!/bin/sh\n/usr/bin/sbatch "$@"; code=$?; sleep 6; exit $code\n', {
      mode: 0o755,
    });
    const environment = { ...slurm.environment, PATH: `${slow}:/usr/bin:/bin` };
    await grid.register("slurm-slow", "slurm", await slurm.frontEnd(), { environment });
    const before = await jobsInSlurm();
    const run = await grid.squares(6, 0.5);
    await grid.until("a job in Slurm", async () => (await jobsInSlurm()) > before);
    const expected = await grid.openAgents();
    expect(expected).toMatchObject([{ cluster: "slurm-slow", job: null }]);
    process.kill(await grid.portal.pid("clusters"), "SIGKILL");
    expect(await grid.ended(run)).toBe("succeeded");
    const { rows } = await grid.pool.query<{ agent: string; job: string | null }>(
      "SELECT DISTINCT agent, job FROM engine.attempt JOIN engine.agent ON agent.id = agent WHERE run = $1",
      [run],
    );
    expect(rows).toEqual([{ agent: expected[0]?.id, job: expect.stringMatching(/^\d+/) }]);
    expect((await jobsInSlurm()) - before).toBe(1);
  } finally {
    rmSync(slow, { recursive: true, force: true });
  }
}, 300_000);

test("early binding through Slurm's queue: one job for each task; what its owner cancels is done again", async () => {
  await grid.register("slurm-early", "slurm", await slurm.frontEnd(), { maxAgents: 6, maxQueued: 6 });
  const run = await grid.squares(4, 4, { binding: "early" });
  await grid.until("a running attempt", async () => (await startedJobs(run)).length > 0);
  const [first] = await startedJobs(run);
  await slurm.run("scancel", first!.job);
  expect(await grid.ended(run)).toBe("succeeded");
  expect(await grid.sumOf(run)).toBe(sumOfSquares(4));
  const { rows } = await grid.pool.query<{ attempt: string; bound: string; reason: string | null }>(
    `SELECT t.run || '.' || t.task || '.' || t.ordinal AS attempt, a.attempt AS bound, o.reason
     FROM engine.attempt t JOIN engine.agent a ON a.id = t.agent LEFT JOIN engine.outcome o USING (run, task, ordinal) WHERE t.run = $1`,
    [run],
  );
  for (const { attempt, bound } of rows) expect(bound).toBe(attempt);
  expect(rows).toHaveLength(5);
}, 300_000);

async function jobsInSlurm(): Promise<number> {
  const { stdout } = await slurm.run("squeue", "-h", "--states=all", "-o", "%j");
  return stdout.split("\n").filter((name) => name.startsWith("gridloom-")).length;
}

async function startedJobs(run: RunId): Promise<{ job: string }[]> {
  const { rows } = await grid.pool.query<{ job: string }>(
    `SELECT a.job FROM engine.attempt_start s JOIN engine.attempt t USING (run, task, ordinal) JOIN engine.agent a ON a.id = t.agent
     WHERE s.run = $1 AND a.job IS NOT NULL`,
    [run],
  );
  return rows;
}
