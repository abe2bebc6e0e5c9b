/**
 * Engine and gateway as real processes, with a real PostgreSQL, and an agent that speaks the protocol but executes
 * nothing: what is tested is that nothing is lost and nothing happens twice, whatever is killed.
 */

import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { countsOf } from "@/core/engine/counts-for-tests";
import { TaskState } from "@/core/engine/task-state";
import { AttemptOutput } from "@/server/files/attempt-output";
import type { FakeAgentOptions } from "@/server/gateway/fake-agent";
import type { Pool } from "@/server/journal/pool";
import { attemptsOfTask } from "@/server/journal/queries/attempts-of-task";
import { getRun } from "@/server/journal/queries/get-run";
import { outputsOfRun } from "@/server/journal/queries/outputs-of-run";
import { requestCommand } from "@/server/journal/queries/request-command";
import { independentTasks, storeRun, taskGroup } from "@/server/journal/run-for-tests";
import type { Parts } from "./parts-for-tests";
import { EngineStage } from "./stage-for-tests";

const stage = new EngineStage();
let pool: Pool;
let parts: Parts;
let engine: ChildProcess;
let gateway: ChildProcess;

beforeAll(async () => {
  await stage.open();
  pool = stage.pool;
});
afterAll(() => stage.close());
beforeEach(async () => {
  ({ engine, gateway } = await stage.startParts());
  parts = stage.parts;
});
afterEach(() => stage.stopParts());

const startAgent = (options: Partial<FakeAgentOptions> = {}) => stage.startAgent(options);

const diamond = {
  groups: [
    taskGroup({ name: "A", inputs: ["in"], outputs: ["a"] }),
    taskGroup({ name: "B", inputs: ["a"], outputs: ["b"] }),
    taskGroup({ name: "C", inputs: ["a"], outputs: ["c"] }),
    taskGroup({ name: "D", inputs: ["b", "c"], outputs: ["d"] }),
  ],
  transient: [],
};
const diamondInputs = [{ name: "in", sha256: "ab".repeat(32), size: 1 }];

const stateOf = async (run: string) => (await getRun(pool, run))?.state;
const ended = (run: string, timeout = 30_000) =>
  expect.poll(() => stateOf(run), { timeout, interval: 20 }).toMatch(/succeeded|failed|killed/);

/** Attempts by outcome, straight from the tables. */
async function outcomes(run: string) {
  const { rows } = await pool.query<{ outcome: string | null; count: number }>(
    `SELECT ended.outcome, count(*)::int AS count
     FROM engine.attempt LEFT JOIN engine.outcome AS ended USING (run, task, ordinal)
     WHERE attempt.run = $1 GROUP BY 1`,
    [run],
  );
  return Object.fromEntries(rows.map((row) => [row.outcome ?? "open", row.count]));
}

describe("a stored run that cannot be read", () => {
  const spoil = (run: string) =>
    pool.query("UPDATE engine.task_chunk SET states = set_byte(states, 0, 77) WHERE run = $1", [run]);

  test("fails with a sentence when the engine starts, and the others go on", async () => {
    await parts.kill(engine);
    const { run: bad } = await storeRun(pool, { taskCount: 2 });
    await pool.query("UPDATE engine.run SET state = 'running' WHERE id = $1", [bad]);
    await spoil(bad);
    const { run: torn } = await storeRun(pool, { taskCount: 2 });
    await pool.query("UPDATE engine.task_chunk SET states = '\\x00' WHERE run = $1", [torn]);
    const { run: good } = await storeRun(pool, { taskCount: 2 });
    engine = await parts.start("engine");
    await startAgent();
    await ended(good);
    await ended(bad);
    await ended(torn);
    expect(await stateOf(good)).toBe("succeeded");
    expect(await stateOf(bad)).toBe("failed");
    expect(await stateOf(torn)).toBe("failed");
    const { rows } = await pool.query<{ args: { problem: string } }>(
      "SELECT args FROM engine.event WHERE run = $1 AND code = 'run-ended'",
      [bad],
    );
    expect(rows.map(({ args }) => args.problem)).toEqual(["77 is not a task state"]);
  });

  test("answers commands once, and does not keep later ones waiting", async () => {
    await startAgent();
    const { run: bad } = await storeRun(pool, { taskCount: 1 });
    await ended(bad);
    await parts.kill(engine);
    await pool.query("UPDATE engine.run SET state = 'failed' WHERE id = $1", [bad]);
    await spoil(bad);
    engine = await parts.start("engine");
    await requestCommand(pool, { run: bad, kind: "retry-failed", requestedBy: "test" });
    const { run: good } = await storeRun(pool, { taskCount: 1 });
    await ended(good);
    const open = async () => (await pool.query("SELECT 1 FROM engine.command WHERE done_at IS NULL")).rowCount;
    await expect.poll(open, { timeout: 10_000 }).toBe(0);
  });
});

describe("engine and gateway", () => {
  test("a diamond succeeds, each task after what it needs, with files by hash", async () => {
    const seen: string[] = [];
    await startAgent({
      run: (assignment, agent) => {
        seen.push(`${assignment.taskName}(${assignment.inputs.map((input) => input.name).join()})`);
        agent.print(assignment, "stdout", 0, `hello from ${assignment.taskName}`);
        return agent.succeed(assignment);
      },
    });
    const { run } = await storeRun(pool, { application: diamond, inputs: diamondInputs });
    await ended(run);
    const row = await getRun(pool, run);
    expect(row).toMatchObject({ state: "succeeded", counts: countsOf({ finished: 4 }) });
    expect(seen[0]).toBe("A(in)");
    expect(seen.slice(1, 3).sort()).toEqual(["B(a)", "C(a)"]);
    expect(seen[3]).toBe("D(b,c)");
    expect((await outputsOfRun(pool, run)).map((file) => file.name)).toEqual(["a", "b", "c", "d"]);
    const output = new AttemptOutput(parts.config.home.output);
    expect((await output.read({ run, task: 3, ordinal: 1 }, "stdout", 0, 100)).bytes.toString()).toBe("hello from D");
  });

  test("a failed task is tried again, then what depends on it stays; retry-failed brings the run to its end", async () => {
    let broken = true;
    await startAgent({
      run: (assignment, agent) =>
        broken && assignment.taskName === "B"
          ? { is: "failed", reason: "exit-code", exitCode: 7 }
          : agent.succeed(assignment),
    });
    const { run } = await storeRun(pool, { application: diamond, inputs: diamondInputs });
    await ended(run);
    expect(await getRun(pool, run)).toMatchObject({
      state: "failed",
      counts: countsOf({ waiting: 1, finished: 2, failed: 1 }),
    });
    expect(await attemptsOfTask(pool, run, 1)).toMatchObject([{ exitCode: 7 }, { exitCode: 7 }]);
    broken = false;
    await requestCommand(pool, { run, kind: "retry-failed", requestedBy: "test" });
    await expect.poll(() => stateOf(run), { timeout: 10_000 }).toBe("succeeded");
  });

  test("kill stops what runs and ends the run", async () => {
    const agent = await startAgent({ run: () => new Promise(() => undefined) });
    const { run } = await storeRun(pool, { taskCount: 10 });
    await expect.poll(() => agent.starts.size, { timeout: 10_000 }).toBe(4);
    await requestCommand(pool, { run, kind: "kill", requestedBy: "test" });
    await ended(run);
    expect(agent.cancelled.size).toBe(4);
    expect((await getRun(pool, run))!.counts[TaskState.cancelled]).toBe(10);
  });

  test("an input that is nowhere fails its task with a sentence", async () => {
    await startAgent();
    const { run } = await storeRun(pool, { application: diamond, settings: { retries: 0 } });
    await ended(run);
    const [attempt] = await attemptsOfTask(pool, run, 0);
    expect(attempt).toMatchObject({ outcome: "failed", reason: "staging", detail: expect.stringContaining("in") });
  });

  test("kill -9 of engine and gateway at any time: the run finishes, each outcome is recorded once", async () => {
    const agent = await startAgent({
      slots: 16,
      run: async (assignment, self) => {
        await sleep(Math.random() * 40);
        return await self.succeed(assignment);
      },
    });
    const { run } = await storeRun(pool, { taskCount: 1000 });
    for (let round = 0; round < 6; round++) {
      await sleep(100 + Math.random() * 300);
      if (round % 2 === 0) {
        await parts.kill(engine);
        engine = await parts.start("engine");
      } else {
        await parts.kill(gateway);
        gateway = await parts.start("gateway");
      }
    }
    await ended(run, 60_000);
    expect(await getRun(pool, run)).toMatchObject({ state: "succeeded", counts: countsOf({ finished: 1000 }) });
    expect(await outcomes(run)).toEqual({ succeeded: 1000 });
    expect([...agent.starts.values()].filter((count) => count > 1)).toEqual([]);
    expect(agent.starts.size).toBe(1000);
  });

  test("PostgreSQL restarted in the middle of a run: it goes on", async () => {
    const agent = await startAgent({
      run: async (assignment, self) => {
        await sleep(10);
        return await self.succeed(assignment);
      },
    });
    const { run } = await storeRun(pool, { taskCount: 600 });
    await expect.poll(() => agent.starts.size, { timeout: 10_000 }).toBeGreaterThan(50);
    await stage.postgres.stop(3000);
    await sleep(500);
    const startsBefore = agent.starts.size;
    await sleep(500);
    // Nothing is handed out that is not written down.
    expect(agent.starts.size).toBe(startsBefore);
    await stage.postgres.restart();
    await ended(run, 60_000);
    expect(await outcomes(run)).toEqual({ succeeded: 600 });
    expect(agent.starts.size).toBe(600);
    expect(engine.exitCode).toBeNull();
    expect(parts.output).toContain("the database does not answer; nothing is lost");
  });

  test("an engine that slept while another took over does no harm and steps down", async () => {
    const agent = await startAgent({
      run: async (assignment, self) => {
        await sleep(20);
        return await self.succeed(assignment);
      },
    });
    const standby = await parts.start("engine");
    const { run } = await storeRun(pool, { taskCount: 800 });
    await expect.poll(() => agent.starts.size, { timeout: 10_000 }).toBeGreaterThan(100);
    engine.kill("SIGSTOP");
    const startsBefore = agent.starts.size;
    await expect.poll(() => agent.starts.size, { timeout: 40_000 }).toBeGreaterThan(startsBefore + 100);
    const steppedDown = new Promise((resolve) => engine.once("exit", resolve));
    engine.kill("SIGCONT");
    expect(await steppedDown).toBe(1);
    await ended(run, 60_000);
    expect(await outcomes(run)).toEqual({ succeeded: 800 });
    expect([...agent.starts.values()].filter((count) => count > 1)).toEqual([]);
    expect(standby.exitCode).toBeNull();
  });

  test("a run submitted while no engine is there is taken when one starts, and a clean exit hands over at once", async () => {
    await startAgent();
    await parts.kill(engine, "SIGTERM");
    const { run } = await storeRun(pool, { application: independentTasks(20) });
    await sleep(200);
    expect(await stateOf(run)).toBe("queued");
    const began = Date.now();
    engine = await parts.start("engine");
    await ended(run);
    expect(Date.now() - began).toBeLessThan(5_000);
  });
});
