/**
 * Taking a task's declared outputs from its directory, after every process of the task is gone. The task was hostile until
 * shown otherwise, and the agent may be root: an output must be a regular file of the task's own account that really lies
 * inside the task's directory. A symbolic link to another file inside is followed; one that leads outside is refused.
 *
 * Each output is first copied into the attempt's spool, where it stays until the outcome is acknowledged: the slot is free for
 * the next task, what is staged out is sent from there, and a restarted agent finds what was already taken.
 * The cache keeps it too, for later tasks on this host.
 */
import { constants, existsSync } from "node:fs";
import { chmod, copyFile, lstat, mkdir, open, readlink, realpath, rename } from "node:fs/promises";
import { join } from "node:path";
import type { OutputFile } from "@/core/engine/outcome";
import type { Assignment } from "@/core/protocol/agent";
import type { Cache } from "./cache";
import { codeOf } from "./log";

export type Collected = { is: "collected"; outputs: OutputFile[] } | { is: "refused"; detail: string };

export async function collectOutputs(
  declared: Assignment["outputs"],
  from: { directory: string; ownerUid: number },
  spool: { outputs: string },
  cache: Cache,
  run: string,
): Promise<Collected> {
  const missing: string[] = [];
  const complaints: string[] = [];
  const take: { name: string; path: string; to: string }[] = [];
  await mkdir(spool.outputs, { recursive: true, mode: 0o700 });
  for (const [index, { name }] of declared.entries()) {
    const to = outputPath(spool.outputs, index);
    if (existsSync(to)) continue;
    const located = await locate(from.directory, name, from.ownerUid);
    if (located.is === "missing") missing.push(name);
    else if (located.is === "refused") complaints.push(located.detail);
    else take.push({ name, path: located.path, to });
  }
  if (missing.length > 0) complaints.unshift(sayMissing(missing));
  if (complaints.length > 0) return { is: "refused", detail: complaints.join(" ").slice(0, 4000) };
  for (const { name, path, to } of take) {
    const taken = await takeFile(path, to, from);
    if (!taken) return { is: "refused", detail: `The output "${name}" was exchanged while it was being collected.` };
  }
  const outputs: OutputFile[] = [];
  for (const [index, { name, transient }] of declared.entries()) {
    outputs.push({
      name,
      transient,
      ...(await cache.adopt(outputPath(spool.outputs, index), transient ? run : undefined)),
    });
  }
  return { is: "collected", outputs };
}

/** Where an output waits in the spool: by its place in the declaration, because its name may be anything. */
export function outputPath(outputs: string, index: number): string {
  return join(outputs, String(index));
}

function sayMissing(names: string[]): string {
  const shown = names.slice(0, 20).map((name) => `"${name}"`);
  if (names.length > shown.length) shown.push(`${names.length - shown.length} more`);
  return names.length === 1
    ? `The program ended without writing its output file ${shown[0]}.`
    : `The program ended without writing its output files ${shown.join(", ")}.`;
}

/** A copy of one file of a task that still runs, or false if it is not the task's own file inside its directory. */
export async function takeOwnFile(
  from: { directory: string; ownerUid: number },
  name: string,
  to: string,
): Promise<boolean> {
  try {
    const located = await locate(from.directory, name, from.ownerUid);
    return located.is === "file" && (await takeFile(located.path, to, from));
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "EACCES"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
}

type Located = { is: "file"; path: string } | { is: "missing" } | { is: "refused"; detail: string };

async function locate(directory: string, name: string, ownerUid: number): Promise<Located> {
  const inside = await realpath(directory);
  let path: string;
  try {
    path = await realpath(join(directory, name));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "")) return { is: "missing" };
    return { is: "refused", detail: `The output "${name}" cannot be read (${codeOf(error)}).` };
  }
  if (!path.startsWith(`${inside}/`)) {
    return { is: "refused", detail: `The output "${name}" is a link to a place outside the task's directory.` };
  }
  const file = await lstat(path);
  if (file.isDirectory()) {
    return { is: "refused", detail: `The output "${name}" is a directory; only regular files can be outputs.` };
  }
  if (!file.isFile()) return { is: "refused", detail: `The output "${name}" is not a regular file.` };
  if (file.uid !== ownerUid) return { is: "refused", detail: `The output "${name}" is not the task's own file.` };
  return { is: "file", path };
}

/**
 * Copies the file to a new one of ours. The task's own inode never comes to us, neither moved nor linked: whoever still holds
 * it open for writing (a descriptor can be handed to a task in another slot) could change it after it was hashed. The
 * file is looked at again once it is open, because such a helper may also have put something else under its name.
 */
async function takeFile(path: string, to: string, from: { directory: string; ownerUid: number }): Promise<boolean> {
  const temporary = `${to}.new`;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const opened = `/proc/self/fd/${file.fd}`;
    const found = await file.stat();
    const inside = (await readlink(opened)).startsWith(`${await realpath(from.directory)}/`);
    if (!found.isFile() || found.uid !== from.ownerUid || !inside) return false;
    await copyFile(opened, temporary, constants.COPYFILE_FICLONE);
  } finally {
    await file.close();
  }
  await chmod(temporary, 0o600);
  await rename(temporary, to);
  return true;
}
