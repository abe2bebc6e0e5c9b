/** The Slurm driver against a real Slurm, directly and over SSH to its front end. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "@/server/testbed/box-for-tests";
import { SlurmCluster } from "@/server/testbed/slurm-for-tests";
import type { RanCommand } from "../command-runner";
import type { ClusterDriver, ProbeStep } from "../driver";
import { makeDriver } from "../drivers";
import { hereRunner } from "../here";
import { jobNow, problemOf, smallJob, startOne, untilState } from "../jobs-for-tests";
import { sshRunner } from "../over-ssh";

let cluster: SlurmCluster;
let driver: ClusterDriver;
const commands: RanCommand[] = [];

/** Slurm's limits are whole minutes, so this one runs beside the other tests. */
let shortOfTime = "";

beforeAll(async () => {
  cluster = await SlurmCluster.start({ nodes: 2, cpus: 3 });
  driver = freshDriver();
  shortOfTime = await startOne(driver, smallJob("sleep 600", { wallSeconds: 60 }));
});

afterAll(() => cluster?.stop());

/** As after a restart of the portal: it remembers nothing. */
function freshDriver(): ClusterDriver {
  const runner = hereRunner([(ran) => commands.push(ran)]);
  return makeDriver("slurm", { runner, settings: { environment: cluster.environment }, probeWaitMs: 20_000 });
}

function logOf(agent: string): string {
  return readFileSync(`${cluster.home}/.gridloom/logs/${agent}.log`, "utf8");
}

describe("starting", () => {
  test("one job runs with what it asked for, says its exit code, and carries the user's name", async () => {
    const script = 'echo "$SLURM_JOB_NAME $SLURM_CPUS_PER_TASK"; exit 3';
    const job = smallJob(script, { cores: 2, memoryBytes: 200 * 1024 ** 2, wallSeconds: 90, queue: "short" });
    const id = await startOne(driver, job);
    const ended = await untilState(driver, id, "failed");
    expect(ended).toMatchObject({ agent: job.agent, name: `gridloom-${job.agent}`, exitCode: 3 });
    expect(cluster.nodes).toContain(ended.host);
    expect(logOf(job.agent)).toBe(`gridloom-${job.agent} 2\n`);
    const told = (await cluster.run("scontrol", "show", "job", id)).stdout;
    expect(told).toContain("Partition=short");
    expect(told).toContain("TimeLimit=00:02:00");
    expect(told).toContain("mem=200M");
    expect(told).toContain("Comment=gridloom user=ada");
  });

  test("many alike become one array, each element its own agent", async () => {
    const before = commands.length;
    const jobs = Array.from({ length: 12 }, (_, index) =>
      smallJob(`cat <<'END'\nagent ${index}\nEND\nexit ${index % 2}`),
    );
    const results = await driver.start(jobs);
    expect(commands.slice(before).filter(({ purpose }) => purpose === "submit agents")).toHaveLength(1);
    for (const [index, job] of jobs.entries()) {
      const result = results[index];
      if (result?.outcome !== "started") throw new Error(`not started: ${result?.problem.sentence}`);
      expect(result.agent).toBe(job.agent);
      const ended = await untilState(driver, result.job, index % 2 ? "failed" : "completed");
      expect(ended).toMatchObject({ agent: job.agent, exitCode: index % 2 });
      expect(logOf(job.agent)).toBe(`agent ${index}\n`);
    }
    // After a restart the agents are found again, from what Slurm itself keeps.
    const found = await freshDriver().list();
    for (const job of jobs) expect(found.filter(({ agent }) => agent === job.agent)).toHaveLength(1);
  });

  test("a refusal is told in the scheduler's words, for that job alone", async () => {
    const good = smallJob("exit 0");
    const bad = smallJob("exit 0", { queue: "no-such-queue" });
    const [first, second] = await driver.start([bad, good]);
    expect(first).toMatchObject({ agent: bad.agent, outcome: "refused", problem: { code: "refused" } });
    expect(first?.outcome === "refused" && first.problem.sentence).toMatch(/invalid partition/i);
    expect(second).toMatchObject({ agent: good.agent, outcome: "started" });
  });

  test("the script, and so the token, is in no process's arguments", async () => {
    const job = smallJob("token=sesame-5151; sleep 30");
    const id = await startOne(driver, job);
    await untilState(driver, id, "running");
    let shown = "";
    await until("the script to run", async () => {
      shown = (await cluster.box.run(["ps", "axww", "-o", "args"])).stdout;
      expect(shown).not.toContain("sesame-5151");
      return shown.includes("sleep 30");
    });
    await driver.cancel([id]);
  });

  test("other people's jobs are not ours", async () => {
    await cluster.run("sbatch", "--job-name=theirs", "--output=/dev/null", "--wrap", "exit 0");
    expect((await driver.list()).map(({ name }) => name)).not.toContain("theirs");
  });
});

describe("states", () => {
  test("cancelled by us, and cancelling twice is no error", async () => {
    const [first, second] = [
      await startOne(driver, smallJob("sleep 600")),
      await startOne(driver, smallJob("sleep 600")),
    ];
    await untilState(driver, first, "running");
    await driver.cancel([first, second]);
    await untilState(driver, first, "cancelled");
    await untilState(driver, second, "cancelled");
    await driver.cancel([first, "99999999"]);
  });

  test("cancelled by its owner", async () => {
    const id = await startOne(driver, smallJob("sleep 600"));
    await untilState(driver, id, "running");
    await cluster.run("scancel", id);
    expect(await untilState(driver, id, "cancelled-by-owner")).toMatchObject({ signal: 15 });
  });

  test("held and released, suspended and resumed", async () => {
    const busy = [
      await startOne(driver, smallJob("sleep 600", { cores: 2 })),
      await startOne(driver, smallJob("sleep 600", { cores: 2 })),
    ];
    for (const id of busy) await untilState(driver, id, "running");
    const waiting = await startOne(driver, smallJob("exit 0", { cores: 3 }));
    await untilState(driver, waiting, "queued");
    await cluster.run("scontrol", "hold", waiting);
    expect(await untilState(driver, waiting, "held")).toMatchObject({ reason: expect.stringContaining("JobHeld") });
    await cluster.run("scontrol", "release", waiting);
    await untilState(driver, waiting, "queued");
    const [first = ""] = busy;
    await cluster.run("scontrol", "suspend", first);
    await untilState(driver, first, "suspended");
    await cluster.run("scontrol", "resume", first);
    await untilState(driver, first, "running");
    await driver.cancel(busy);
    await untilState(driver, waiting, "completed");
  });

  test("requeued by its owner, then running again", async () => {
    const id = await startOne(driver, smallJob("sleep 600"));
    await untilState(driver, id, "running");
    await cluster.run("scontrol", "requeue", id);
    await untilState(driver, id, "requeued");
    await untilState(driver, id, "running");
    await driver.cancel([id]);
  });

  test("a program killed by a signal tells the signal", async () => {
    const id = await startOne(driver, smallJob("kill -9 $$"));
    expect(await untilState(driver, id, "failed")).toMatchObject({ signal: 9 });
  });

  test("a node that dies takes its job with it; the reading says so", async () => {
    // All of a node: not the one where time is running out.
    const id = await startOne(driver, smallJob("sleep 600", { cores: 3 }));
    const { host = "" } = await untilState(driver, id, "running");
    await cluster.run("scontrol", "update", `JobId=${id}`, "Requeue=0");
    await cluster.killNode(host);
    try {
      expect(await untilState(driver, id, "node-lost", 120_000)).toMatchObject({ host });
      const reading = (await driver.look()).find(({ name }) => name === host);
      expect(reading).toMatchObject({ up: false, reason: expect.stringContaining("down") });
    } finally {
      await cluster.startNode(host);
    }
    expect((await driver.look()).every(({ up }) => up)).toBe(true);
  });
});

describe("hosts", () => {
  test("are discovered with what they are, and looked at for how they are", async () => {
    const hosts = await driver.discover();
    expect(hosts.map(({ name }) => name)).toEqual([...cluster.nodes]);
    expect(hosts[0]).toMatchObject({
      cpus: 3,
      memoryBytes: 4000 * 1024 ** 2,
      attributes: { OpSys: "LINUX", Memory: 4000, Cpus: 3 },
    });
    const readings = await driver.look();
    expect(readings).toHaveLength(2);
    expect(readings[0]).toMatchObject({ up: true, load: expect.any(Number), freeMemoryBytes: expect.any(Number) });
  });
});

describe("the Test", () => {
  test("goes through all steps over SSH, each with its commands", async () => {
    const front = await cluster.frontEnd();
    const runner = sshRunner(front.target);
    try {
      const steps: ProbeStep[] = [];
      expect(await makeDriver("slurm", { runner }).probe((step) => steps.push(step))).toBe(true);
      expect(steps.map(({ step }) => step)).toEqual(["connect", "authenticate", "scheduler", "submit", "read-back"]);
      expect(steps.every(({ ok, commands }) => ok && commands.length > 0)).toBe(true);
      expect(steps.at(-1)?.sentence).toMatch(/ran on n[12] and ended with 0/);
    } finally {
      await runner.close();
    }
  });

  test("stops where it fails and says what to do", async () => {
    const front = await cluster.frontEnd();
    const steps: ProbeStep[] = [];
    const probe = async (target: typeof front.target, environment?: Record<string, string>) => {
      steps.length = 0;
      const runner = sshRunner(target);
      try {
        const settings = environment ? { environment } : {};
        expect(await makeDriver("slurm", { runner, settings }).probe((step) => steps.push(step))).toBe(false);
        return steps.map(({ step, ok }) => `${step} ${ok}`);
      } finally {
        await runner.close();
      }
    };
    expect(await probe({ ...front.target, port: 1 })).toEqual(["connect false"]);
    expect(await probe({ ...front.target, privateKey: "damaged" })).toEqual(["connect true", "authenticate false"]);
    expect(await probe(front.target, { PATH: "/nonexistent" })).toEqual([
      "connect true",
      "authenticate true",
      "scheduler false",
    ]);
    expect(steps.at(-1)?.sentence).toContain("set PATH");
    expect(steps.at(-1)?.commands.length).toBeGreaterThan(0);
  });

  test("a controller that is down is told as such, and jobs are seen again when it is back", async () => {
    const id = await startOne(driver, smallJob("sleep 600"));
    await untilState(driver, id, "running");
    await cluster.stopController();
    expect(await problemOf(driver.list())).toMatchObject({ code: "no-scheduler" });
    await cluster.startController();
    await until("the job again", async () => (await jobNow(driver, id))?.state === "running");
    await driver.cancel([id]);
  });
});

test("a job at the end of its time", async () => {
  await untilState(driver, shortOfTime, "timed-out", 150_000);
}, 180_000);
