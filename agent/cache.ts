/**
 * Files by content: inputs fetched once for all tasks, outputs already here when a later task wants them, and transient files,
 * which exist nowhere else (`kept`). Several agents may share one cache, on one host or on several with one file system: a
 * file is fetched by one of them, and what any of them made is there for all.
 *
 *   files/SHA256        fetched, or also stored at the portal
 *   kept/SHA256         transient
 *   runs/RUN/SHA256     marks: this transient file is of that run
 *   incoming/SHA256     arriving; whoever fetches next goes on where this one broke off
 *   claims/SHA256       who fetches it
 *
 * The directory is the truth; what is remembered of it may be out of date when others work in it too. Bounded in size: the least
 * recently used files go first, transient ones only when no other is left to go, and none while a task of ours is being
 * staged from it. A transient file that went nevertheless costs time, not the run: the task that wants it reports
 * `inputs-missing` and whoever made it runs again. Transient files go when their run is over; those nobody used for a week
 * belong to a run nobody could be asked about.
 *
 * A file is synced before it gets its name, so a name always stands for the whole content.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { copyFile, link, open, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { Claims } from "./claims";
import { codeOf } from "./log";

const keptForMs = 7 * 24 * 3600 * 1000;
const abandonedMs = 24 * 3600 * 1000;
/** How often a file may vanish under our hands before we give up. */
const tries = 3;
/** Others add to it too: how full it is, is looked at again so often. */
const countAgainMs = 60_000;

interface Entry {
  size: number;
  kept: boolean;
  usedAt: number;
  /** Tasks being staged from it right now. */
  users: number;
}

/** Puts the content at a path, or the rest of it behind what is there; called at most once at a time for a hash. */
export type Fetch = (to: string) => Promise<void>;

export class Cache {
  readonly #directory: string;
  readonly #limit: number;
  readonly #claims: Claims;
  readonly #entries = new Map<string, Entry>();
  readonly #arriving = new Map<string, Promise<void>>();
  #size = 0;
  #countedAt = 0;

  /** A limit of 0: every task fetches its inputs for itself. */
  constructor(directory: string, limit: number) {
    this.#directory = directory;
    this.#limit = limit;
    this.#claims = new Claims(join(directory, "claims"));
    for (const needed of [this.#folder(false), this.#folder(true), this.#incoming, this.#runs]) {
      mkdirSync(needed, { recursive: true, mode: 0o700 });
    }
    for (const name of readdirSync(this.#incoming)) {
      const path = join(this.#incoming, name);
      if (isOlder(statOf(path), abandonedMs)) rmSync(path, { force: true });
    }
    this.#count();
  }

  /** What lies there, by whoever it was put there. */
  #count(): void {
    const before = new Map(this.#entries);
    this.#entries.clear();
    this.#size = 0;
    this.#countedAt = Date.now();
    for (const kept of [true, false]) {
      for (const sha256 of readdirSync(this.#folder(kept))) {
        const found = statOf(join(this.#folder(kept), sha256));
        if (!found) continue;
        if ((kept && isOlder(found, keptForMs)) || this.#entries.has(sha256)) {
          rmSync(join(this.#folder(kept), sha256), { force: true });
          continue;
        }
        // The same record as before, because whoever uses it holds on to it.
        const told = { size: found.size, kept, usedAt: found.mtimeMs };
        this.#add(sha256, Object.assign(before.get(sha256) ?? { users: 0 }, told));
      }
    }
  }

  has(sha256: string): boolean {
    return this.#find(sha256) !== undefined;
  }

  #find(sha256: string): Entry | undefined {
    const known = this.#entries.get(sha256);
    if (known) return known;
    for (const kept of [true, false]) {
      const found = statOf(join(this.#folder(kept), sha256));
      if (!found) continue;
      const entry = { size: found.size, kept, usedAt: found.mtimeMs, users: 0 };
      this.#add(sha256, entry);
      return entry;
    }
    return undefined;
  }

  /** Calls `use` with a path that stays valid meanwhile. Without `fetch`, undefined if the file is not here. */
  async use<T>(
    sha256: string,
    use: (path: string) => Promise<T>,
    fetch?: Fetch,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    if (this.#limit === 0 && fetch) return await this.#withoutKeeping(use, fetch);
    for (let left = tries; left > 0; left--) {
      if (fetch && !this.has(sha256)) await unlessAborted(this.#bring(sha256, fetch), signal);
      const entry = this.#find(sha256);
      if (!entry && !fetch) return undefined;
      if (!entry) continue;
      const path = this.#path(sha256, entry);
      entry.users++;
      entry.usedAt = Date.now();
      try {
        const result = await use(path);
        await utimes(path, new Date(), new Date()).catch(() => undefined);
        return result;
      } catch (error) {
        // Another agent made room meanwhile, or keeps it as a transient file now.
        if (codeOf(error) !== "ENOENT" || existsSync(path)) throw error;
        this.#forget(sha256);
      } finally {
        entry.users--;
      }
    }
    return undefined;
  }

  async #withoutKeeping<T>(use: (path: string) => Promise<T>, fetch: Fetch): Promise<T> {
    const path = this.#newName();
    try {
      await fetch(path);
      return await use(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  /**
   * Also keeps a finished file that lies on our file system and never changes; where it lies is left to its owner. `run`: the run
   * whose transient file it is.
   */
  async adopt(path: string, run: string | undefined): Promise<{ sha256: string; size: number }> {
    const found = await hashAndSync(path);
    if (this.#limit === 0 && run === undefined) return found;
    const incoming = this.#newName();
    await link(path, incoming).catch(() => copyFile(path, incoming, constants.COPYFILE_FICLONE));
    if (run !== undefined) this.#mark(run, found.sha256);
    await this.#settle(incoming, found.sha256, found.size, run !== undefined);
    return found;
  }

  #mark(run: string, sha256: string): void {
    mkdirSync(join(this.#runs, run), { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#runs, run, sha256), "", { mode: 0o600 });
  }

  /** Runs that have transient files here. */
  runs(): string[] {
    return readdirSync(this.#runs);
  }

  /** The run is over: nobody will want its transient files. */
  drop(run: string): void {
    const files = namesIn(join(this.#runs, run));
    rmSync(join(this.#runs, run), { recursive: true, force: true });
    const others = this.runs();
    for (const sha256 of files) {
      if (others.some((other) => existsSync(join(this.#runs, other, sha256)))) continue;
      this.#forget(sha256);
      rmSync(join(this.#folder(true), sha256), { force: true });
    }
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
    const giveBack = await this.#claims.take(sha256, () => this.has(sha256));
    if (!giveBack) return;
    try {
      const path = join(this.#incoming, sha256);
      await fetch(path);
      await this.#settle(path, sha256, statSync(path).size, false);
    } finally {
      giveBack();
    }
  }

  async #settle(path: string, sha256: string, size: number, kept: boolean): Promise<void> {
    const present = this.#find(sha256);
    if (present && (present.kept || !kept)) {
      await rm(path);
      return;
    }
    if (present) {
      // The same content, now also transient: it must not go with the ordinary ones.
      await rename(path, join(this.#folder(true), sha256));
      await rm(join(this.#folder(false), sha256), { force: true });
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

  #forget(sha256: string): void {
    this.#size -= this.#entries.get(sha256)?.size ?? 0;
    this.#entries.delete(sha256);
  }

  async #makeRoom(size: number): Promise<void> {
    if (this.#size + size > this.#limit || Date.now() - this.#countedAt > countAgainMs) this.#count();
    if (this.#size + size <= this.#limit) return;
    const idle = [...this.#entries].filter(([, entry]) => entry.users === 0);
    idle.sort(([, a], [, b]) => Number(a.kept) - Number(b.kept) || a.usedAt - b.usedAt);
    for (const [sha256, entry] of idle) {
      if (this.#size + size <= this.#limit) return;
      this.#forget(sha256);
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
    return join(this.#incoming, randomUUID());
  }

  get #incoming(): string {
    return join(this.#directory, "incoming");
  }

  get #runs(): string {
    return join(this.#directory, "runs");
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isOlder(found: Stats | undefined, ms: number): boolean {
  return found !== undefined && found.mtimeMs < Date.now() - ms;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
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
