/**
 * The log file of one part: everything it writes, bounded (one earlier generation is kept), mode 0600. A full disk
 * costs the log, never the portal.
 */
import { closeSync, fchmodSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";

const generationBytes = 8 * 1024 * 1024;
const tailLines = 15;

export class PartLog {
  private descriptor: number | undefined;
  private size = 0;
  private recent: string[] = [];

  constructor(private readonly file: string) {}

  write(line: string): void {
    this.recent.push(line);
    if (this.recent.length > tailLines) this.recent.shift();
    try {
      const bytes = Buffer.from(`${line}\n`);
      writeSync(this.openedFor(bytes.length), bytes);
      this.size += bytes.length;
    } catch {
      this.close();
    }
  }

  /** The last lines, for a message about what went wrong. */
  tail(): string {
    return this.recent.join("\n");
  }

  forgetTail(): void {
    this.recent = [];
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  private openedFor(bytes: number): number {
    if (this.descriptor !== undefined && this.size + bytes > generationBytes) {
      this.close();
      renameSync(this.file, `${this.file}.1`);
    }
    if (this.descriptor === undefined) {
      this.descriptor = openSync(this.file, "a", 0o600);
      fchmodSync(this.descriptor, 0o600);
      this.size = fstatSync(this.descriptor).size;
    }
    return this.descriptor;
  }
}
