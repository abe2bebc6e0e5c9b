/**
 * Outcomes, made durable before they are reported: lines appended to one file, synced together (attempts that end while a
 * sync is under way share the next one). A line whose attempt is no longer in the spool was acknowledged, or the
 * machine lost power before the spool's directory was safe; it stays for a while as the memory of an attempt that must not
 * run again if its assignment is repeated.
 *
 * The file is rewritten, whole, when it has grown: outcomes still held, and the last ten thousand ids.
 */
import {
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import { z } from "zod";
import { type Ended, ended as endedSchema } from "@/core/protocol/agent";
import { codeOf, log, sentenceOf } from "./log";

const usualBounds = { remembered: 10_000, rewriteAtBytes: 16 * 2 ** 20 };

const forgottenLine = z.object({ forgotten: z.string() });

const syncAsync = promisify(fdatasync);

export class OutcomeJournal {
  readonly #path: string;
  readonly #bounds: typeof usualBounds;
  /** Insertion order is age. `undefined`: forgotten. */
  readonly #entries = new Map<string, Ended | undefined>();
  /** Outcomes an earlier agent wrote down, of attempts that are not in the spool any more. */
  readonly #perhapsUntold = new Map<string, Ended>();
  #rewriteAt: number;
  #file: number;
  #size: number;
  #unsynced: { done: () => void; failed: (error: unknown) => void }[] = [];
  #syncing = false;

  constructor(path: string, bounds = usualBounds) {
    this.#path = path;
    this.#bounds = bounds;
    this.#rewriteAt = bounds.rewriteAtBytes;
    const text = readOrEmpty(path);
    const complete = text.slice(0, text.lastIndexOf("\n") + 1);
    for (const line of complete.split("\n")) this.#recall(line);
    this.#file = openSync(path, "a", 0o600);
    this.#size = Buffer.byteLength(complete);
    // A line torn by a power failure would swallow the next one.
    ftruncateSync(this.#file, this.#size);
    // An earlier agent may have ended between writing and syncing; what is read here will be reported.
    fsyncSync(this.#file);
  }

  #recall(line: string): void {
    if (line === "") return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return;
    }
    const outcome = endedSchema.safeParse(value);
    if (outcome.success) this.#entries.set(outcome.data.attempt, outcome.data);
    const forgotten = forgottenLine.safeParse(value);
    if (forgotten.success) this.#entries.set(forgotten.data.forgotten, undefined);
  }

  /** True if this attempt has ended here or was forgotten: it must not be started. */
  knows(attempt: string): boolean {
    return this.#entries.has(attempt);
  }

  outcomeOf(attempt: string): Ended | undefined {
    return this.#entries.get(attempt);
  }

  /** After a start: what is not held any more was acknowledged, or a power failure took the spool's part of it. */
  settle(held: ReadonlySet<string>): void {
    for (const [attempt, outcome] of this.#entries) {
      if (held.has(attempt)) continue;
      if (outcome) this.#perhapsUntold.set(attempt, outcome);
      this.#entries.set(attempt, undefined);
    }
  }

  /** What to answer when an attempt that is not held is assigned again: whoever asks has not heard of its end. */
  untoldOutcomeOf(attempt: string): Ended | undefined {
    return this.#perhapsUntold.get(attempt);
  }

  /** Resolves when the outcomes are on disk. */
  record(...outcomes: readonly Ended[]): Promise<void> {
    for (const outcome of outcomes) this.#entries.set(outcome.attempt, outcome);
    return this.#append(outcomes.map((outcome) => JSON.stringify(outcome)).join("\n"));
  }

  /** The attempt is over for everybody. An acknowledged outcome's own line is already its memory. */
  async forget(attempt: string): Promise<void> {
    const known = this.#entries.get(attempt) !== undefined;
    this.#entries.set(attempt, undefined);
    if (!known) await this.#append(JSON.stringify({ forgotten: attempt }));
  }

  /** Written at once, so that it survives the agent; synced together with others. */
  #append(line: string): Promise<void> {
    const bytes = Buffer.from(`${line}\n`);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      // A half-written line must not swallow the next one.
      ftruncateSync(this.#file, this.#size);
      return Promise.reject(error);
    }
    this.#size += bytes.length;
    return new Promise((done, failed) => {
      this.#unsynced.push({ done, failed });
      if (!this.#syncing) void this.#sync();
    });
  }

  async #sync(): Promise<void> {
    this.#syncing = true;
    while (this.#unsynced.length > 0) {
      const batch = this.#unsynced;
      this.#unsynced = [];
      try {
        await syncAsync(this.#file);
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
      if (this.#size > this.#rewriteAt) this.#rewriteIfPossible();
    }
    this.#syncing = false;
  }

  /** A full disk must not stop what can still be appended; it is tried again when the file has grown by as much. */
  #rewriteIfPossible(): void {
    try {
      this.#rewrite();
      this.#rewriteAt = Math.max(this.#bounds.rewriteAtBytes, 2 * this.#size);
    } catch (error) {
      this.#rewriteAt = this.#size + this.#bounds.rewriteAtBytes;
      log(`the journal of outcomes could not be rewritten: ${sentenceOf(error)}`);
    }
  }

  /** In one go: a line appended meanwhile would be lost with the old file. */
  #rewrite(): void {
    let excess = this.#entries.size - this.#bounds.remembered;
    for (const [attempt, outcome] of this.#entries) {
      if (excess-- <= 0) break;
      if (!outcome) this.#entries.delete(attempt);
    }
    const lines = [...this.#entries].map(([attempt, outcome]) => JSON.stringify(outcome ?? { forgotten: attempt }));
    const content = lines.map((line) => `${line}\n`).join("");
    const temporary = `${this.#path}.new`;
    const file = openSync(temporary, "w", 0o600);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, this.#path);
    closeSync(this.#file);
    this.#file = openSync(this.#path, "a", 0o600);
    this.#size = Buffer.byteLength(content);
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
}
