/** The figures of a simulation for people's eyes, and its attempts as a table for other programs. */
import type { DivisibleReport } from "@/core/simulation/grid/divisible";
import type { SimulationReport } from "@/core/simulation/grid/report";

type Attempt = SimulationReport["timeline"][number];

/** More attempts than these are not shown line by line. */
const mostShown = 30;

export function simulationTable(result: SimulationReport): string {
  return [...facts(result), "", ...clusters(result), "", ...progress(result), "", ...attempts(result), ""].join("\n");
}

export function divisibleTable(result: DivisibleReport): string {
  const { balanced, selfScheduled } = result;
  const words: [string, string][] = [
    ["grid", result.grid],
    ["seed", String(result.seed)],
    ["workers", `${result.workers}, heterogeneity ${result.heterogeneity.toFixed(2)}`],
    ["self", `${seconds(selfScheduled.seconds)} s, with ${selfScheduled.piecesPerWorker} pieces for each worker`],
    ["balanced", `${seconds(balanced.seconds)} s: ${balanced.iterations.map(seconds).join(", ")}`],
    ["speed-up", `${result.speedup.toFixed(2)} times`],
  ];
  return `${words.map(([name, value]) => `${`${name}:`.padEnd(10)}${value}`).join("\n")}\n`;
}

function facts(result: SimulationReport): string[] {
  const { runs, attempts: tried } = result;
  const tasks = runs.reduce((sum, run) => sum + run.tasks, 0);
  const incomplete = runs.reduce((sum, run) => sum + run.incomplete, 0);
  const words: [string, string][] = [
    ["grid", result.grid],
    ["seed", `${result.seed}, event log ${result.hash}, ${result.events} events`],
    ["run", runs.map(({ name, state }) => `${name} ${state}`).join(", ")],
    ["makespan", `${seconds(result.makespanSeconds)} s (${duration(result.makespanSeconds)})`],
    ["tasks", `${tasks}${incomplete > 0 ? `, ${incomplete} without a result` : ""}`],
    ["attempts", `${tried.total}: ${tried.failed} failed, ${tried.lost} lost, ${tried.replicas} replicas`],
    [
      "waste",
      `${percent(result.waste)} of ${seconds(result.usefulSlotSeconds + result.wastedSlotSeconds)} slot-seconds used`,
    ],
    ["used", `${percent(result.utilisation)} of the slots offered`],
  ];
  return words.map(([name, value]) => `${`${name}:`.padEnd(10)}${value}`);
}

function clusters(result: SimulationReport): string[] {
  const rows = result.clusters.map((cluster) => [
    cluster.name,
    String(cluster.hosts),
    String(cluster.slots),
    String(cluster.agents),
    String(cluster.counted),
    String(cluster.failed),
    String(cluster.lost),
    percent(cluster.utilisation),
    seconds(cluster.wastedSlotSeconds),
    (cluster.bytesMoved / 1e6).toFixed(1),
  ]);
  const head = ["cluster", "hosts", "slots", "agents", "results", "failed", "lost", "used", "wasted s", "moved MB"];
  return table([head, ...rows], 1);
}

/** When which share of the tasks was done. */
function progress(result: SimulationReport): string[] {
  const rows = result.runs.map(({ name, tasks, submittedAt, incompleteOverTime }) => {
    const when = [0.5, 0.9, 0.99, 1].map((part) => {
      const point = incompleteOverTime.find((candidate) => candidate.tasks <= tasks * (1 - part));
      return point ? seconds(point.at - submittedAt) : "never";
    });
    return [name, ...when];
  });
  return table([["done after s", "50 %", "90 %", "99 %", "all"], ...rows], 1);
}

function attempts({ timeline }: SimulationReport): string[] {
  if (timeline.length > mostShown) return [`${timeline.length} attempts; --timeline FILE writes them down.`];
  const rows = timeline.map((line) => [
    `${line.taskName}${line.ordinal > 1 ? ` (${line.ordinal})` : ""}`,
    line.host,
    ...[line.queued, line.prolog, line.running, line.epilog, line.ended].map(time),
    line.outcome === "succeeded" ? "" : `${line.outcome}${line.reason ? `: ${line.reason}` : ""}`,
  ]);
  return table([["task", "host", "queued", "prolog", "running", "epilog", "ended", ""], ...rows], 2);
}

export function timelineCsv({ timeline }: SimulationReport): string {
  const head =
    "run,task,attempt,cluster,host,queued,prolog,running,epilog,ended,recorded,outcome,reason,replica,counts";
  const line = (of: Attempt): string => {
    const times = [of.queued, of.prolog, of.running, of.epilog, of.ended, of.recorded];
    const fields = [of.runName, of.taskName, of.ordinal, of.cluster, of.host, ...times, of.outcome, of.reason];
    return [...fields, of.replica, of.counts].map(csvField).join(",");
  };
  return `${[head, ...timeline.map(line)].join("\n")}\n`;
}

function csvField(value: string | number | boolean | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return String(value);
  return /[",\n\r]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** The first so many columns are words, the others numbers. */
function table(rows: readonly string[][], words: number): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column < words ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("  ")
      .trimEnd(),
  );
}

function time(of: number | undefined): string {
  return of === undefined ? "-" : seconds(of);
}

function seconds(value: number): string {
  return Number.isInteger(value) || value >= 1000 ? value.toFixed(0) : value.toFixed(2);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function duration(ofSeconds: number): string {
  const units: [string, number][] = [
    ["d", 86_400],
    ["h", 3600],
    ["min", 60],
  ];
  const [unit, length] = units.find(([, size]) => ofSeconds >= 2 * size) ?? ["s", 1];
  return `${(ofSeconds / length).toFixed(1)} ${unit}`;
}
