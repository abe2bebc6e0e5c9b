/**
 * Who may bring a file into a cache that several agents share, on one host or on several with one file system: whoever makes its
 * claim. The claim is touched while its holder works; one that nobody touched for a minute is nobody's, and neither is
 * one whose process on this host has ended. Times are compared with that of a file made just now in the same place, because clocks
 * of hosts differ.
 */
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf } from "./log";
import { startOf } from "./processes";

const touchEveryMs = 10_000;
const abandonedMs = 60_000;
const lookEveryMs = 100;

export class Claims {
  readonly #directory: string;
  readonly #self = `${hostname()} ${process.pid} ${startOf(process.pid)}\n`;
  #names = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Resolves with what gives the claim back; with nothing if there is no need for it any more. */
  async take(name: string, isDone: () => boolean): Promise<(() => void) | undefined> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const path = join(this.#directory, name);
    for (;;) {
      if (isDone()) return undefined;
      if (this.#make(path)) {
        if (isDone()) {
          rmSync(path, { force: true });
          return undefined;
        }
        const timer = setInterval(() => touch(path), touchEveryMs);
        return () => {
          clearInterval(timer);
          rmSync(path, { force: true });
        };
      }
      if (this.#isAbandoned(path)) rmSync(path, { force: true });
      else await delay(lookEveryMs);
    }
  }

  #make(path: string): boolean {
    try {
      const file = openSync(path, "wx", 0o600);
      writeSync(file, this.#self);
      closeSync(file);
      return true;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
      return false;
    }
  }

  #isAbandoned(path: string): boolean {
    try {
      const age = this.#now() - statSync(path).mtimeMs;
      if (age > abandonedMs) return true;
      const [host, pid, start] = readFileSync(path, "utf8").trim().split(" ");
      // Just made, its holder may not have said who it is.
      if (start === undefined) return false;
      return host === hostname() && startOf(Number(pid)) !== start;
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
      return false;
    }
  }

  #now(): number {
    const path = join(this.#directory, `.now-${hostname()}-${process.pid}-${++this.#names}`);
    closeSync(openSync(path, "w", 0o600));
    const { mtimeMs } = statSync(path);
    rmSync(path, { force: true });
    return mtimeMs;
  }
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // Taken from us: somebody else believed us gone and brings the same content.
  }
}
