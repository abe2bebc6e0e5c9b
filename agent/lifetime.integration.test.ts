/**
 * An agent that ends by itself: the real program, with a stub gateway that says how it heard of it. Also what it tells of its
 * host, which a wiped directory does not change.
 */
import { existsSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentUnderTest, assignmentOf } from "./agent-under-test";
import { StubGateway, stubToken } from "./stub-gateway";

let gateway: StubGateway;
const agents: AgentUnderTest[] = [];

beforeEach(async () => {
  gateway = new StubGateway();
  await gateway.listen();
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.remove();
  await gateway.close();
});

function begin(config: Record<string, unknown>): { agent: AgentUnderTest; ended: Promise<number | null> } {
  const agent = new AgentUnderTest({
    isolation: "none",
    gatewayUrl: gateway.url,
    token: stubToken,
    config: { ephemeral: true, ...config },
  });
  agents.push(agent);
  const child = agent.start();
  return { agent, ended: new Promise((resolve) => child.once("exit", resolve)) };
}

test("without work for its time it says goodbye, removes its directory and ends", async () => {
  const { agent, ended } = begin({ idleSeconds: 2 });
  const task = assignmentOf("echo done");
  gateway.assign(task);
  expect((await gateway.endOf(task.attempt)).outcome.is).toBe("succeeded");
  expect(await ended).toBe(0);
  expect(gateway.goodbyes).toBe(1);
  expect(agent.log).toContain("ends: there has been no work for");
  expect(existsSync(agent.directory)).toBe(false);
});

test("a task that uses no CPU is given back, one that computes is not", async () => {
  const { agent, ended } = begin({ quietSeconds: 2 });
  const busy = assignmentOf("end=$(($(date +%s) + 4)); while [ $(date +%s) -lt $end ]; do :; done");
  gateway.assign(busy);
  expect((await gateway.endOf(busy.attempt)).outcome.is).toBe("succeeded");
  const quiet = assignmentOf("sleep 600");
  gateway.assign(quiet);
  expect((await gateway.endOf(quiet.attempt)).outcome).toEqual({ is: "lost", reason: "agent-stopped" });
  expect(await ended).toBe(0);
  expect(agent.log).toContain("used no CPU");
});

test("before its time ends it has told what became of its tasks, and goes", async () => {
  const began = Date.now();
  const { ended } = begin({ wallSeconds: 12 });
  const long = assignmentOf("sleep 600");
  gateway.assign(long);
  expect((await gateway.endOf(long.attempt)).outcome).toEqual({ is: "lost", reason: "agent-stopped" });
  expect(await ended).toBe(0);
  expect(Date.now() - began).toBeLessThan(12_000);
  expect(gateway.goodbyes).toBe(1);
});

test("given up by the gateway it ends and leaves nothing", async () => {
  gateway.refusing = true;
  const { agent, ended } = begin({});
  expect(await ended).toBe(75);
  expect(existsSync(agent.directory)).toBe(false);
});

test("tells who the machine is, how fast it is, its tags, and how it does", async () => {
  const first = begin({ cluster: "far", tags: { Site: "north", HasBlast: true } });
  await gateway.until("a reading", () => gateway.readings !== undefined);
  expect(gateway.host).toMatchObject({
    machine: expect.stringMatching(/^[0-9a-f]{32}$/),
    facts: { Site: "north", HasBlast: true, KFlops: expect.any(Number), Mips: expect.any(Number) },
  });
  expect(gateway.readings).toMatchObject({
    LoadAvg: expect.any(Number),
    FreeMemory: expect.any(Number),
    Disk: expect.any(Number),
  });
  const machine = gateway.host?.machine;
  await first.agent.remove();
  begin({ cluster: "far" });
  await gateway.until("a second hello", () => gateway.hellos === 2);
  expect(gateway.host?.machine).toBe(machine);
  begin({ cluster: "near" });
  await gateway.until("a third hello", () => gateway.hellos === 3);
  expect(gateway.host?.machine).not.toBe(machine);
});
