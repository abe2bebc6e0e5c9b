/**
 * What attempts print, as text. Streams are bytes in files that grow; a browser wants characters, so a
 * character cut in half at the end of what is there waits for its other half.
 */

import type { AttemptRef } from "@/core/engine/ids";
import type { StreamName } from "@/server/files/attempt-output";
import { attemptsOfTask } from "@/server/journal/queries/attempts-of-task";
import { pause } from "@/server/pause";
import type { Backend } from "./backend";
import type { OutputChunk, OutputTail } from "./views";

const tailBytes = 16 * 1024;
const chunkBytes = 64 * 1024;
const pollMs = 250;
/** How often the journal is asked whether the attempt has ended, in polls. */
const pollsPerOutcomeCheck = 4;

export async function readTail(
  { output }: Pick<Backend, "output">,
  attempt: AttemptRef,
  stream: StreamName,
): Promise<OutputTail> {
  const { size } = await output.read(attempt, stream, 0, 0);
  const start = Math.max(0, size - tailBytes);
  const { bytes } = await output.read(attempt, stream, start, tailBytes);
  const skipped = start === 0 ? 0 : leadingContinuation(bytes);
  return { offset: start + skipped, size: start + bytes.length, text: decode(bytes.subarray(skipped)) };
}

/** Yields what is there from `offset` on, then what is added, until the attempt has ended and all was told. */
export async function* followOutput(
  { output, pool }: Pick<Backend, "output" | "pool">,
  attempt: AttemptRef & { stream: StreamName },
  offset: number,
  signal: AbortSignal,
): AsyncGenerator<OutputChunk, void, unknown> {
  let at = offset;
  for (let poll = 0; !signal.aborted; poll++) {
    // Asked before reading: what was printed before the end is then surely in the file.
    const ended = poll % pollsPerOutcomeCheck === 0 && (await hasEnded(pool, attempt));
    const { bytes, size } = await output.read(attempt, attempt.stream, at, chunkBytes);
    const last = ended && at + bytes.length >= size;
    const whole = last ? bytes.length : bytes.length - trailingIncomplete(bytes);
    if (whole > 0 || last) {
      const next = at + whole;
      yield { offset: at, next, text: decode(bytes.subarray(0, whole)), ended: last };
      at = next;
      if (last) return;
    }
    if (at >= size || whole === 0) await pause(pollMs, signal);
  }
}

async function hasEnded(pool: Backend["pool"], attempt: AttemptRef): Promise<boolean> {
  const attempts = await attemptsOfTask(pool, attempt.run, attempt.task);
  const found = attempts.find((row) => row.ordinal === attempt.ordinal);
  return found === undefined || found.outcome !== null;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Bytes at the start that belong to a character which began before. */
export function leadingContinuation(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && count < bytes.length && (bytes[count]! & 0xc0) === 0x80) count++;
  return count;
}

/** Bytes at the end that begin a character whose rest is not there yet. */
export function trailingIncomplete(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}
