/**
 * The claims: a `foreach` of a million independent tasks is checked in under 0.5 s and 100 MB; a phased DAG of a million
 * tasks, given task by task, is read and its edges inferred in under 15 s and 2 GB, in time that grows linearly.
 * Each figure comes from a process of its own, which is this program again with `--part`: nothing is warm or left over
 * from another. Memory is the process's peak resident size less its size before the text was read.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { checkWorkflow } from "@/core/workflow/check";
import { type Measurement, median, rounded } from "./measurement";

const million = 1_000_000;
const width = 1000;

const foreachText = `graph independent
foreach i in 1..${million} {
  task t\${i} -e ./simulate -a "-n \${i}" -i common.dat in\${i}.dat -o out\${i}.dat
}
`;

/** Phases of a thousand tasks, each of which reads what two tasks of the phase before wrote: some 43 MB for a million. */
function phasedText(tasks: number): string {
  const lines = ["graph loosely-coupled"];
  for (let task = 0; task < tasks; task++) {
    const before = task - width;
    const beside = before - (before % width) + ((task + 1) % width);
    const inputs = before < 0 ? "start" : `f${before} f${beside}`;
    lines.push(`task t${task} -e step -i ${inputs} -o f${task}`);
  }
  return `${lines.join("\n")}\n`;
}

interface Cost {
  seconds: number;
  megabytes: number;
}

export async function measure(): Promise<Measurement> {
  const part = process.argv.find((argument) => argument.startsWith("--part="))?.slice("--part=".length);
  if (part !== undefined) {
    const [name = "", ...files] = part.split(",");
    console.log(JSON.stringify(parts[name]?.(files)));
    process.exit(0);
  }
  const directory = mkdtempSync(join(tmpdir(), "gridloom-bench-"));
  try {
    const files = [million / 4, million].map((tasks) => {
      const file = join(directory, `${tasks}.gadl`);
      writeFileSync(file, phasedText(tasks));
      return file;
    });
    const foreach = medianCost(() => inChild<Cost>("foreach", []));
    const dag = medianCost(() => inChild<Cost>("dag", files.slice(1)));
    const { growth } = inChild<{ growth: number }>("growth", files);
    return {
      measures: {
        foreach_1m_s: rounded(foreach.seconds),
        foreach_1m_mb: rounded(foreach.megabytes),
        dag_1m_s: rounded(dag.seconds),
        dag_1m_mb: rounded(dag.megabytes),
        growth_250k_to_1m: rounded(growth),
      },
      peers: {},
      notes:
        "foreach: parsed, checked and classified; dag: parsed and edges inferred, about 2,000,000 edges; median of three fresh processes each. growth: the best of three of each, in turns, in one warmed-up process.",
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const parts: Record<string, (files: string[]) => Cost | { growth: number }> = {
  foreach: () => cost(() => foreachText, check),
  dag: ([file = ""]) => cost(() => readFileSync(file, "utf8"), infer),
  growth: ([quarter = "", whole = ""]) => {
    const small = readFileSync(quarter, "utf8");
    const large = readFileSync(whole, "utf8");
    for (let round = 0; round < 2; round++) infer(small);
    // In turns, and the best of each: what else the machine does at the moment falls on both alike, or is left out.
    const times = [0, 1, 2].map(() => [seconds(() => infer(small)), seconds(() => infer(large))] as const);
    const best = (which: 0 | 1): number => Math.min(...times.map((pair) => pair[which]));
    return { growth: best(1) / (4 * best(0)) };
  },
};

function infer(text: string): void {
  const { application } = parseWorkflow(text);
  const { workflow } = buildWorkflow(application);
  if (workflow.class !== "phases") throw new Error(`The graph came out as ${workflow.class}.`);
}

function check(text: string): void {
  const { workflow, problems } = checkWorkflow(text);
  if (workflow?.taskCount !== million || workflow.class !== "independent" || problems.length > 0) {
    throw new Error("The workflow came out wrong.");
  }
}

/** What `prepare` takes counts as memory, not as time. */
function cost(prepare: () => string, work: (text: string) => void): Cost {
  collectGarbage();
  const idle = process.memoryUsage().rss;
  const text = prepare();
  const started = performance.now();
  work(text);
  const taken = (performance.now() - started) / 1000;
  return { seconds: taken, megabytes: (process.resourceUsage().maxRSS * 1024 - idle) / 1e6 };
}

function seconds(work: () => void): number {
  collectGarbage();
  const started = performance.now();
  work();
  return (performance.now() - started) / 1000;
}

function medianCost(once: () => Cost): Cost {
  const costs = [once(), once(), once()];
  return {
    seconds: median(costs.map(({ seconds }) => seconds)),
    megabytes: median(costs.map(({ megabytes }) => megabytes)),
  };
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
}

function inChild<T>(name: string, files: string[]): T {
  const program = fileURLToPath(import.meta.url);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, "languages", `--part=${[name, ...files].join(",")}`],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`The part ${name} ended with status ${status}: ${stderr}`);
  return JSON.parse(stdout);
}
