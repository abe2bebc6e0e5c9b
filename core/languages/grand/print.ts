/** An application as the thesis writes it: manifest, tasks, and where there are any, edges and clusters (Figures F.11 to F.14). */
import type { PrintedWorkflow } from "@/core/languages/format";
import { printTasks } from "@/core/languages/jsdl/print";
import { encodeText } from "@/core/languages/xml/decode";
import type { Application } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import type { Workflow } from "@/core/workflow/workflow";

const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = "http://www.cos.ufrj.br/~grand/2005/06";

export function printGrand(application: Application): PrintedWorkflow {
  const { workflow } = buildWorkflow(application);
  const tasks = printTasks(application, workflow);
  const files: Record<string, string> = { "tasks.xml": tasks.text };
  if (workflow.successors.targets.length > 0) files["edges.xml"] = printEdges(workflow);
  if (application.clusters) files["clusters.xml"] = printClusters(application.clusters, workflow);
  const entries = Object.keys(files).map(
    (path) => `  <m:FileEntry type="${path.slice(0, path.indexOf("."))}" path="${path}"/>\n`,
  );
  const text = `${declaration}<m:Manifest xmlns:m="${namespace}/manifest">\n${entries.join("")}</m:Manifest>\n`;
  return { text, files, problems: tasks.problems };
}

function printEdges({ taskCount, successors: { offsets, targets } }: Workflow): string {
  const lines: string[] = [];
  for (let task = 0; task < taskCount; task++) {
    for (let e = offsets[task]!; e < offsets[task + 1]!; e++) {
      lines.push(`  <ge:Edge weight="1.0" sourceJobID="${task + 1}" targetJobID="${targets[e]! + 1}"/>\n`);
    }
  }
  return `${declaration}<ge:DAGDefinition xmlns:ge="${namespace}/grand-edges">\n${lines.join("")}</ge:DAGDefinition>\n`;
}

function printClusters(clusters: NonNullable<Application["clusters"]>, workflow: Workflow): string {
  const numbers = new Map(Array.from({ length: workflow.taskCount }, (_, task) => [workflow.name(task), task + 1]));
  const definitions = clusters.map(({ name, tasks }) => {
    const jobs = tasks.flatMap((task) => numbers.get(task) ?? []).map((id) => `    <gc:JobID>${id}</gc:JobID>\n`);
    return `  <gc:ClusterDefinition clusterID="${encodeText(name)}">\n${jobs.join("")}  </gc:ClusterDefinition>\n`;
  });
  return `${declaration}<gc:ClusterSet xmlns:gc="${namespace}/grand-clusters">\n${definitions.join("")}</gc:ClusterSet>\n`;
}
