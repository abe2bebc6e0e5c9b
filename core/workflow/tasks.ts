/** One task in full, made from its group's template when it is asked for. */
import type { TaskTemplate } from "./application";
import { type Bindings, expandList, expandText } from "./expand";
import { type Destination, inputDestination, outputDestination } from "./file-names";
import { quoteWord, splitWords } from "./shell-words";
import type { Command, TaskSpec } from "./workflow";

export function taskName(template: TaskTemplate, bindings: Bindings, index: number): string {
  // Figure F.10: without a name, the number in the order of creation.
  return template.name ? expandText(template.name, bindings) : String(index + 1);
}

export function taskSpec(template: TaskTemplate, bindings: Bindings, index: number): TaskSpec {
  return {
    index,
    name: taskName(template, bindings, index),
    command: command(template, bindings),
    inputs: fileNames(template.inputs.flatMap((files) => expandList(files, bindings)).map(inputDestination)),
    outputs: fileNames(template.outputs.flatMap((files) => expandList(files, bindings)).map(outputDestination)),
    weight: template.weight,
    done: template.done,
  };
}

function command(template: TaskTemplate, bindings: Bindings): Command {
  const executable = expandText(template.executable, bindings);
  const args = splitWords(expandText(template.arguments, bindings));
  if (!template.shell) return { is: "exec", executable, arguments: args };
  // Arguments are never expanded, so a shell gets them quoted.
  return { is: "shell", line: [executable, ...args.map(quoteWord)].join(" ") };
}

function fileNames(destinations: readonly Destination[]): string[] {
  return [...new Set(destinations.flatMap((to) => (to.is === "inside" ? [to.name] : [])))];
}
