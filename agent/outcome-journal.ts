/**
 * Outcomes, made durable before they are reported: lines appended to one file, synced together (attempts that end while a
 * sync is under way share the next one). A line whose attempt is no longer in the spool was acknowledged; it stays
 * for a while as the memory of an attempt that must not run again if its assignment is repeated late.
 *
 * The file is rewritten, whole, when it has grown: outcomes still held, and the last ten thousand ids.
 */
import { closeSync, fdatasync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { z } from "zod";
import { type Ended, ended as endedSchema } from "@/core/protocol/agent";
import { writeDurably } from "./durable-file";
import { codeOf } from "./log";

const usualBounds = { remembered: 10_000, rewriteAtBytes: 16 * 2 ** 20 };

const forgottenLine = z.object({ forgotten: z.string() });

const syncAsync = promisify(fdatasync);

export class OutcomeJournal {
  readonly #path: string;
  readonly #bounds: typeof usualBounds;
  /** Insertion order is age. `undefined`: forgotten. */
  readonly #entries = new Map<string, Ended | undefined>();
  #file: number;
  #size: number;
  #pending: { line: string; done: () => void; failed: (error: unknown) => void }[] = [];
  #flushing = false;

  constructor(path: string, bounds = usualBounds) {
    this.#path = path;
    this.#bounds = bounds;
    const text = readOrEmpty(path);
    const complete = text.slice(0, text.lastIndexOf("\n") + 1);
    for (const line of complete.split("\n")) this.#recall(line);
    this.#file = openSync(path, "a", 0o600);
    this.#size = Buffer.byteLength(complete);
    // A line torn by a power failure would swallow the next one.
    ftruncateSync(this.#file, this.#size);
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

  /** After a start: what is not held any more was acknowledged. */
  settle(held: ReadonlySet<string>): void {
    for (const attempt of this.#entries.keys()) if (!held.has(attempt)) this.#entries.set(attempt, undefined);
  }

  /** Resolves when the outcome is on disk. */
  record(outcome: Ended): Promise<void> {
    this.#entries.set(outcome.attempt, outcome);
    return this.#append(JSON.stringify(outcome));
  }

  /** The attempt is over for everybody. An acknowledged outcome's own line is already its memory. */
  async forget(attempt: string): Promise<void> {
    const known = this.#entries.get(attempt) !== undefined;
    this.#entries.set(attempt, undefined);
    if (!known) await this.#append(JSON.stringify({ forgotten: attempt }));
  }

  #append(line: string): Promise<void> {
    return new Promise((done, failed) => {
      this.#pending.push({ line: `${line}\n`, done, failed });
      if (!this.#flushing) void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    this.#flushing = true;
    while (this.#pending.length > 0) {
      const batch = this.#pending;
      this.#pending = [];
      const bytes = Buffer.from(batch.map(({ line }) => line).join(""));
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
        await syncAsync(this.#file);
        this.#size += bytes.length;
        if (this.#size > this.#bounds.rewriteAtBytes) await this.#rewrite();
        for (const { done } of batch) done();
      } catch (error) {
        // A half-written line must not swallow the next one. If even this fails, so will the next write.
        ftruncateSync(this.#file, this.#size);
        for (const { failed } of batch) failed(error);
      }
    }
    this.#flushing = false;
  }

  async #rewrite(): Promise<void> {
    let excess = this.#entries.size - this.#bounds.remembered;
    for (const [attempt, outcome] of this.#entries) {
      if (excess-- <= 0) break;
      if (!outcome) this.#entries.delete(attempt);
    }
    const lines = [...this.#entries].map(([attempt, outcome]) => JSON.stringify(outcome ?? { forgotten: attempt }));
    const content = lines.map((line) => `${line}\n`).join("");
    await writeDurably(this.#path, content);
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
