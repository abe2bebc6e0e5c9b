/** The ssh driver against real hosts with an sshd and nothing else. */
import { readFileSync, statSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "@/server/testbed/box-for-tests";
import { SshHost } from "@/server/testbed/ssh-hosts-for-tests";
import type { ClusterDriver, ProbeStep } from "../driver";
import { makeDriver } from "../drivers";
import { jobNow, problemOf, smallJob, startOne, untilState } from "../jobs-for-tests";
import { type SshRunner, sshRunner } from "../over-ssh";

let host: SshHost;
let runner: SshRunner;
let driver: ClusterDriver;

beforeAll(async () => {
  host = await SshHost.start();
  runner = sshRunner(host.target);
  driver = makeDriver("ssh", { runner });
});

afterAll(async () => {
  await runner?.close();
  await host?.stop();
});

test("an agent runs in the background and its exit code is kept", async () => {
  const job = smallJob("cat <<'X'\n$HOME `id` 'quoted'\nX\nsleep 0.3; exit 7");
  const id = await startOne(driver, job);
  const ended = await untilState(driver, id, "failed");
  expect(ended).toMatchObject({ agent: job.agent, exitCode: 7, host: host.hostName });
  expect(readFileSync(`${host.home}/.gridloom/agents/${job.agent}/log`, "utf8")).toBe("$HOME `id` 'quoted'\n");
});

test("forty agents are started by one command, and listed by one", async () => {
  const jobs = Array.from({ length: 40 }, (_, index) => smallJob(`exit ${index % 3}`));
  const ran: string[] = [];
  const counting = makeDriver("ssh", { runner: runner.recording(({ purpose }) => ran.push(purpose)) });
  const results = await counting.start(jobs);
  expect(results.map(({ agent, outcome }) => [agent, outcome])).toEqual(jobs.map(({ agent }) => [agent, "started"]));
  expect(ran).toEqual(["start agents"]);
  await until("all of them to end", async () => {
    const found = new Map((await counting.list()).map((job) => [job.agent, job]));
    return jobs.every(({ agent }, index) => found.get(agent)?.exitCode === index % 3);
  });
});

test("asked for twice, an agent is started once", async () => {
  const job = smallJob('echo once >>"$HOME/count"; sleep 600');
  const id = await startOne(driver, job);
  expect(await startOne(driver, job)).toBe(id);
  await untilState(driver, id, "running");
  await driver.cancel([id]);
  await untilState(driver, id, "cancelled");
  expect(readFileSync(`${host.home}/count`, "utf8")).toBe("once\n");
});

test("it outlives the connection that started it", async () => {
  const other = sshRunner(host.target);
  const id = await startOne(makeDriver("ssh", { runner: other }), smallJob("sleep 1; exit 5"));
  await other.close();
  expect(await untilState(driver, id, "failed")).toMatchObject({ exitCode: 5 });
});

test("cancelling ends all it started, also what does not listen", async () => {
  const id = await startOne(driver, smallJob("trap '' TERM; sleep 7331 & sleep 7332"));
  await untilState(driver, id, "running");
  await driver.cancel([id]);
  await untilState(driver, id, "cancelled");
  expect((await host.box.run(["pgrep", "-f", "sleep 733[12]"])).exitCode).toBe(1);
  await driver.cancel([id]);
});

test("its owner stops it, continues it, and kills it", async () => {
  const job = smallJob("sleep 600");
  const id = await startOne(driver, job);
  await untilState(driver, id, "running");
  const group = readFileSync(`${host.home}/.gridloom/agents/${job.agent}/pid`, "utf8").split(" ")[0];
  await runner.run(["kill", "-STOP", "--", `-${group}`], { timeoutMs: 10_000, purpose: "test" });
  await untilState(driver, id, "suspended");
  await runner.run(["kill", "-CONT", "--", `-${group}`], { timeoutMs: 10_000, purpose: "test" });
  await untilState(driver, id, "running");
  await runner.run(["pkill", "-TERM", "-P", String(group)], { timeoutMs: 10_000, purpose: "test" });
  await untilState(driver, id, "cancelled-by-owner");
  const second = await startOne(driver, smallJob("kill -9 0"));
  expect(await untilState(driver, second, "failed")).toMatchObject({ reason: expect.stringContaining("killed") });
});

test("a host that was started again has lost its agents", async () => {
  const job = smallJob("sleep 600");
  const id = await startOne(driver, job);
  await untilState(driver, id, "running");
  // As after a boot: another boot's id in the record.
  const change = `sed -i 's/ [^ ]*$/ 00000000-0000-0000-0000-000000000000/' .gridloom/agents/${job.agent}/pid`;
  await runner.run(["sh", "-c", change], { timeoutMs: 10_000, purpose: "test" });
  await untilState(driver, id, "node-lost");
});

test("the host is described and looked at", async () => {
  const [found] = await driver.discover();
  expect(found).toMatchObject({ name: host.hostName, attributes: { OpSys: "LINUX", Cpus: found?.cpus } });
  expect(found?.memoryBytes).toBeGreaterThan(1024 ** 2);
  const [reading] = await driver.look();
  expect(reading).toMatchObject({ name: host.hostName, up: true, load: expect.any(Number) });
});

test("the Test runs a probe and leaves nothing of it", async () => {
  const steps: ProbeStep[] = [];
  expect(await driver.probe((step) => steps.push(step))).toBe(true);
  expect(steps.map(({ step, ok }) => `${step} ${ok}`)).toEqual([
    "connect true",
    "authenticate true",
    "scheduler true",
    "submit true",
    "read-back true",
  ]);
  const records = (await driver.list()).map(({ job }) => job);
  const probe = /started ([0-9a-f-]{36})/.exec(steps[3]?.commands[0]?.stdout ?? "")?.[1];
  expect(probe).toBeDefined();
  expect(records).not.toContain(probe);
});

test("records are private", () => {
  expect(statSync(`${host.home}/.gridloom/agents`).mode & 0o777).toBe(0o700);
});

test("a host that dies is unreachable, and starting there is not known to have failed", async () => {
  const other = await SshHost.start({ network: {} });
  const over = sshRunner(other.target);
  try {
    const there = makeDriver("ssh", { runner: over });
    const id = await startOne(there, smallJob("sleep 600"));
    expect((await jobNow(there, id))?.agent).toBe(id);
    await other.kill();
    expect(await problemOf(there.list())).toMatchObject({ code: "unreachable" });
    expect(await there.start([smallJob("exit 0")])).toMatchObject([
      { outcome: "unknown", problem: { code: "unreachable" } },
    ]);
  } finally {
    await over.close();
    await other.stop();
  }
});
