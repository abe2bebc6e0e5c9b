/**
 * Which files a task names: its lists of inputs and outputs, the files its three streams go to or come from, and the one in
 * which it hands in further tasks.
 */
import type { TaskTemplate, Template } from "./application";
import { type Bindings, expandList, expandText, noBindings } from "./expand";

export type FileRole = "input" | "output";

export interface FileReference {
  template: Template;
  /** A stream is one file, whatever its name; a list is split. */
  stream: boolean;
}

export function fileReferences(task: TaskTemplate, role: FileRole): FileReference[] {
  const lists = role === "input" ? task.inputs : task.outputs;
  const streams = singleFiles(task, role);
  const references: FileReference[] = lists.map((template) => ({ template, stream: false }));
  for (const template of streams) if (template) references.push({ template, stream: true });
  return references;
}

function singleFiles({ stdin, stdout, stderr, spawns }: TaskTemplate, role: FileRole): (Template | undefined)[] {
  return role === "input" ? [stdin] : [stdout, stderr, spawns];
}

/** The names as written. */
export function expandReference({ template, stream }: FileReference, bindings: Bindings): string[] {
  if (!stream) return expandList(template, bindings);
  const name = streamFile(template, bindings);
  return name === undefined ? [] : [name];
}

/** Every name of a task that is in no loop, as written. */
export function forEachName(task: TaskTemplate, role: FileRole, visit: (written: string) => void): void {
  for (const template of role === "input" ? task.inputs : task.outputs) {
    const piece = template.length === 1 ? template[0]! : undefined;
    // Nearly every name of a million is one piece with nothing to split at.
    if (piece && "text" in piece && piece.text !== "" && !/[;\s]/.test(piece.text)) visit(piece.text);
    else for (const written of expandList(template, noBindings)) visit(written);
  }
  for (const template of singleFiles(task, role)) {
    const written = template && streamFile(template, noBindings);
    if (written !== undefined) visit(written);
  }
}

/** The file of a stream; a stream from or to nowhere has none. */
export function streamFile(template: Template, bindings: Bindings): string | undefined {
  const name = expandText(template, bindings);
  return name === "" || name === "/dev/null" ? undefined : name;
}
