/**
 * What a task's result depends on, as far as the portal can know it: the command and its surroundings, the content of
 * every input file (a program that came with the workflow is one), and which outputs are wanted. A program that is
 * installed on hosts counts by its name: whoever exchanges it has to switch reuse off, and the page says so.
 */
import { createHash } from "node:crypto";
import type { TaskSpec } from "@/core/workflow/workflow";

export interface ReuseParts {
  command: string;
  environment: string;
  outputs: string;
  /** Content by name. */
  inputs: Record<string, string>;
}

export function reuseParts(task: TaskSpec, contentOf: (name: string) => string | undefined): ReuseParts | undefined {
  const inputs: [string, string][] = [];
  for (const name of [...task.inputs].sort()) {
    const sha256 = contentOf(name);
    if (sha256 === undefined) return undefined;
    inputs.push([name, sha256]);
  }
  const { command, before, afterwards, stdin, stdout, stderr, environment = [] } = task;
  return {
    command: digest([command, before, afterwards, stdin, stdout, stderr]),
    environment: digest(environment),
    outputs: digest([...task.outputs].sort()),
    inputs: Object.fromEntries(inputs),
  };
}

export function reuseKey({ command, environment, outputs, inputs }: ReuseParts): string {
  return digest([command, environment, outputs, Object.entries(inputs)]);
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

/** In words, for "why did this one run again"; nothing if nothing differs. */
export function whatChanged(before: ReuseParts, now: ReuseParts): string | undefined {
  if (before.command !== now.command) return "its command is another";
  if (before.environment !== now.environment) return "its environment variables are others";
  if (before.outputs !== now.outputs) return "it is to write other files";
  const names = [...new Set([...Object.keys(before.inputs), ...Object.keys(now.inputs)])];
  const changed = names.filter((name) => before.inputs[name] !== now.inputs[name]);
  if (changed.length === 0) return undefined;
  const [first = ""] = changed;
  if (changed.length > 1) return `${changed.length} of its input files changed, ${first} among them`;
  if (before.inputs[first] === undefined) return `it reads ${first}, which it did not before`;
  return now.inputs[first] === undefined ? `it no longer reads ${first}` : `its input file ${first} changed`;
}
