/** What must be the same when an application is written in another format and read again. */
import { readdirSync } from "node:fs";
import type { Application } from "@/core/workflow/application";
import { buildWorkflow } from "@/core/workflow/build";
import { edgesOf } from "./workflow-edges";

export const examples = new URL("../../examples/", import.meta.url);

/** The paths of all GRID-ADL examples that are right. */
export const gridadlExamples = readdirSync(examples, { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".gadl") && !path.startsWith("bad"),
);

/** Tasks, dependencies and what each task runs, whatever the order of files. */
export function graph(application: Application): { names: string[]; edges: string[]; commands: string[] } {
  const { workflow } = buildWorkflow(application);
  const names = Array.from({ length: workflow.taskCount }, (_, task) => workflow.name(task));
  const edges = edgesOf(application, workflow).flatMap((targets, from) =>
    targets.map((to) => `${names[from]}>${names[to]}`),
  );
  const commands = names.map((_, task) => {
    const { command, inputs, outputs } = workflow.task(task);
    return JSON.stringify([command, inputs.toSorted(), outputs.toSorted()]);
  });
  return { names, edges: edges.sort(), commands };
}
