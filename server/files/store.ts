/**
 * The content-addressed file store: a file is named by the SHA-256 of its bytes, so it is stored once,
 * never changes, and whoever fetches it can check it. Content is written to a temporary name, synced, renamed,
 * and the directory synced: a name that exists always has all of its bytes, also after a power cut.
 *
 *   DIRECTORY/incoming/UUID       being written
 *   DIRECTORY/ab/cd/abcd…         stored
 */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";

export interface StoredFile {
  sha256: string;
  size: number;
}

export interface PutLimits {
  /** The most bytes taken; more is refused. */
  limit?: number;
  /** Refuse the content unless it has this hash. */
  expected?: string;
}

/** Bytes from `start` to `end`, both included, as in an HTTP range. */
export interface ByteRange {
  start: number;
  end: number;
}

export type FileStoreProblem = "too-large" | "wrong-content" | "disk-full";

/** A refusal that is not the store's fault; the message may be shown to a person. */
export class FileStoreError extends Error {
  constructor(
    readonly code: FileStoreProblem,
    message: string,
  ) {
    super(message);
    this.name = "FileStoreError";
  }
}

const hashPattern = /^[0-9a-f]{64}$/;

export class FileStore {
  readonly incoming: string;

  constructor(readonly directory: string) {
    this.incoming = join(directory, "incoming");
  }

  async put(source: AsyncIterable<Uint8Array>, { limit, expected }: PutLimits = {}): Promise<StoredFile> {
    await mkdir(this.incoming, { recursive: true, mode: 0o700 });
    const temporary = join(this.incoming, randomUUID());
    const file = await open(temporary, "wx", 0o600);
    try {
      const stored = await writeAll(file, source, limit ?? Number.POSITIVE_INFINITY);
      if (expected !== undefined && stored.sha256 !== expected) {
        throw new FileStoreError("wrong-content", `The content has the hash ${stored.sha256}, not ${expected}.`);
      }
      await file.sync();
      await file.close();
      await this.settle(temporary, stored.sha256);
      return stored;
    } catch (error) {
      // Already closed if the rename failed; already renamed if only the directory's sync failed.
      await file.close().catch(() => undefined);
      await unlink(temporary).catch(() => undefined);
      if (isDiskFull(error)) throw new FileStoreError("disk-full", "The disk of the file store is full.");
      throw error;
    }
  }

  async has(sha256: string): Promise<boolean> {
    return (await this.size(sha256)) !== undefined;
  }

  /** Undefined: not stored. */
  async size(sha256: string): Promise<number | undefined> {
    try {
      return (await stat(this.path(sha256))).size;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  open(sha256: string, range?: ByteRange): Readable {
    return createReadStream(this.path(sha256), range ?? {});
  }

  path(sha256: string): string {
    if (!hashPattern.test(sha256)) throw new Error(`“${sha256}” is not a SHA-256 hash.`);
    return join(this.directory, sha256.slice(0, 2), sha256.slice(2, 4), sha256);
  }

  /** Drops what a crash left half written. Younger ones may belong to another process that is still writing. */
  async removeAbandoned(olderThanMs: number): Promise<number> {
    let removed = 0;
    const names = await readdir(this.incoming).catch(() => []);
    for (const name of names) {
      const path = join(this.incoming, name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
      if (Date.now() - mtimeMs < olderThanMs) continue;
      if (
        await unlink(path).then(
          () => true,
          () => false,
        )
      )
        removed++;
    }
    return removed;
  }

  /** A synced file in `incoming/` whose hash was checked gets its name. */
  async take(path: string, sha256: string): Promise<void> {
    await this.settle(path, sha256);
  }

  private async settle(temporary: string, sha256: string): Promise<void> {
    const path = this.path(sha256);
    const folder = dirname(path);
    const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(temporary, path);
    await syncDirectory(folder);
    if (firstMade !== undefined) {
      await syncDirectory(dirname(folder));
      await syncDirectory(this.directory);
    }
  }
}

async function writeAll(file: FileHandle, source: AsyncIterable<Uint8Array>, limit: number): Promise<StoredFile> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const part of source) {
    size += part.byteLength;
    if (size > limit) throw new FileStoreError("too-large", `The file is larger than the ${limit} bytes allowed.`);
    hash.update(part);
    await file.writeFile(part);
  }
  return { sha256: hash.digest("hex"), size };
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

export function isDiskFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOSPC" || code === "EDQUOT";
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
