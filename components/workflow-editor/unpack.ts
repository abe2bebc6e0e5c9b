/**
 * A zip that was dropped: if there is a workflow in it, what is in it was meant; else it is a file like any other, and so it
 * is if the present workflow has an input of its name.
 */
import { pickWorkflow, readWithCompanions } from "@/core/languages/pick";
import { isZip, unzip } from "@/core/unzip";
import type { Description } from "./description";
import { readDropped } from "./dropped-files";

/** Larger ones are data, not descriptions. */
const largestZip = 256 * 1024 * 1024;

export interface Unpacked {
  files: File[];
  /** Why a zip was left as it is, where it looked like one to open. */
  refused: string[];
}

export async function unpackDropped(dropped: readonly File[], wanted: ReadonlySet<string>): Promise<Unpacked> {
  const files: File[] = [];
  const refused: string[] = [];
  for (const file of dropped) {
    const looksPacked = /\.zip$/i.test(file.name) && file.size <= largestZip && !wanted.has(file.name);
    const bytes = looksPacked ? new Uint8Array(await file.arrayBuffer()) : undefined;
    const read = bytes && isZip(bytes) ? await unzip(bytes) : undefined;
    if (read && !read.ok) refused.push(`${file.name} was not opened. ${read.sentence}`);
    const inside = read?.ok
      ? withoutCommonFolder(read.files).map(({ name, bytes: content }) => new File([content], name))
      : [];
    const holdsWorkflow = inside.length > 0 && pickWorkflow(await readDropped(inside)).is !== "none";
    files.push(...(holdsWorkflow ? inside : [file]));
  }
  return { files, refused };
}

/** The files the workflow's tasks read and nobody in it writes. */
export function inputNames({ name = "", text, companions }: Description): Set<string> {
  const beside = [...companions].map(([file, content]) => ({ name: file, text: content }));
  return new Set(readWithCompanions({ name, text }, beside).inputs.map((input) => input.name));
}

/** Who zips a folder gets its name before every file; the workflow's names begin inside it. */
function withoutCommonFolder<F extends { name: string }>(files: readonly F[]): F[] {
  const [first] = files;
  const end = first?.name.indexOf("/") ?? -1;
  const folder = first?.name.slice(0, end + 1) ?? "";
  const isCommon = end > 0 && files.every(({ name }) => name.startsWith(folder));
  return files.map((file) => (isCommon ? { ...file, name: file.name.slice(folder.length) } : file));
}
