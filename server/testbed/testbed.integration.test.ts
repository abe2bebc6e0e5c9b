/** The test clusters themselves: they come up beside each other, run a job, and leave nothing behind. */
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { afterEach, expect, test } from "vitest";
import { until } from "./box-for-tests";
import { GridEngineCluster } from "./grid-engine-for-tests";
import { SlurmCluster } from "./slurm-for-tests";
import { startSshHosts } from "./ssh-hosts-for-tests";

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((cluster) => cluster.stop()));
});

test("two Slurms at once each run a job on their own nodes", async () => {
  const clusters = await Promise.all([SlurmCluster.start({ nodes: 1 }), SlurmCluster.start({ nodes: 2 })]);
  running.push(...clusters);
  for (const cluster of clusters) {
    const nodes = String(cluster.nodes.length);
    const told = await cluster.run("srun", "-N", nodes, "--mem=0", "sh", "-c", "echo $SLURM_JOB_NODELIST $(hostname)");
    expect(told.stdout).toContain(cluster.box.hostName);
  }
});

test("two Grid Engines at once each run a job on their own hosts", async () => {
  const clusters = await Promise.all([GridEngineCluster.start({ hosts: 1 }), GridEngineCluster.start({ hosts: 2 })]);
  running.push(...clusters);
  for (const cluster of clusters) {
    const told = await cluster.run("qsub", "-sync", "y", "-b", "y", "-o", "/dev/null", "-j", "y", "true");
    expect(told.stdout).toContain("exited with exit code 0");
  }
});

test("a host with a network of its own reaches the ports it is given, and nothing while its link is cut", async () => {
  const server = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  try {
    const [open, shut] = await startSshHosts([{ network: { reach: [port], link: { delayMs: 10 } } }, { network: {} }]);
    if (!open || !shut) throw new Error("two hosts were asked for");
    running.push(open, shut);
    const fetchIt = ["curl", "-s", "--max-time", "3", `http://127.0.0.1:${port}/`];
    await until("the way out", async () => (await open.box.run(fetchIt)).stdout === "hello");
    expect((await shut.box.run(fetchIt)).exitCode).not.toBe(0);
    open.link?.cut();
    expect((await open.box.run(fetchIt)).exitCode).not.toBe(0);
    open.link?.restore();
    await until("the way out again", async () => (await open.box.run(fetchIt)).stdout === "hello");
  } finally {
    await Promise.all(running.splice(0).map((cluster) => cluster.stop()));
    await new Promise((resolve) => server.close(resolve));
  }
});

test("what was started is gone when it is stopped", async () => {
  const cluster = await SlurmCluster.start({ nodes: 1 });
  await cluster.run("sbatch", "--wrap", "sleep 1000", "--output=/dev/null");
  const { pid } = cluster.box;
  await cluster.stop();
  expect(existsSync(`/proc/${pid}`)).toBe(false);
  expect(existsSync(cluster.environment.SLURM_CONF ?? "")).toBe(false);
});
