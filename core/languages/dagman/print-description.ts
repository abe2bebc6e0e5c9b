/** A task as a submit description between braces. */

import { writeArguments } from "@/core/languages/condor-submit/values";
import type { TaskTemplate, Template } from "@/core/workflow/application";
import { type Bindings, expandList, expandText } from "@/core/workflow/expand";
import { quoteWord, splitWords } from "@/core/workflow/shell-words";

type Warn = (code: string, message: string, task?: TaskTemplate) => void;

/** `shell`: the task is a command line; with macros in it that could not be quoted, so it is written task by task. */
export function describe(task: TaskTemplate, bindings: Bindings, warn: Warn): { shell: boolean; lines: string[] } {
  const lines: string[] = [];
  const set = (key: string, value: string): void => {
    if (/[\r\n]/.test(value)) warn("newline", `A line end in \`${key}\` of a task is written as a blank.`, task);
    lines.push(`  ${key} = ${value.replace(/[\r\n]+/g, " ")}`);
  };
  const list = (templates: readonly Template[]): string[] => templates.flatMap((files) => expandList(files, bindings));
  const executable = expandText(task.executable, bindings);
  const words = splitWords(expandText(task.arguments, bindings));
  const inputs = new Set(list(task.inputs));
  // The tasks it hands in are lost to a DAG, the file they stand in is not.
  const outputs = new Set(list(task.spawns ? [...task.outputs, task.spawns] : task.outputs));
  const program = executable.replace(/^(?:\.\/+)+/, "");
  if (task.shell) {
    set("executable", "/bin/sh");
    const line = [executable, ...words.map(quoteWord)].join(" ");
    set("arguments", plain(writeArguments(["-c", line]), bindings));
  } else {
    const staged = inputs.delete(program) || inputs.delete(executable);
    set("executable", plain(staged ? program : executable, bindings));
    if (!staged && !executable.startsWith("/")) set("transfer_executable", "false");
    if (words.length > 0) set("arguments", plain(writeArguments(words), bindings));
  }
  for (const [stream, key, files] of [
    ["stdin", "input", inputs],
    ["stdout", "output", outputs],
    ["stderr", "error", outputs],
  ] as const) {
    const template = task[stream];
    const [name] = template ? expandList(template, bindings) : [];
    if (name === undefined) continue;
    files.delete(name);
    set(key, plain(name, bindings));
    if (/\s/.test(name)) warn("blank-in-name", `"${name}" has a blank in its name, which HTCondor may not read.`, task);
  }
  for (const [key, files] of [
    ["transfer_input_files", inputs],
    ["transfer_output_files", outputs],
  ] as const) {
    if (files.size === 0) continue;
    for (const name of files) {
      if (name.includes(","))
        warn("comma-in-name", `"${name}" has a comma in its name, which HTCondor reads as two files.`, task);
    }
    set(key, plain([...files].join(", "), bindings));
  }
  const environment = task.environment ?? [];
  if (environment.length > 0) {
    const entries = environment.map(({ name, value }) => `${name}=${expandText(value, bindings)}`);
    set("environment", plain(writeArguments(entries), bindings));
  }
  if (task.requirement) set("requirements", plain(task.requirement.text, bindings));
  if (task.rank) set("rank", plain(task.rank.text, bindings));
  const { cores, memoryBytes, diskBytes, gpus, wallSeconds, named = {} } = task.resources ?? {};
  if (cores !== undefined) set("request_cpus", String(Math.ceil(cores)));
  if (memoryBytes !== undefined) set("request_memory", `${memoryBytes}B`);
  if (diskBytes !== undefined) set("request_disk", `${diskBytes}B`);
  if (gpus !== undefined) set("request_gpus", String(gpus));
  for (const [name, count] of Object.entries(named)) set(`request_${name}`, String(count));
  if (wallSeconds !== undefined) set("allowed_job_duration", String(Math.ceil(wallSeconds)));
  return { shell: task.shell, lines };
}

export function scriptText(template: Template, bindings: Bindings): string {
  return expandText(template, bindings).replace(/[\r\n]+/g, " ");
}

/** A `$(…)` or `$name(…)` of the task's own is no macro; those of the loops are. */
function plain(text: string, bindings: Bindings): string {
  if (!text.includes("$")) return text;
  const macros = [...bindings.values()].filter((value) => value.startsWith("$("));
  return text.replace(/\$(?=[$A-Za-z_]*\()/g, (dollar, at: number) =>
    macros.some((macro) => text.startsWith(macro, at)) ? dollar : "$(DOLLAR)",
  );
}
