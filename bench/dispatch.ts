/**
 * How many no-op processes a second go through the whole of Gridloom — engine, journal, gateway, agent, isolation — each
 * result durable before it is acknowledged, beside others in the same run on the same number of slots. Besides: tasks that
 * the agent completes without a process, which is what the parts around the process can do at most; and how long a task
 * that has become ready waits for its start on an agent that has nothing else to do.
 */
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
import { peers, rateOf } from "./dispatch-peers";
import { type Measurement, median, rounded } from "./measurement";

const tasks = 1000;
const internalTasks = 10_000;
const chainLength = 60;
const rounds = 3;
const slots = availableParallelism();

export async function measure(): Promise<Measurement> {
  const { home, remove } = await makeTemporaryHome();
  const stack = await startStack({ home, web: false, log: () => undefined });
  const pool = openPool(stack.databaseUrl);
  const looked = peers.map((peer) => ({ peer, why: peer.missing() }));
  const present = looked.flatMap(({ peer, why }) => (why === undefined ? [peer] : []));
  const missing = looked.flatMap(({ peer, why }) => (why === undefined ? [] : [`${peer.name} (${why})`]));
  const ours = { processes: [] as number[], internal: [] as number[], waits: [] as number[] };
  const theirs = new Map<string, number[]>(present.map(({ name }) => [name, []]));
  try {
    await rateOfBag(pool, 50, "true");
    for (let round = 0; round < rounds; round++) {
      ours.processes.push(await rateOfBag(pool, tasks, "true"));
      for (const peer of present) {
        theirs.get(peer.name)?.push(rateOf(peer, slots, join(home.run, `${peer.name}-${round}`)));
      }
      ours.internal.push(await rateOfBag(pool, internalTasks, '": "'));
      ours.waits.push(...(await waitsOfChain(pool)));
    }
  } finally {
    await pool.end();
    await stack.stop();
    await remove();
  }
  const rate = median(ours.processes);
  const rates = Object.fromEntries([...theirs].map(([name, values]) => [name, median(values)]));
  const ratios = Object.entries(rates).map(([name, theirRate]) => [`ratio_to_${name}`, rounded(rate / theirRate)]);
  return {
    measures: {
      tasks_per_s: rounded(rate),
      ...Object.fromEntries(ratios),
      internal_tasks_per_s: rounded(median(ours.internal)),
      ready_to_started_ms_median: rounded(median(ours.waits)),
    },
    peers: Object.fromEntries(Object.entries(rates).map(([name, value]) => [name, rounded(value)])),
    notes:
      `${tasks} no-op processes and ${internalTasks} tasks without one a round, median of ${rounds} rounds, ${slots} slots; ` +
      "every result committed to PostgreSQL with fsync on." +
      (missing.length > 0 ? ` Missing: ${missing.join(", ")}.` : ""),
  };
}

async function rateOfBag(pool: Pool, count: number, executable: string): Promise<number> {
  const source = `graph independent\nforeach N in 1..${count} {\n  task -e ${executable}\n}\n`;
  const started = performance.now();
  await runToEnd(pool, source, "bag.gadl");
  return (count / (performance.now() - started)) * 1000;
}

/** From the moment the engine took the predecessor's end for granted to the start of the process, by clocks of one host. */
async function waitsOfChain(pool: Pool): Promise<number[]> {
  const nodes = Array.from({ length: chainLength }, (_, index) => `JOB T${index} {\n executable = /bin/true\n}`);
  const edges = nodes.slice(1).map((_, index) => `PARENT T${index} CHILD T${index + 1}`);
  const id = await runToEnd(pool, `${[...nodes, ...edges].join("\n")}\n`, "chain.dag");
  const { rows } = await pool.query<{ ms: number }>(
    `SELECT extract(epoch FROM started.started_at - before.recorded_at)::float8 * 1000 AS ms
     FROM engine.attempt_start AS started JOIN engine.outcome AS before
       ON before.run = started.run AND before.task = started.task - 1 AND before.outcome = 'succeeded'
     WHERE started.run = $1`,
    [id],
  );
  return rows.map(({ ms }) => ms);
}

async function runToEnd(pool: Pool, source: string, fileName: string): Promise<string> {
  const { application, format } = parseWorkflow(source, fileName);
  const { workflow } = buildWorkflow(application);
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
    if (run?.state === "succeeded") return id;
    if (run?.state === "failed" || run?.state === "killed") throw new Error(`The benchmark's run ${run.state}.`);
    await new Promise((resume) => setTimeout(resume, 10));
  }
}
