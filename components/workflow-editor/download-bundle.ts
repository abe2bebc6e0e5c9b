/** What a download of a workflow holds: one text, or several in a zip. Pure; `download-menu.tsx` hands it out. */
import { formats } from "@/core/languages";
import { companionName } from "@/core/languages/companions";
import type { Target } from "@/core/languages/convert";
import type { Problem } from "@/core/problem";
import type { Application } from "@/core/workflow/application";
import { zipOf } from "@/core/zip";
import type { Description } from "./description";

export interface Bundle {
  /** Without an ending. */
  name: string;
  /** The first is the workflow. */
  files: [TextOf, ...TextOf[]];
}

interface TextOf {
  name: string;
  text: string;
}

export function converted(
  target: Target,
  application: Application,
  name: string,
): { bundle: Bundle; problems: Problem[] } {
  const { text, files = {}, problems } = target.print(application);
  const stem = stemOf(name);
  const others = Object.entries(files).map(([file, content]) => ({ name: companionName(file), text: content }));
  return { bundle: { name: stem, files: [{ name: stem + target.ending, text }, ...others] }, problems };
}

export function asItIs({ name: fileName, text, companions }: Description, name: string, format?: string): Bundle {
  const stem = stemOf(name);
  const ending = formats.find((candidate) => candidate.name === format)?.ending ?? ".txt";
  const others = [...companions].map(([file, content]) => ({ name: file, text: content }));
  return { name: stem, files: [{ name: fileName ?? stem + ending, text }, ...others] };
}

export function fileOf({ name, files }: Bundle): { name: string; content: string | Uint8Array<ArrayBuffer> } {
  const [only, ...others] = files;
  if (others.length === 0) return { name: only.name, content: only.text };
  return { name: `${name}.zip`, content: zipOf(files) };
}

/** A workflow's name may hold anything; a file's may not. */
function stemOf(name: string): string {
  const stem = name.replace(/[\p{Cc}\s\\/:*?"<>|]+/gu, " ").trim();
  return stem.slice(0, 100) || "workflow";
}
