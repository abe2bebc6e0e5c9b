/**
 * The whole portal with real processes: parts are killed with SIGKILL, one after the other, while a run goes on.
 * The tasks count their own starts in a file outside the portal.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { defaultRunSettings } from "./engine/run-settings";
import { openPool, type Pool } from "./journal/pool";
import { createRun } from "./journal/queries/create-run";
import { getRun } from "./journal/queries/get-run";
import { type Stack, startStack } from "./stack";
import { makeTemporaryHome, type TemporaryHome } from "./temporary-home";

const tasks = 100;
const slots = 4;

let temporary: TemporaryHome;
let stack: Stack;
let pool: Pool;
let outside: string;

beforeAll(async () => {
  temporary = await makeTemporaryHome();
  // Every slot's account counts here; it is not in /tmp, of which a program in namespaces has one of its own.
  outside = await mkdtemp("/var/tmp/gridloom-starts-");
  await chmod(outside, 0o777);
  await writeFile(join(outside, "starts"), "");
  await chmod(join(outside, "starts"), 0o666);
  stack = await startStack({ home: temporary.home, web: true, port: 0, slots, log: () => undefined });
  pool = openPool(stack.databaseUrl);
});

afterAll(async () => {
  await pool?.end();
  await stack?.stop();
  await temporary?.remove();
  await rm(outside, { recursive: true, force: true });
});

test("parts killed at any time: the run finishes by itself, each task starts once and is recorded once", async () => {
  const source = `OUTPUT = "0.out"
task 0 -e "echo 0 >> ${outside}/starts; echo 0 > 0.out" -o 0.out
foreach N in 1..${tasks - 2} {
  task \${N} -e "echo \${N} >> ${outside}/starts; sleep 0.4; echo \${N} > \${N}.out" -i 0.out -o \${N}.out
  OUTPUT = \${OUTPUT} + ";" + \${N} + ".out"
}
task ${tasks - 1} -e "echo ${tasks - 1} >> ${outside}/starts; cat *.out | sort -n > all.txt" -i \${OUTPUT} -o all.txt
`;
  const { application, format, problems } = parseWorkflow(source);
  expect(problems).toEqual([]);
  const run = await createRun(pool, {
    owner: "cli:test",
    ownerAdmin: true,
    name: "survival",
    format,
    source,
    application,
    graph: buildWorkflow(application).workflow,
    settings: { ...defaultRunSettings, retries: 0 },
    inputs: [],
  });

  const victims = ["agent", "engine", "gateway", "web", "agent", "agent", "engine", "engine", "gateway"];
  const until = Date.now() + 90_000;
  const isOver = async () => !["queued", "running"].includes((await getRun(pool, run))?.state ?? "");
  for (const victim of victims) {
    await sleep(600);
    expect(await isOver(), `the run should still go on when ${victim} is killed`).toBe(false);
    const pid = await appeared(() => stack.pids()[victim]);
    process.kill(pid, "SIGKILL");
  }
  while (!(await isOver())) {
    expect(Date.now()).toBeLessThan(until);
    await sleep(100);
  }

  expect((await getRun(pool, run))?.state).toBe("succeeded");
  const starts = (await readFile(join(outside, "starts"), "utf8")).trim().split("\n").map(Number);
  expect(starts.sort((a, b) => a - b)).toEqual(Array.from({ length: tasks }, (_, task) => task));
  const { rows } = await pool.query(
    "SELECT count(*)::int AS outcomes, count(DISTINCT task)::int AS tasks FROM engine.outcome WHERE run = $1 AND outcome = 'succeeded'",
    [run],
  );
  expect(rows).toEqual([{ outcomes: tasks, tasks }]);
});

async function appeared(find: () => number | undefined): Promise<number> {
  for (;;) {
    const pid = find();
    if (pid !== undefined) return pid;
    await sleep(20);
  }
}
