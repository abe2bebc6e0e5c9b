/**
 * A workflow ready to be drawn: its tasks placed in pixels, its edges listed. Built once per workflow; what a
 * task is called and which files an edge carries is asked of the workflow when it is needed.
 */
import { layoutWorkflow } from "@/core/workflow/layout";
import type { TaskSpec, Workflow } from "@/core/workflow/workflow";
import { type Placement, place } from "./place";

export interface GraphModel {
  workflow: Workflow;
  placement: Placement;
}

/** Above this many tasks the graph is one canvas drawing instead of a DOM node for each task. */
export const domNodeLimit = 1500;

export function graphModel(workflow: Workflow): GraphModel {
  return { workflow, placement: place(layoutWorkflow(workflow)) };
}

/** The files that make the edge: written by `from`, read by `to`. */
export function filesOfEdge(workflow: Workflow, from: number, to: number): string[] {
  const written = new Set(workflow.task(from).outputs);
  return workflow.task(to).inputs.filter((file) => written.has(file));
}

/** The command as one line, for people. */
export function commandLine(command: TaskSpec["command"]): string {
  if (command.is === "shell") return command.line;
  return [command.executable, ...command.arguments].map(quoteIfNeeded).join(" ");
}

function quoteIfNeeded(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What to call the program in a small box: the last component of its path, or the start of the command line. */
export function programName(command: TaskSpec["command"]): string {
  if (command.is === "shell") return command.line.trim();
  return command.executable.split("/").at(-1) || command.executable;
}
