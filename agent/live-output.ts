/**
 * What of an attempt's stdout and stderr the gateway still lacks. A stretch counts as delivered only when the exchange
 * that carried it was answered; a restarted agent starts from the beginning, which is harmless because stretches
 * carry their offset. No more than the limit of the stream is ever sent.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Exchange } from "@/core/protocol/agent";

export type Stretch = Exchange["output"][number];
const streams = ["stdout", "stderr"] as const;
type Stream = (typeof streams)[number];

export class LiveOutput {
  readonly #attempt: Stretch["attempt"];
  readonly #directory: string;
  readonly #limit: number;
  readonly #delivered: Record<Stream, number> = { stdout: 0, stderr: 0 };
  /** Once nothing more will be written: no need to look again. */
  #final: Record<Stream | "around", number> | undefined;

  /** Without a directory there is no output. */
  constructor(attempt: Stretch["attempt"], directory: string | undefined, limit: number) {
    this.#attempt = attempt;
    this.#directory = directory ?? "";
    if (directory === undefined) this.#final = { stdout: 0, stderr: 0, around: 0 };
    this.#limit = limit;
  }

  get hasNews(): boolean {
    return streams.some((stream) => this.#sendable(stream) > this.#delivered[stream]);
  }

  /** The next undelivered stretches, at most `budget` bytes; `complete` if nothing is left after them. */
  next(budget: number): { stretches: Stretch[]; bytes: number; complete: boolean } {
    const stretches: Stretch[] = [];
    let bytes = 0;
    let complete = true;
    for (const stream of streams) {
      const offset = this.#delivered[stream];
      const left = this.#sendable(stream) - offset;
      if (left <= 0) continue;
      const piece = readAt(join(this.#directory, stream), offset, Math.min(left, budget - bytes));
      if (piece.length < left) complete = false;
      if (piece.length === 0) continue;
      bytes += piece.length;
      stretches.push({ attempt: this.#attempt, stream, offset, base64: piece.toString("base64") });
    }
    return { stretches, bytes, complete };
  }

  confirm(stretch: Stretch): void {
    const end = stretch.offset + Buffer.byteLength(stretch.base64, "base64");
    this.#delivered[stretch.stream] = Math.max(this.#delivered[stretch.stream], end);
  }

  /** The program and all it started have ended. */
  close(): void {
    this.#final ??= { stdout: this.written("stdout"), stderr: this.written("stderr"), around: this.written("around") };
  }

  /** How much there is of a stream, or of what the commands around the program printed. */
  written(stream: Stream | "around"): number {
    if (this.#final) return this.#final[stream];
    return statSync(join(this.#directory, stream), { throwIfNoEntry: false })?.size ?? 0;
  }

  #sendable(stream: Stream): number {
    return Math.min(this.written(stream), this.#limit);
  }
}

function readAt(path: string, offset: number, length: number): Buffer {
  if (length <= 0) return Buffer.alloc(0);
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
  } finally {
    closeSync(file);
  }
}
