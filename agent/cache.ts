/**
 * Files by content on this host: inputs fetched once for all tasks, outputs already here when a later task wants them, and
 * transient files, which exist nowhere else (`kept`).
 *
 * Bounded in size: the least recently used files go first, transient ones only when no other is left to go, and none
 * while a task is being staged from it. A transient file that went nevertheless costs time, not the run: the task that wants
 * it reports `inputs-missing` and whoever made it runs again. A transient file nobody used for a week belongs to a run
 * that is long over.
 *
 * A file is synced before it gets its name, so a name always stands for the whole content.
 */
import { createHash } from "node:crypto";
import { constants, createReadStream, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { copyFile, link, open, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";

const keptForMs = 7 * 24 * 3600 * 1000;

interface Entry {
  size: number;
  kept: boolean;
  usedAt: number;
  /** Tasks being staged from it right now. */
  users: number;
}

/** Puts the content at a path; called at most once at a time for a hash. */
export type Fetch = (to: string) => Promise<void>;

export class Cache {
  readonly #directory: string;
  readonly #limit: number;
  readonly #entries = new Map<string, Entry>();
  readonly #arriving = new Map<string, Promise<void>>();
  #size = 0;
  #names = 0;

  constructor(directory: string, limit: number) {
    this.#directory = directory;
    this.#limit = limit;
    rmSync(this.#incoming, { recursive: true, force: true });
    for (const needed of [this.#folder(false), this.#folder(true), this.#incoming]) {
      mkdirSync(needed, { recursive: true, mode: 0o700 });
    }
    for (const kept of [false, true]) this.#recall(kept);
  }

  #recall(kept: boolean): void {
    for (const sha256 of readdirSync(this.#folder(kept))) {
      const path = join(this.#folder(kept), sha256);
      const { size, mtimeMs } = statSync(path);
      if ((kept && mtimeMs < Date.now() - keptForMs) || this.#entries.has(sha256)) rmSync(path);
      else this.#add(sha256, { size, kept, usedAt: mtimeMs, users: 0 });
    }
  }

  has(sha256: string): boolean {
    return this.#entries.has(sha256);
  }

  /** Calls `use` with a path that stays valid meanwhile. Without `fetch`, undefined if the file is not here. */
  async use<T>(
    sha256: string,
    use: (path: string) => Promise<T>,
    fetch?: Fetch,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    if (fetch && !this.#entries.has(sha256)) await unlessAborted(this.#bring(sha256, fetch), signal);
    const entry = this.#entries.get(sha256);
    if (!entry) return undefined;
    entry.users++;
    entry.usedAt = Date.now();
    try {
      const path = this.#path(sha256, entry);
      const result = await use(path);
      await utimes(path, new Date(), new Date());
      return result;
    } finally {
      entry.users--;
    }
  }

  /** Also keeps a finished file that lies on our file system and never changes; where it lies is left to its owner. */
  async adopt(path: string, kept: boolean): Promise<{ sha256: string; size: number }> {
    const found = await hashAndSync(path);
    const incoming = this.#newName();
    await link(path, incoming).catch(() => copyFile(path, incoming, constants.COPYFILE_FICLONE));
    await this.#settle(incoming, found.sha256, found.size, kept);
    return found;
  }

  async #bring(sha256: string, fetch: Fetch): Promise<void> {
    let arriving = this.#arriving.get(sha256);
    if (!arriving) {
      arriving = this.#fetch(sha256, fetch).finally(() => this.#arriving.delete(sha256));
      this.#arriving.set(sha256, arriving);
    }
    await arriving;
  }

  async #fetch(sha256: string, fetch: Fetch): Promise<void> {
    const path = this.#newName();
    try {
      await fetch(path);
      await this.#settle(path, sha256, statSync(path).size, false);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  async #settle(path: string, sha256: string, size: number, kept: boolean): Promise<void> {
    const present = this.#entries.get(sha256);
    if (present && (present.kept || !kept)) {
      await rm(path);
      return;
    }
    if (present) {
      // The same content, now also transient: it must not go with the ordinary ones.
      await rm(path);
      await rename(this.#path(sha256, present), join(this.#folder(true), sha256));
      present.kept = true;
      return;
    }
    await this.#makeRoom(size);
    await rename(path, join(this.#folder(kept), sha256));
    // Another task may have brought the same content meanwhile; the name holds one of the two, which are equal.
    if (!this.#entries.has(sha256)) this.#add(sha256, { size, kept, usedAt: Date.now(), users: 0 });
  }

  #add(sha256: string, entry: Entry): void {
    this.#entries.set(sha256, entry);
    this.#size += entry.size;
  }

  async #makeRoom(size: number): Promise<void> {
    if (this.#size + size <= this.#limit) return;
    const idle = [...this.#entries].filter(([, entry]) => entry.users === 0);
    idle.sort(([, a], [, b]) => Number(a.kept) - Number(b.kept) || a.usedAt - b.usedAt);
    for (const [sha256, entry] of idle) {
      if (this.#size + size <= this.#limit) return;
      this.#entries.delete(sha256);
      this.#size -= entry.size;
      await rm(this.#path(sha256, entry), { force: true });
    }
  }

  #path(sha256: string, entry: Entry): string {
    return join(this.#folder(entry.kept), sha256);
  }

  #folder(kept: boolean): string {
    return join(this.#directory, kept ? "kept" : "files");
  }

  #newName(): string {
    return join(this.#incoming, String(++this.#names));
  }

  get #incoming(): string {
    return join(this.#directory, "incoming");
  }
}

/** The one who stops waiting leaves; the work goes on for the others. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(new Error("nobody waits for it any more"));
  });
  signal.addEventListener("abort", leave);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

async function hashAndSync(path: string): Promise<{ sha256: string; size: number }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of createReadStream(path)) {
    hash.update(piece);
    size += piece.length;
  }
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest("hex"), size };
}
