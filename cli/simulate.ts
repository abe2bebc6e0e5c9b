/**
 * `gridloom simulate FILE --grid FILE`: the workflow on a simulated grid, with the real engine on a simulated clock. Nothing is
 * executed. Exit code 0 if every task would get through; 1 if not, or if a file has errors; 2 if the command was wrong.
 */
import { writeFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { Policies } from "@/core/engine/policy";
import { readPolicies } from "@/core/engine/policy-schema";
import { formatProblem, hasErrors } from "@/core/problem";
import type { Distribution } from "@/core/simulation/grid/distribution";
import { simulateDivisible } from "@/core/simulation/grid/divisible";
import { readDistribution, readGrid } from "@/core/simulation/grid/grid-file";
import { type FactoryModel, factoryKinds, type Grid } from "@/core/simulation/grid/grid-schema";
import type { SimulationReport } from "@/core/simulation/grid/report";
import { simulate } from "@/core/simulation/grid/simulate";
import { type Workload, workloadOf } from "@/core/simulation/grid/workload";
import { checkWorkflow } from "@/core/workflow/check";
import { filesBeside } from "./files-beside";
import type { CommandIo } from "./io";
import { divisibleTable, simulationTable, timelineCsv } from "./simulation-tables";

type SimulateIo = Pick<CommandIo, "readFile" | "stdout" | "stderr">;

const usage = `usage: gridloom simulate FILE --grid FILE [--seed N] [--json] [--timeline OUT]
       [--seconds-per-weight S] [--runtimes DISTRIBUTION] [--file-bytes N] [--retries N]
       [--policies FILE] [--factory KIND]
       gridloom simulate --divisible UNITS --grid FILE [--iterations N] [--seconds-per-unit S]
       [--bytes-per-unit N] [--seed N] [--json]

  --grid FILE              the clusters and hosts, see docs/simulation.md and examples/grids/
  --seed N                 where all chances come from (1 unless told)
  --json                   everything for machines, with a line for each attempt
  --timeline OUT           the attempts as a table (CSV)
  --seconds-per-weight S   how long a task of weight 1 takes if no time was recorded (60 unless told)
  --runtimes D             draw it instead: a number or such as '{"is":"uniform","low":1200,"high":2400}'
  --file-bytes N           the size of files the workflow tells none of (0 unless told)
  --retries N              further attempts after a task has failed (1 unless told)
  --policies FILE          the run's policies as JSON, see docs/policies.md
  --factory KIND           how agents are got, instead of what the grid says: standing, simple, heuristic or hybrid
  --divisible UNITS        work that may be cut as one likes, instead of a workflow: balanced against self-scheduled,
                           in iterations (10 unless told) of units that take S seconds (1) and read N bytes (0)
`;

interface Wishes {
  /** Not for divisible work. */
  file?: string;
  grid: string;
  seed: number;
  json: boolean;
  timeline?: string;
  secondsPerWeight?: number;
  runtimes?: Distribution;
  fileBytes?: number;
  retries?: number;
  policies?: string;
  factory?: FactoryModel["kind"];
  divisible?: number;
  iterations?: number;
  secondsPerUnit?: number;
  bytesPerUnit?: number;
}

export async function runSimulate(
  argv: readonly string[],
  io: SimulateIo,
  write: (path: string, text: string) => Promise<void> = writeFile,
): Promise<number> {
  const wishes = readWishes(argv);
  if (typeof wishes === "string") {
    io.stderr(`${wishes}\n${usage}`);
    return 2;
  }
  const { file, divisible } = wishes;
  const texts = await Promise.all([file === undefined ? "" : read(file, io), read(wishes.grid, io)]);
  const [text, gridText] = texts;
  if (text === undefined || gridText === undefined) return 2;
  const grid = gridOf(gridText, wishes, io);
  if (divisible !== undefined) return grid ? divide(grid, { ...wishes, divisible }, io) : 1;
  const workload = await workloadFrom(text, { ...wishes, file: file ?? "" }, grid, io);
  const policies = await policiesFrom(wishes.policies, io);
  if (!grid || !workload || !policies) return 1;
  const rules = { policies, ...(wishes.retries === undefined ? {} : { retries: wishes.retries }) };
  const result = simulate({ grid, submissions: [{ workload, rules }], seed: wishes.seed });
  if (wishes.timeline !== undefined) {
    try {
      await write(wishes.timeline, timelineCsv(result));
    } catch (error) {
      io.stderr(`${wishes.timeline} cannot be written: ${reason(error)}\n`);
      return 2;
    }
  }
  io.stdout(wishes.json ? `${JSON.stringify(result)}\n` : simulationTable(result));
  return succeeded(result) ? 0 : 1;
}

function divide(grid: Grid, wishes: Wishes & { divisible: number }, io: SimulateIo): number {
  const { seed, divisible: units, iterations = 10, secondsPerUnit = 1, bytesPerUnit = 0 } = wishes;
  const result = simulateDivisible({ grid, seed, units, iterations, secondsPerUnit, bytesPerUnit });
  io.stdout(wishes.json ? `${JSON.stringify(result)}\n` : divisibleTable(result));
  return Number.isFinite(result.speedup) ? 0 : 1;
}

async function policiesFrom(file: string | undefined, io: SimulateIo): Promise<Policies | undefined> {
  if (file === undefined) return {};
  const text = await read(file, io);
  if (text === undefined) return undefined;
  const policies = readPolicies(text);
  if (policies.ok) return policies.policies;
  for (const sentence of policies.sentences) io.stderr(`${file}: ${sentence}\n`);
  return undefined;
}

function succeeded({ runs }: SimulationReport): boolean {
  return runs.every(({ state }) => state === "succeeded");
}

async function read(file: string, io: SimulateIo): Promise<string | undefined> {
  try {
    return await io.readFile(file);
  } catch (error) {
    io.stderr(`${file} cannot be read: ${reason(error)}\n`);
    return undefined;
  }
}

function gridOf(text: string, wishes: Wishes, io: SimulateIo): Grid | undefined {
  const { grid, problems } = readGrid(text);
  for (const problem of problems) io.stderr(`${formatProblem(problem, wishes.grid)}\n`);
  return grid && wishes.factory ? { ...grid, factory: { ...grid.factory, kind: wishes.factory } } : grid;
}

async function workloadFrom(
  text: string,
  wishes: Wishes & { file: string },
  grid: Grid | undefined,
  io: SimulateIo,
): Promise<Workload | undefined> {
  const { file, seed, secondsPerWeight, fileBytes } = wishes;
  const beside = await filesBeside(text, file, io.readFile);
  const { application, workflow, problems } = checkWorkflow(text, file, undefined, beside);
  if (!workflow || hasErrors(problems)) {
    for (const problem of problems) io.stderr(`${formatProblem(problem, file)}\n`);
    return undefined;
  }
  const runtimes = wishes.runtimes ?? grid?.runtimes;
  const name = basename(file, extname(file));
  return workloadOf(name, application, workflow, { seed, runtimes, secondsPerWeight, fileBytes });
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A sentence if the arguments make no sense. */
function readWishes(argv: readonly string[]): Wishes | string {
  const wishes: Partial<Wishes> & Pick<Wishes, "seed" | "json"> = { seed: 1, json: false };
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (word === "--json") wishes.json = true;
    else if (word.startsWith("--")) {
      at += 1;
      const problem = readOption(word, argv[at], wishes);
      if (problem) return problem;
    } else if (wishes.file !== undefined) return "Only one workflow can be given.";
    else wishes.file = word;
  }
  const { file, grid, divisible } = wishes;
  if (file === undefined && divisible === undefined) return "A workflow is needed.";
  if (file !== undefined && divisible !== undefined) return "Either a workflow or --divisible can be given.";
  if (grid === undefined) return "Say the grid with --grid.";
  return { ...wishes, grid };
}

function readOption(option: string, value: string | undefined, wishes: Partial<Wishes>): string | undefined {
  const texts = { "--grid": "grid", "--timeline": "timeline", "--policies": "policies" } as const;
  const numbers = {
    "--seed": { of: "seed", whole: true },
    "--retries": { of: "retries", whole: true },
    "--file-bytes": { of: "fileBytes", whole: true },
    "--seconds-per-weight": { of: "secondsPerWeight", whole: false },
    "--divisible": { of: "divisible", whole: false },
    "--seconds-per-unit": { of: "secondsPerUnit", whole: false },
    "--bytes-per-unit": { of: "bytesPerUnit", whole: false },
    "--iterations": { of: "iterations", whole: true },
  } as const;
  if (isKey(texts, option)) {
    if (value === undefined) return `${option} needs a file.`;
    wishes[texts[option]] = value;
  } else if (isKey(numbers, option)) {
    const { of, whole } = numbers[option];
    const number = value === undefined || value.trim() === "" ? Number.NaN : Number(value);
    const most = of === "fileBytes" ? Number.MAX_SAFE_INTEGER : 0xffff_ffff;
    if (of === "iterations" && (number < 1 || number > 10_000)) return "--iterations needs a number from 1 to 10000.";
    if (of === "divisible" && number === 0) return "--divisible needs a number above 0.";
    if (!(number >= 0 && number <= most) || (whole && !Number.isInteger(number))) {
      return `${option} needs a ${whole ? "whole number" : "number"} from 0 on.`;
    }
    wishes[of] = number;
  } else if (option === "--factory") {
    const kind = factoryKinds.find((known) => known === value);
    if (!kind) return `--factory needs one of ${factoryKinds.join(", ")}.`;
    wishes.factory = kind;
  } else if (option === "--runtimes") {
    const runtimes = readDistribution(value ?? "");
    if (typeof runtimes === "string") return `--runtimes needs a number or a distribution. ${runtimes}`;
    wishes.runtimes = runtimes;
  } else return `There is no option ${option}.`;
  return undefined;
}

function isKey<T extends object>(of: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(of, key);
}
