/**
 * What attempts print: `DIRECTORY/RUN/TASK.ORDINAL.stdout` and `.stderr`. Agents send stretches with their
 * offset, so one that comes twice writes the same bytes to the same place, and one that comes late fills its gap.
 * A stream is kept up to a limit; what lies beyond it is not stored.
 */
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import type { AttemptRef } from "@/core/engine/ids";

export type StreamName = "stdout" | "stderr";

export interface OutputStretch {
  stream: StreamName;
  offset: number;
  bytes: Uint8Array;
}

export interface StoredOutput {
  bytes: Buffer;
  /** Bytes of the whole stream so far. */
  size: number;
}

export class AttemptOutput {
  private readonly knownRuns = new Set<string>();

  constructor(readonly directory: string) {}

  async write(attempt: AttemptRef, stretch: OutputStretch, limit: number): Promise<void> {
    const room = limit - stretch.offset;
    if (room <= 0 || stretch.bytes.byteLength === 0) return;
    const bytes = stretch.bytes.subarray(0, room);
    await this.ensureFolder(attempt.run);
    const file = await this.openForWriting(attempt, stretch.stream);
    try {
      let done = 0;
      while (done < bytes.byteLength) {
        const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, stretch.offset + done);
        done += bytesWritten;
      }
    } finally {
      await file.close();
    }
  }

  /** Up to `length` bytes from `offset` on; nothing if the attempt has not printed. */
  async read(attempt: AttemptRef, stream: StreamName, offset: number, length: number): Promise<StoredOutput> {
    let file: Awaited<ReturnType<typeof open>>;
    try {
      file = await open(this.path(attempt, stream), "r");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") {
        return { bytes: Buffer.alloc(0), size: 0 };
      }
      throw error;
    }
    try {
      const { size } = await file.stat();
      const wanted = Math.max(0, Math.min(length, size - offset));
      const { buffer, bytesRead } = await file.read(Buffer.alloc(wanted), 0, wanted, offset);
      return { bytes: buffer.subarray(0, bytesRead), size };
    } finally {
      await file.close();
    }
  }

  path({ run, task, ordinal }: AttemptRef, stream: StreamName): string {
    return join(this.directory, run, `${task}.${ordinal}.${stream}`);
  }

  private async ensureFolder(run: string): Promise<void> {
    if (this.knownRuns.has(run)) return;
    await mkdir(join(this.directory, run), { recursive: true, mode: 0o700 });
    if (this.knownRuns.size > 10_000) this.knownRuns.clear();
    this.knownRuns.add(run);
  }

  private async openForWriting(attempt: AttemptRef, stream: StreamName) {
    const path = this.path(attempt, stream);
    // "r+" keeps what is there and writes anywhere in it; "a" would ignore the offset.
    try {
      return await open(path, "r+");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
    try {
      return await open(path, "wx+", 0o600);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return await open(path, "r+");
      throw error;
    }
  }
}
