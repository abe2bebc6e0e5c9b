/** One task in full, made from its group's template when it is asked for. */
import { fillAdaptive } from "./adaptive";
import type { Application, TaskTemplate, Template } from "./application";
import { type Bindings, expandList, expandText } from "./expand";
import { inputDestination, outputDestination } from "./file-names";
import { expandReference, type FileRole, fileReferences, streamFile } from "./file-references";
import { withTaskNumber } from "./run-time-variables";
import { quoteWord, splitWords } from "./shell-words";
import type { Command, TaskSpec } from "./workflow";

const streams = ["stdin", "stdout", "stderr"] as const;
type Stream = (typeof streams)[number];

export function taskName(template: TaskTemplate, bindings: Bindings, index: number): string {
  // Figure F.10: without a name, the number in the order of creation.
  return template.name ? withTaskNumber(expandText(template.name, bindings), index) : String(index + 1);
}

export function taskSpec(
  template: TaskTemplate,
  bindings: Bindings,
  index: number,
  inherited: Pick<Application, "requirement" | "rank"> = {},
): TaskSpec {
  const filled = (text: Template): string => withTaskNumber(expandText(text, bindings), index);
  const spec: TaskSpec = {
    index,
    name: taskName(template, bindings, index),
    command: command(template, bindings, index),
    inputs: fileNames(template, "input", bindings, index),
    outputs: fileNames(template, "output", bindings, index),
    weight: template.weight,
    done: template.done,
  };
  for (const stream of streams) {
    const file = streamName(template, stream, bindings, index);
    if (file !== undefined) spec[stream] = file;
  }
  if (template.environment) {
    spec.environment = template.environment.map(({ name, value }) => ({ name, value: filled(value) }));
  }
  const requirement = bothHold(inherited.requirement?.text, template.requirement?.text);
  if (requirement !== undefined) spec.requirement = requirement;
  const rank = template.rank?.text ?? inherited.rank?.text;
  if (rank !== undefined) spec.rank = rank;
  if (template.before) spec.before = filled(template.before);
  if (template.afterwards) spec.afterwards = filled(template.afterwards);
  const spawns = template.spawns && outputDestination(filled(template.spawns));
  if (spawns?.is === "inside") spec.spawns = spawns.name;
  if (template.adaptive) {
    const { wrapper, ...adaptive } = fillAdaptive(template.adaptive, filled, (text) =>
      taskFiles(text, bindings, index),
    );
    if (wrapper !== undefined) spec.command = wrapped(splitWords(wrapper), spec);
    spec.adaptive = adaptive;
  }
  const { retries, priority, category, resources, recorded } = template;
  if (retries) spec.retries = retries;
  if (priority !== undefined) spec.priority = priority;
  if (category !== undefined) spec.category = category;
  if (resources) spec.resources = resources;
  if (recorded) spec.recorded = recorded;
  if (template.software) spec.software = template.software;
  return spec;
}

/** GW-4: the user's own wrapper gets the program and its arguments as arguments. */
function wrapped(words: readonly string[], { command, inputs }: Pick<TaskSpec, "command" | "inputs">): Command {
  const [executable, ...rest] = words;
  if (executable === undefined) return command;
  // Whoever starts it looks for a bare name elsewhere.
  const named = (name: string) => (inputs.includes(name) ? `./${name}` : name);
  const program =
    command.is === "shell" ? ["/bin/sh", "-c", command.line] : [named(command.executable), ...command.arguments];
  return { is: "exec", executable, arguments: [...rest, ...program] };
}

/** Files of the task's own, whether or not they are staged out. */
function taskFiles(text: Template, bindings: Bindings, index: number): string[] {
  return expandList(text, bindings).flatMap((written) => {
    const destination = outputDestination(withTaskNumber(written, index));
    return destination.is === "inside" ? [destination.name] : [];
  });
}

/** Both requirements, such as the application's and the task's. */
export function bothHold(first: string | undefined, second: string | undefined): string | undefined {
  if (first === undefined || second === undefined) return second ?? first;
  return `(${first}) && (${second})`;
}

function streamName(template: TaskTemplate, stream: Stream, bindings: Bindings, index: number): string | undefined {
  const file = template[stream] && streamFile(template[stream], bindings);
  if (file === undefined) return undefined;
  const written = withTaskNumber(file, index);
  const destination = stream === "stdin" ? inputDestination(written) : outputDestination(written);
  return destination.is === "inside" ? destination.name : undefined;
}

function command(template: TaskTemplate, bindings: Bindings, index: number): Command {
  const executable = withTaskNumber(expandText(template.executable, bindings), index);
  const args = splitWords(withTaskNumber(expandText(template.arguments, bindings), index));
  if (!template.shell) return { is: "exec", executable, arguments: args };
  // Arguments are never expanded, so a shell gets them quoted.
  return { is: "shell", line: [executable, ...args.map(quoteWord)].join(" ") };
}

function fileNames(template: TaskTemplate, role: FileRole, bindings: Bindings, index: number): string[] {
  const destinationOf = role === "input" ? inputDestination : outputDestination;
  const names = new Set<string>();
  for (const reference of fileReferences(template, role)) {
    for (const written of expandReference(reference, bindings)) {
      const destination = destinationOf(withTaskNumber(written, index));
      if (destination.is === "inside") names.add(destination.name);
    }
  }
  return [...names];
}
