/** The Grid Engine driver against a real Grid Engine, directly and over SSH to its front end. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@/server/testbed/box-for-tests";
import { GridEngineCluster } from "@/server/testbed/grid-engine-for-tests";
import type { RanCommand } from "../command-runner";
import type { ClusterDriver, ProbeStep } from "../driver";
import { makeDriver } from "../drivers";
import { hereRunner } from "../here";
import { jobNow, problemOf, smallJob, startOne, untilState } from "../jobs-for-tests";
import { sshRunner } from "../over-ssh";

let cluster: GridEngineCluster;
let driver: ClusterDriver;
const commands: RanCommand[] = [];

beforeAll(async () => {
  cluster = await GridEngineCluster.start({ hosts: 2, slots: 2 });
  driver = freshDriver();
});

afterAll(() => cluster?.stop());

/** As after a restart of the portal: it remembers nothing. */
function freshDriver(): ClusterDriver {
  const runner = hereRunner([(ran) => commands.push(ran)]);
  return makeDriver("gridengine", { runner, settings: { environment: cluster.environment } });
}

function logOf(agent: string): string {
  return readFileSync(`${cluster.home}/.gridloom/logs/${agent}.log`, "utf8");
}

describe("starting", () => {
  test("one job runs with what it asked for, says its exit code, and carries the user's name", async () => {
    const job = smallJob('#$ -N not-an-option\necho "$NSLOTS $JOB_NAME"; sleep 2; exit 3', {
      cores: 2,
      queue: "all.q",
    });
    const id = await startOne(driver, job);
    const told = (await cluster.run("qstat", "-j", id)).stdout;
    expect(told).toMatch(/context:.*user=ada/);
    expect(told).toMatch(/hard resource_list:.*h_rt=600/);
    expect(told).toMatch(/mem_free=64M/);
    const ended = await untilState(driver, id, "failed");
    expect(ended).toMatchObject({ agent: job.agent, name: `gridloom-${job.agent}`, exitCode: 3 });
    expect(cluster.hosts.map(({ hostName }) => hostName)).toContain(ended.host);
    expect(logOf(job.agent)).toBe(`2 gridloom-${job.agent}\n`);
  });

  test("many alike become one array, each element its own agent, found again after a restart", async () => {
    const before = commands.length;
    const jobs = Array.from({ length: 6 }, (_, index) => smallJob(`echo agent ${index}; sleep 4; exit ${index % 2}`));
    const results = await driver.start(jobs);
    expect(commands.slice(before).filter(({ purpose }) => purpose === "submit agents")).toHaveLength(1);
    const found = await freshDriver().list();
    for (const job of jobs) expect(found.filter(({ agent }) => agent === job.agent)).toHaveLength(1);
    for (const [index, job] of jobs.entries()) {
      const result = results[index];
      if (result?.outcome !== "started") throw new Error(`not started: ${result?.problem.sentence}`);
      const ended = await untilState(driver, result.job, index % 2 ? "failed" : "completed");
      expect(ended).toMatchObject({ agent: job.agent, exitCode: index % 2 });
      expect(logOf(job.agent)).toBe(`agent ${index}\n`);
    }
  });

  test("a refusal is told in the scheduler's words", async () => {
    const bad = smallJob("exit 0", { queue: "no-such-queue" });
    const [result] = await driver.start([bad]);
    expect(result).toMatchObject({ agent: bad.agent, outcome: "refused" });
    expect(result?.outcome === "refused" && result.problem.sentence).toContain("no-such-queue");
  });
});

describe("states", () => {
  test("cancelled by us, running or queued, and twice is no error", async () => {
    const running = await startOne(driver, smallJob("sleep 600"));
    await untilState(driver, running, "running");
    const held = await startOne(driver, smallJob("sleep 600"));
    await cluster.run("qhold", held);
    await untilState(driver, held, "held");
    await driver.cancel([running, held]);
    await untilState(driver, running, "cancelled");
    await untilState(driver, held, "cancelled");
    await driver.cancel([running, "999999"]);
  });

  test("one element of an array alone is cancelled", async () => {
    const results = await driver.start([smallJob("sleep 600"), smallJob("sleep 3")]);
    const [first, second] = results.map((result) => (result.outcome === "started" ? result.job : ""));
    await untilState(driver, first ?? "", "running");
    await driver.cancel([first ?? ""]);
    await untilState(driver, first ?? "", "cancelled");
    await untilState(driver, second ?? "", "completed");
  });

  test("cancelled by its owner, running or queued", async () => {
    const running = await startOne(driver, smallJob("sleep 600"));
    await untilState(driver, running, "running");
    const queued = await startOne(driver, smallJob("sleep 600"));
    await cluster.run("qhold", queued);
    await untilState(driver, queued, "held");
    await cluster.run("qdel", running);
    await cluster.run("qdel", queued);
    expect(await untilState(driver, running, "cancelled-by-owner")).toMatchObject({ signal: 9 });
    await untilState(driver, queued, "cancelled-by-owner");
  });

  test("held and released, suspended and resumed", async () => {
    const busy = (await driver.start(Array.from({ length: 4 }, () => smallJob("sleep 600")))).map((result) =>
      result.outcome === "started" ? result.job : "",
    );
    for (const id of busy) await untilState(driver, id, "running");
    const id = await startOne(driver, smallJob("sleep 2"));
    await cluster.run("qhold", id);
    await untilState(driver, id, "held");
    await cluster.run("qrls", id);
    await untilState(driver, id, "queued");
    await driver.cancel(busy);
    await untilState(driver, id, "running");
    await cluster.run("qmod", "-sj", id);
    await untilState(driver, id, "suspended");
    await cluster.run("qmod", "-usj", id);
    await untilState(driver, id, "completed");
  });

  test("at the end of its time", async () => {
    const id = await startOne(driver, smallJob("sleep 600", { wallSeconds: 2 }));
    await untilState(driver, id, "timed-out");
  });

  test("a host whose link is cut: its job is queued again and runs elsewhere", async () => {
    const id = await startOne(driver, smallJob("sleep 600", { cores: 2 }));
    const { host = "" } = await untilState(driver, id, "running");
    const box = cluster.hosts.find(({ hostName }) => hostName === host);
    if (!box) throw new Error(`no host ${host}`);
    await cluster.cutLink(box);
    try {
      await until(
        "the host to be missed",
        async () => (await driver.look()).some((one) => one.name === host && !one.up),
        90_000,
      );
      await until(
        "the job elsewhere",
        async () => {
          const now = await jobNow(driver, id);
          return now?.state === "running" && now.host !== host;
        },
        110_000,
      );
    } finally {
      await cluster.restoreLink(box);
    }
    await driver.cancel([id]);
    await until("the host to be back", async () => (await driver.look()).every(({ up }) => up), 60_000);
  }, 300_000);
});

test("hosts are discovered with what they are, and looked at for how they are", async () => {
  const hosts = await driver.discover();
  expect(hosts.map(({ name }) => name).sort()).toEqual(cluster.hosts.map(({ hostName }) => hostName).sort());
  expect(hosts[0]).toMatchObject({ attributes: { OpSys: "LINUX", Arch: "X86_64", Queues: ["all.q"] } });
  expect(hosts[0]?.memoryBytes).toBeGreaterThan(1024 ** 2);
  const readings = await driver.look();
  expect(readings).toHaveLength(2);
  expect(readings[0]).toMatchObject({ up: true, load: expect.any(Number), freeMemoryBytes: expect.any(Number) });
});

test("the Test goes through all steps over SSH; without a master it says so", async () => {
  const front = await cluster.frontEnd();
  const runner = sshRunner(front.target);
  try {
    const steps: ProbeStep[] = [];
    const over = makeDriver("gridengine", { runner });
    expect(await over.probe((step) => steps.push(step))).toBe(true);
    expect(steps.map(({ step }) => step)).toEqual(["connect", "authenticate", "scheduler", "submit", "read-back"]);
    expect(steps.every(({ ok, commands: ran }) => ok && ran.length > 0)).toBe(true);
    expect(steps.at(-1)?.sentence).toMatch(/ended with 0/);
    await cluster.master.run(["pkill", "-x", "sge_qmaster"]);
    await until(
      "the master's end",
      async () => (await cluster.master.run(["pgrep", "-x", "sge_qmaster"])).exitCode === 1,
    );
    expect(await problemOf(over.list())).toMatchObject({ code: "no-scheduler" });
  } finally {
    await runner.close();
  }
});
