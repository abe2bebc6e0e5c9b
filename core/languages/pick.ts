/**
 * Files that came together: which one is the workflow, and which belong to its description. By content first. Among
 * several that could be it, the one that refers to the others is; if that does not tell, the person is asked.
 */
import { hasErrors } from "@/core/problem";
import { buildWorkflow } from "@/core/workflow/build";
import type { ExternalInput } from "@/core/workflow/workflow";
import { type Format, formatOf, type ParsedWorkflow, parseWorkflow } from ".";
import { companionName } from "./companions";

export interface TextFile {
  name: string;
  text: string;
}

export interface Candidate<F extends TextFile> {
  file: F;
  format: Format;
}

export type Picked<F extends TextFile> =
  | { is: "workflow"; file: F; format: Format }
  | { is: "choice"; candidates: Candidate<F>[] }
  | { is: "none" };

/** What a text makes of the files beside it. */
export interface Described<F extends TextFile> {
  /** By the name each is kept under. */
  companions: Map<string, F>;
  inputs: readonly ExternalInput[];
  parsed: ParsedWorkflow;
}

export function pickWorkflow<F extends TextFile>(files: readonly F[]): Picked<F> {
  const readings = files.flatMap((file) => {
    const format = recognise(file);
    return format ? [read(file, format, files)] : [];
  });
  const named = new Set(readings.flatMap(({ refersTo }) => [...refersTo]));
  const independent = readings.filter(({ file }) => !named.has(file));
  const [only, ...others] = narrow(independent.length > 0 ? independent : readings);
  if (!only) return { is: "none" };
  if (others.length === 0) return { is: "workflow", file: only.file, format: only.format };
  return { is: "choice", candidates: [only, ...others].map(({ file, format }) => ({ file, format })) };
}

/**
 * The companions of `main` among the files beside it. A file without its folder is taken for the one in a folder that
 * the text names, if only one fits.
 */
export function readWithCompanions<F extends TextFile>(main: TextFile, beside: readonly F[]): Described<F> {
  const byName = new Map(beside.map((file) => [file.name, file]));
  const askedBy = new Map<string, Set<string>>();
  const companions = new Map<string, F>();
  const parsed = parseWorkflow(main.text, main.name, (asked) => {
    const name = companionName(asked);
    const last = name.split("/").at(-1) ?? name;
    askedBy.set(last, (askedBy.get(last) ?? new Set()).add(name));
    const file = byName.get(name) ?? byName.get(last);
    if (file) companions.set(name, file);
    return file?.text;
  });
  for (const [name, file] of companions) {
    if (file.name !== name && (askedBy.get(file.name)?.size ?? 0) > 1) companions.delete(name);
  }
  return { companions, inputs: buildWorkflow(parsed.application).workflow.externalInputs, parsed };
}

interface Reading<F extends TextFile> extends Candidate<F> {
  refersTo: Set<F>;
  sound: boolean;
}

function read<F extends TextFile>(file: F, format: Format, files: readonly F[]): Reading<F> {
  const others = files.filter((other) => other !== file);
  const { companions, inputs, parsed } = readWithCompanions(file, others);
  const inputNames = new Set(inputs.flatMap(({ name }) => [name, name.split("/").at(-1)]));
  const refersTo = new Set([...companions.values(), ...others.filter(({ name }) => inputNames.has(name))]);
  return { file, format, refersTo, sound: parsed.application.groups.length > 0 && !hasErrors(parsed.problems) };
}

/** Those that refer to others before those that do not, sound ones before the rest: as far as it leaves any. */
function narrow<F extends TextFile>(readings: Reading<F>[]): Reading<F>[] {
  let left = readings;
  for (const better of [({ refersTo }: Reading<F>) => refersTo.size > 0, ({ sound }: Reading<F>) => sound]) {
    const best = left.filter(better);
    if (best.length > 0) left = best;
  }
  return left;
}

const workflowName = /\.(?:adl|gridadl|grid-adl|gadl|dag|dag\.rescue\d+|jt|gwjt|jsdl|gel|vdl|gxml|agwl|xpwsl)$/i;

/**
 * Stricter than detection, which takes every text for something: here a table of numbers, a JSON file of parameters or
 * a submit file without its DAG is no workflow. A workflow with errors is one all the same.
 */
function recognise({ name, text }: TextFile): Format | undefined {
  if (text.trim() === "" || isBinary(text)) return undefined;
  const format = formatOf(text, name);
  if (workflowName.test(name)) return format;
  switch (format.name) {
    case "gridadl":
      return /^[ \t]*(?:task|foreach|for)\b/im.test(text) && describesTasks(text) ? format : undefined;
    case "wfformat":
      return /"(?:workflow|schemaVersion)"\s*:/.test(text) ? format : undefined;
    // Many an input file is XML.
    case "jsdl":
      return /<(?:[\w-]+:)?JobDefinition\b/.test(text.slice(0, 20_000)) ? format : undefined;
    case "gridway":
      return /^[ \t]*queue\b/im.test(text) ? undefined : format;
    default:
      return format;
  }
}

function describesTasks(text: string): boolean {
  return parseWorkflow(text).application.groups.length > 0;
}

/** NUL, or more than a stray character that is not UTF-8. */
function isBinary(text: string): boolean {
  if (text.includes("\0")) return true;
  const start = text.slice(0, 10_000);
  return start.length - start.replaceAll("\uFFFD", "").length > start.length / 50;
}
