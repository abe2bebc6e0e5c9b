/**
 * How many no-op processes a second go through the whole of Gridloom — engine, journal, gateway, agent, isolation — each
 * result durable before the next task takes its slot, beside `xargs -P` (which remembers nothing) and GNU
 * parallel with a job log and results (which does), in the same run and on the same number of slots.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { defaultRunSettings } from "@/server/engine/run-settings";
import { openPool, type Pool } from "@/server/journal/pool";
import { createRun } from "@/server/journal/queries/create-run";
import { getRun } from "@/server/journal/queries/get-run";
import { startStack } from "@/server/stack";
import { makeTemporaryHome } from "@/server/temporary-home";
import { type Measurement, median, rounded } from "./measurement";

const tasks = 1000;
const rounds = 3;
const slots = availableParallelism();

export async function measure(): Promise<Measurement> {
  const { home, remove } = await makeTemporaryHome();
  const stack = await startStack({ home, web: false, log: () => undefined });
  const pool = openPool(stack.databaseUrl);
  const rates: Record<"gridloom" | "xargs" | "parallel", number[]> = { gridloom: [], xargs: [], parallel: [] };
  const hasParallel = spawnSync("parallel", ["--version"]).status === 0;
  try {
    await throughGridloom(pool, 50);
    for (let round = 0; round < rounds; round++) {
      rates.gridloom.push(await throughGridloom(pool, tasks));
      rates.xargs.push(throughXargs(tasks));
      if (hasParallel) rates.parallel.push(throughParallel(tasks, join(home.run, `parallel-${round}`)));
    }
  } finally {
    await pool.end();
    await stack.stop();
    await remove();
  }
  const ours = median(rates.gridloom);
  const xargs = median(rates.xargs);
  return {
    measures: {
      tasks_per_s: rounded(ours),
      ratio_to_xargs: rounded(ours / xargs),
      ...(hasParallel ? { ratio_to_parallel: rounded(ours / median(rates.parallel)) } : {}),
    },
    peers: { xargs: rounded(xargs), ...(hasParallel ? { parallel: rounded(median(rates.parallel)) } : {}) },
    notes:
      `${tasks} no-op tasks a round, median of ${rounds} rounds, ${slots} slots; every result committed to PostgreSQL with fsync on.` +
      (hasParallel ? "" : " GNU parallel is missing."),
  };
}

async function throughGridloom(pool: Pool, count: number): Promise<number> {
  const source = `graph independent\nforeach N in 1..${count} {\n  task -e true\n}\n`;
  const { application, format } = parseWorkflow(source);
  const { workflow } = buildWorkflow(application);
  const started = performance.now();
  const id = await createRun(pool, {
    owner: "cli:bench",
    ownerAdmin: true,
    name: "dispatch",
    format,
    source,
    application,
    graph: workflow,
    settings: defaultRunSettings,
    inputs: [],
  });
  for (;;) {
    const run = await getRun(pool, id);
    if (run?.state === "succeeded") return (count / (performance.now() - started)) * 1000;
    if (run?.state === "failed" || run?.state === "killed") throw new Error(`The benchmark's run ${run.state}.`);
    await new Promise((resume) => setTimeout(resume, 10));
  }
}

function throughXargs(count: number): number {
  return timed(count, "xargs", ["-P", String(slots), "-n", "1", "true"]);
}

function throughParallel(count: number, results: string): number {
  return timed(count, "parallel", ["-j", String(slots), "--joblog", `${results}.log`, "--results", results, "true"]);
}

function timed(count: number, command: string, args: string[]): number {
  const input = Array.from({ length: count }, (_, index) => index).join("\n");
  const started = performance.now();
  const { status } = spawnSync(command, args, { input, stdio: ["pipe", "ignore", "ignore"] });
  if (status !== 0) throw new Error(`${command} ended with status ${status}.`);
  return (count / (performance.now() - started)) * 1000;
}
