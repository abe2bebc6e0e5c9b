/**
 * `gridloom cluster FILE [--algorithm NAME] [--granularity N] [--bandwidth N] [--units] [--json]`: how the tasks of a
 * workflow are put together, and what that costs: edges between clusters, their weight (the sizes of their files in
 * bytes, where the format tells them), and the time with one processor for each cluster.
 * Exit code 0; 1 if the workflow has errors; 2 if the command itself was wrong.
 */
import { formatProblem, hasErrors } from "@/core/problem";
import { checkWorkflow } from "@/core/workflow/check";
import {
  type Clustering,
  type ClusteringAlgorithm,
  type ClusteringOptions,
  clusteringAlgorithms,
  clusterWorkflow,
} from "@/core/workflow/clustering";
import type { Workflow } from "@/core/workflow/workflow";
import { filesBeside } from "./files-beside";
import type { CommandIo } from "./io";
import { readText } from "./read-text";

type ClusterIo = Pick<CommandIo, "readFile" | "stdout" | "stderr">;

const usage = `usage: gridloom cluster FILE [--algorithm ${clusteringAlgorithms.join("|")}] [--granularity N] [--bandwidth N] [--units] [--json]\n`;

interface Arguments extends ClusteringOptions {
  file: string;
  json: boolean;
}

export async function runCluster(argv: readonly string[], io: ClusterIo): Promise<number> {
  const read = readArguments(argv);
  if (typeof read === "string") {
    io.stderr(`${read}\n${usage}`);
    return 2;
  }
  const { file, json, ...options } = read;
  const text = await readText(file, io);
  if (text === undefined) return 2;
  const { application, workflow, problems } = checkWorkflow(
    text,
    file,
    undefined,
    await filesBeside(text, file, io.readFile),
  );
  if (!workflow || hasErrors(problems)) {
    for (const problem of problems) io.stderr(`${formatProblem(problem, file)}\n`);
    return 1;
  }
  const sizes = new Map(Object.entries(application.fileSizes ?? {}));
  if (sizes.size > 0) options.fileWeight = (name) => sizes.get(name);
  const clustering = clusterWorkflow(workflow, options);
  const told = asJson(workflow, clustering);
  io.stdout(json ? `${JSON.stringify(told)}\n` : report(told));
  return 0;
}

function readArguments(argv: readonly string[]): Arguments | string {
  let file: string | undefined;
  let json = false;
  const options: ClusteringOptions = { algorithm: "auto" };
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === "--json") json = true;
    else if (word === "--units") options.units = true;
    else if (word === "--algorithm") {
      const name = argv[++i];
      const algorithm = algorithmNamed(name);
      if (!algorithm) return name === undefined ? `${word} needs a name.` : `There is no algorithm “${name}”.`;
      options.algorithm = algorithm;
    } else if (word === "--granularity") {
      const number = argv[++i] ?? "";
      if (!/^[1-9][0-9]{0,8}$/.test(number)) return `${word} needs a whole number from 1 on.`;
      options.granularity = Number(number);
    } else if (word === "--bandwidth") {
      const number = Number(argv[++i] ?? "");
      if (!(number > 0 && Number.isFinite(number))) return `${word} needs a number above 0.`;
      options.bandwidth = number;
    } else if (word.startsWith("--")) return `There is no option ${word}.`;
    else if (file !== undefined) return "Only one file can be given.";
    else file = word;
  }
  return file === undefined ? "A file is needed." : { file, json, ...options };
}

/** What else people call them. */
const otherNames: ReadonlyMap<string, ClusteringAlgorithm> = new Map([
  ["pipelines", "pipeline"],
  ["dominant-sequence", "dsc"],
]);

function algorithmNamed(name: string | undefined): ClusteringAlgorithm | undefined {
  return clusteringAlgorithms.find((algorithm) => algorithm === name) ?? otherNames.get(name ?? "");
}

function asJson(workflow: Workflow, clustering: Clustering) {
  const { offsets, targets } = clustering.members;
  return {
    algorithm: clustering.algorithm,
    class: workflow.class,
    tasks: workflow.taskCount,
    clusters: Array.from({ length: clustering.clusterCount }, (_, c) =>
      Array.from(targets.subarray(offsets[c], offsets[c + 1]), (task) => workflow.name(task)),
    ),
    largestCluster: clustering.largestCluster,
    cutEdges: clustering.cutEdges,
    crossingWeight: clustering.crossingWeight,
    estimatedParallelTime: clustering.estimatedParallelTime,
    unclusteredParallelTime: clustering.unclusteredParallelTime,
    units: clustering.units,
  };
}

function report(told: ReturnType<typeof asJson>): string {
  const facts: [string, string | number][] = [
    ["algorithm", told.algorithm],
    ["class", told.class],
    ["tasks", told.tasks],
    ["clusters", `${told.clusters.length}, the largest of ${told.largestCluster}`],
    ["cut edges", `${told.cutEdges}, of weight ${told.crossingWeight}`],
    ["time", `${told.estimatedParallelTime} (${told.unclusteredParallelTime} without clusters)`],
    ["units", told.units ? "yes" : "no: some clusters wait for each other"],
  ];
  const lines = facts.map(([name, value]) => `${`${name}:`.padEnd(10)} ${value}`);
  told.clusters.forEach((tasks, c) => {
    lines.push(`cluster ${c + 1}: ${tasks.join(" ")}`);
  });
  return `${lines.join("\n")}\n`;
}
