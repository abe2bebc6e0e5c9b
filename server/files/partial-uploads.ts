/**
 * Uploads that may break off and go on: the bytes so far lie in the store's `incoming/`, under the names of who sends
 * them and of what they are to become. When the last one has arrived, the whole is checked against its hash and stored.
 *
 * A sender that lost its connection comes back before the portal has noticed: the later request takes over and the
 * earlier one ends.
 */
import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type FileStore, FileStoreError, isDiskFull } from "./store";

export interface Piece {
  sender: string;
  sha256: string;
  from: number;
  total: number;
}

const mostRemembered = 10_000;

interface Running {
  leave: () => void;
  ended: Promise<void>;
}

export class PartialUploads {
  private readonly stored = new Set<string>();
  private readonly running = new Map<string, Running>();

  constructor(private readonly store: FileStore) {}

  /** This sender brought the whole of it lately: the answer that said so may have been lost. */
  hasStored(sender: string, sha256: string): boolean {
    return this.stored.has(`${sender} ${sha256}`);
  }

  /** Bytes of an upload that broke off. */
  async arrived(sender: string, sha256: string): Promise<number> {
    const found = await stat(this.path(sender, sha256)).catch(() => undefined);
    return found?.size ?? 0;
  }

  /** `wrong-place`: the sender believes that more, or less, has arrived. `unfinished`: it broke off; what arrived is kept. */
  async receive(
    piece: Piece,
    source: AsyncIterable<Uint8Array>,
    leave: () => void,
  ): Promise<"stored" | "unfinished" | "wrong-place"> {
    const key = `${piece.sender} ${piece.sha256}`;
    for (let earlier = this.running.get(key); earlier; earlier = this.running.get(key)) {
      earlier.leave();
      await earlier.ended;
    }
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.running.set(key, { leave, ended });
    try {
      return await this.append(piece, source);
    } catch (error) {
      if (isDiskFull(error)) throw new FileStoreError("disk-full", "The disk of the file store is full.");
      throw error;
    } finally {
      this.running.delete(key);
      end();
    }
  }

  private async append(
    { sender, sha256, from, total }: Piece,
    source: AsyncIterable<Uint8Array>,
  ): Promise<"stored" | "unfinished" | "wrong-place"> {
    await mkdir(this.store.incoming, { recursive: true, mode: 0o700 });
    const path = this.path(sender, sha256);
    const file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      if ((await file.stat()).size !== from) return "wrong-place";
      const size = await write(file, from, total, source);
      if (size < total) return "unfinished";
      await file.sync();
    } finally {
      await file.close();
    }
    const found = await hashOf(path);
    if (found !== sha256) {
      await unlink(path);
      throw new FileStoreError("wrong-content", `The content has the hash ${found}, not ${sha256}.`);
    }
    await this.store.take(path, sha256);
    if (this.stored.size >= mostRemembered) this.stored.clear();
    this.stored.add(`${sender} ${sha256}`);
    return "stored";
  }

  private path(sender: string, sha256: string): string {
    return join(this.store.incoming, `${sender}-${sha256}`);
  }
}

/** What arrived stays, also when the source breaks off. */
async function write(
  file: FileHandle,
  from: number,
  total: number,
  source: AsyncIterable<Uint8Array>,
): Promise<number> {
  let size = from;
  try {
    for await (const part of source) {
      if (size + part.byteLength > total) {
        throw new FileStoreError("too-large", `More than the ${total} bytes announced were sent.`);
      }
      for (let done = 0; done < part.byteLength; ) {
        done += (await file.write(part, done, part.byteLength - done, size + done)).bytesWritten;
      }
      size += part.byteLength;
    }
  } catch (error) {
    if (error instanceof FileStoreError || isDiskFull(error)) throw error;
  }
  return size;
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
