/**
 * A slot's directory, where its tasks work one after the other. It is new for every task, and made while no process of
 * the slot exists: so the agent, even as root, can work in it by path without being led elsewhere by a link that
 * changes under its hands.
 */
import {
  chmodSync,
  chownSync,
  constants,
  type Dirent,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
} from "node:fs";
import { chmod, chown, copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { removeAwkwardTree, removeSmallTree } from "./remove-tree";
import { runProgram } from "./run-program";

export interface Owner {
  uid: number;
  gid: number;
}

export class WorkDirectory {
  readonly path: string;
  readonly #owner: Owner | undefined;
  /** Known to be as it was made, with nobody there who could change it. */
  #isClean = false;
  /** The directories as they were made. */
  #made: { path: string; changed: bigint | undefined; entries: number }[] | undefined;

  constructor(path: string, owner: Owner | undefined) {
    this.path = path;
    this.#owner = owner;
  }

  /** From here on it is a task's. */
  async make(furniture: readonly string[]): Promise<void> {
    const isReady = this.isUntouched();
    this.#isClean = false;
    if (isReady) return;
    await this.wipe();
    this.#makeDirectory(this.path, 0o700);
    for (const name of furniture) this.#makeDirectory(join(this.path, name), 0o700);
    this.#made = [this.path, ...furniture.map((name) => join(this.path, name))].map((path) => ({
      path,
      changed: changeOf(path),
      entries: readDirectory(path).length,
    }));
  }

  /** After a task: what it left is removed. A directory in which nothing was ever put or changed serves again as it is. */
  async empty(): Promise<void> {
    if (!this.isUntouched()) await this.wipe();
  }

  /** Throws if something stays: the slot must then not be used. */
  async wipe(): Promise<void> {
    this.#made = undefined;
    this.#isClean = false;
    try {
      if (isSmallAndClosed(this.path)) {
        removeSmallTree(this.path);
        return;
      }
    } catch {
      // Something in it is not as it looked.
    }
    await removeAwkwardTree(this.path);
  }

  /** Whether nothing was put there or changed since it was made. To be asked when no process of the slot is left. */
  isUntouched(): boolean {
    this.#isClean ||=
      this.#made?.every(
        ({ path, changed, entries }) => changeOf(path) === changed && readDirectory(path).length === entries,
      ) ?? false;
    return this.#isClean;
  }

  makeParents(name: string): void {
    const parent = dirname(name);
    if (parent === "." || existsSync(join(this.path, parent))) return;
    this.makeParents(parent);
    this.#makeDirectory(join(this.path, parent), 0o755);
  }

  /** Shares the blocks with the source where the file system can. */
  async place(source: string, name: string, executable: boolean): Promise<void> {
    this.makeParents(name);
    const path = join(this.path, name);
    await copyFile(source, path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await chmod(path, executable ? 0o755 : 0o644);
    if (this.#owner) await chown(path, this.#owner.uid, this.#owner.gid);
  }

  /** A file that is also kept elsewhere: both names stand for one content. Its owner is whoever owns it there. */
  link(source: string, name: string): void {
    this.makeParents(name);
    const path = join(this.path, name);
    rmSync(path, { force: true });
    linkSync(source, path);
  }

  #makeDirectory(path: string, mode: number): void {
    mkdirSync(path, { mode });
    chmodSync(path, mode);
    if (this.#owner) chownSync(path, this.#owner.uid, this.#owner.gid);
  }
}

/** Changes with everything that is put in, taken out, or changed about the directory itself; nobody can set it back. */
function changeOf(path: string): bigint | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ctimeNs;
}

/** Up to so many entries are looked through, or removed, at once; beyond, others get a turn in between. */
const fewEntries = 64;
const mostEntries = 200_000;

/** Undefined if there are more than {@link fewEntries}, or some that cannot be looked at. */
function sizeOfSmallTree(directory: string): number | undefined {
  const look = [directory];
  let entries = 0;
  let bytes = 0;
  for (let path = look.pop(); path !== undefined; path = look.pop()) {
    const listing = readDirectory(path);
    entries += listing.length;
    if (entries > fewEntries) return undefined;
    for (const entry of listing) {
      const child = join(path, entry.name);
      if (isTooLong(child)) return undefined;
      if (entry.isDirectory()) look.push(child);
      else bytes += sizeOfFile(child);
    }
  }
  return bytes;
}

/**
 * True if the tree may be removed by path: it is small, and only its owner, of whom nothing runs any more, can change its
 * directories. Where others can, a task in another slot could put a link in the place of a directory under our hands.
 */
function isSmallAndClosed(directory: string): boolean {
  const look = [directory];
  let entries = 0;
  for (let path = look.pop(); path !== undefined; path = look.pop()) {
    if (((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o022) !== 0) return false;
    for (const entry of readDirectory(path)) {
      if (++entries > fewEntries) return false;
      if (entry.isDirectory()) look.push(join(path, entry.name));
    }
  }
  return true;
}

function readDirectory(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    // It went while we looked, or it is closed even to us.
    return [];
  }
}

function sizeOfFile(path: string): number {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    // Its directory was closed while we looked.
    return 0;
  }
}

/** The system takes no path of 4096 bytes or more, although directories may be nested deeper, one step at a time. */
function isTooLong(path: string): boolean {
  return path.length * 3 >= 4096 && Buffer.byteLength(path) >= 4096;
}

/** Bytes of all files below, or of the file itself; links are not followed. While the task works this is an estimate. */
export async function sizeOfTree(directory: string): Promise<number> {
  if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() === false) return sizeOfFile(directory);
  const small = sizeOfSmallTree(directory);
  if (small !== undefined) return small;
  let bytes = 0;
  let entries = 0;
  const look = [directory];
  for (let path = look.pop(); path !== undefined && entries < mostEntries; path = look.pop()) {
    for (const entry of readDirectory(path)) {
      if (++entries % fewEntries === 0) await setImmediate();
      const child = join(path, entry.name);
      if (isTooLong(child)) return await sizeOfDeepTree(directory);
      if (entry.isDirectory()) look.push(child);
      else bytes += sizeOfFile(child);
    }
  }
  return bytes;
}

/** `du` goes down step by step, without naming the whole path. */
async function sizeOfDeepTree(directory: string): Promise<number> {
  const { said } = await runProgram(["du", "-sk", "--", directory]);
  return (Number.parseInt(said, 10) || 0) * 1024;
}
