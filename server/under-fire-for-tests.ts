/**
 * A whole portal with real processes, a run in it, and parts that are killed with SIGKILL while it goes on. The tasks count
 * their own starts in a file outside the portal, so that the count does not depend on what is being tested.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { defaultRunSettings } from "./engine/run-settings";
import { openPool, type Pool } from "./journal/pool";
import { createRun } from "./journal/queries/create-run";
import { getRun } from "./journal/queries/get-run";
import { type Stack, startStack } from "./stack";
import { makeTemporaryHome } from "./temporary-home";

export interface UnderFire {
  tasks: number;
  /** Each kill: which part, and how long to wait before. */
  kills: { part: string; afterMs: number }[];
  /** The longest the run may take after the last kill. */
  patienceMs: number;
}

export interface Survived {
  state: string | undefined;
  /** How often each task started, by its own count. */
  starts: number[];
  /** Outcomes recorded as succeeded, and the number of different tasks they are of. */
  succeeded: { outcomes: number; tasks: number };
  /** Kills that came before the run was over. */
  kills: number;
}

export async function runUnderFire({ tasks, kills, patienceMs }: UnderFire): Promise<Survived> {
  const temporary = await makeTemporaryHome();
  // Every slot's account counts here; it is not in /tmp, of which a program in namespaces has one of its own.
  const outside = await mkdtemp("/var/tmp/gridloom-starts-");
  const counter = join(outside, "starts");
  await chmod(outside, 0o777);
  await writeFile(counter, "");
  await chmod(counter, 0o666);
  let stack: Stack | undefined;
  let pool: Pool | undefined;
  try {
    const running = await startStack({ home: temporary.home, web: true, port: 0, slots: 4, log: () => undefined });
    stack = running;
    const database = openPool(running.databaseUrl);
    pool = database;
    const source = fanOut(tasks, counter);
    const { application, format } = parseWorkflow(source);
    const run = await createRun(database, {
      owner: "cli:test",
      ownerAdmin: true,
      name: "under fire",
      format,
      source,
      application,
      graph: buildWorkflow(application).workflow,
      settings: { ...defaultRunSettings, retries: 0 },
      inputs: [],
    });
    const state = async () => (await getRun(database, run))?.state;
    const goesOn = async () => ["queued", "running"].includes((await state()) ?? "");
    let killed = 0;
    for (const { part, afterMs } of kills) {
      await sleep(afterMs);
      if (!(await goesOn())) break;
      process.kill(await appeared(() => running.pids()[part]), "SIGKILL");
      killed += 1;
    }
    const until = performance.now() + patienceMs;
    while ((await goesOn()) && performance.now() < until) await sleep(100);

    const starts = new Array<number>(tasks).fill(0);
    for (const line of (await readFile(counter, "utf8")).trim().split("\n")) {
      starts[Number(line)] = (starts[Number(line)] ?? 0) + 1;
    }
    const { rows } = await database.query<Survived["succeeded"]>(
      "SELECT count(*)::int AS outcomes, count(DISTINCT task)::int AS tasks FROM engine.outcome WHERE run = $1 AND outcome = 'succeeded'",
      [run],
    );
    return { state: await state(), starts, succeeded: rows[0] ?? { outcomes: 0, tasks: 0 }, kills: killed };
  } finally {
    await pool?.end();
    await stack?.stop();
    await temporary.remove();
    await rm(outside, { recursive: true, force: true });
  }
}

/** One task feeds many, and one gathers what they made. */
function fanOut(tasks: number, counter: string): string {
  const last = tasks - 1;
  return `OUTPUT = "0.out"
task 0 -e "echo 0 >> ${counter}; echo 0 > 0.out" -o 0.out
foreach N in 1..${last - 1} {
  task \${N} -e "echo \${N} >> ${counter}; sleep 0.4; echo \${N} > \${N}.out" -i 0.out -o \${N}.out
  OUTPUT = \${OUTPUT} + ";" + \${N} + ".out"
}
task ${last} -e "echo ${last} >> ${counter}; cat *.out | sort -n > all.txt" -i \${OUTPUT} -o all.txt
`;
}

async function appeared(find: () => number | undefined): Promise<number> {
  for (;;) {
    const pid = find();
    if (pid !== undefined) return pid;
    await sleep(20);
  }
}
