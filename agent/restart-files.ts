/**
 * The restart files of a running task, brought to the portal as one set (GW-9): all of them hashed and stored, and only then
 * told. The program goes on writing meanwhile, so a set is taken only if it holds together:
 *
 *   - with a marker, which the program writes last: while the marker is not older than any of the files
 *   - without one: when none of them changed for a moment, and none has changed when the last is copied
 *
 * What was copied while something changed is thrown away and tried again; then the last set stands. The task was hostile
 * until shown otherwise: files are taken as its outputs are (outputs.ts).
 */
import { createHash } from "node:crypto";
import { createReadStream, rmSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Adaptive, RestartSet } from "@/core/protocol/agent";
import { takeOwnFile } from "./outputs";
import type { Transfer } from "./transfer";

/** Nobody wrote for so long: what is there is likely whole. */
const quietMs = 300;
const tryAgainMs = 100;

interface Look {
  /** What is there, in one text: changes with any of the files. */
  text: string;
  present: string[];
  newestMs: number;
  markerMs: number | undefined;
}

export interface RestartPlaces {
  /** Where the task works, and whose its files are. */
  directory: string;
  ownerUid: number;
  /** Ours: where a set is put together. */
  spool: string;
}

export class RestartFiles {
  readonly #adaptive: Adaptive;
  readonly #places: RestartPlaces;
  readonly #transfer: Transfer;
  /** The last set, and the look of the files it was made from. */
  #set: RestartSet | undefined;
  #lookOfSet = "";
  #taking: Promise<RestartSet | undefined> | undefined;

  constructor(adaptive: Adaptive, places: RestartPlaces, transfer: Transfer) {
    this.#adaptive = adaptive;
    this.#places = places;
    this.#transfer = transfer;
  }

  get set(): RestartSet | undefined {
    return this.#set;
  }

  /** The newest set: another one if the files changed and hold together within this time. Throws if it cannot be stored. */
  async take(patienceMs: number, signal: AbortSignal): Promise<RestartSet | undefined> {
    // Two at once would write into the same place.
    await this.#taking?.catch(() => undefined);
    this.#taking = this.#take(patienceMs, signal).finally(() => {
      this.#taking = undefined;
    });
    return await this.#taking;
  }

  async #take(patienceMs: number, signal: AbortSignal): Promise<RestartSet | undefined> {
    const copies = join(this.#places.spool, "restart");
    for (const until = Date.now() + patienceMs; !signal.aborted; ) {
      const before = this.#look();
      if (before.present.length === 0 || before.text === this.#lookOfSet) return this.#set;
      if (this.#isWhole(before)) {
        rmSync(copies, { recursive: true, force: true });
        await mkdir(copies, { recursive: true, mode: 0o700 });
        try {
          if ((await this.#copy(before.present, copies)) && this.#look().text === before.text) {
            this.#set = await this.#store(before.present, copies, signal);
            this.#lookOfSet = before.text;
            return this.#set;
          }
        } finally {
          rmSync(copies, { recursive: true, force: true });
        }
      }
      if (Date.now() + tryAgainMs > until) return this.#set;
      await delay(tryAgainMs);
    }
    return this.#set;
  }

  #look(): Look {
    const { restart, marker } = this.#adaptive;
    const present: string[] = [];
    let text = "";
    let newestMs = 0;
    for (const name of restart) {
      const found = this.#stat(name);
      if (!found) continue;
      present.push(name);
      text += `${JSON.stringify(name)} ${found.ino} ${found.size} ${found.mtimeNs}\n`;
      newestMs = Math.max(newestMs, Number(found.mtimeNs) / 1e6);
    }
    const markerNs = marker === undefined ? undefined : this.#stat(marker)?.mtimeNs;
    return { text, present, newestMs, markerMs: markerNs === undefined ? undefined : Number(markerNs) / 1e6 };
  }

  #stat(name: string) {
    try {
      const found = statSync(join(this.#places.directory, name), { bigint: true, throwIfNoEntry: false });
      return found?.isFile() ? found : undefined;
    } catch {
      // A directory on the way was closed or exchanged.
      return undefined;
    }
  }

  #isWhole({ newestMs, markerMs }: Look): boolean {
    if (this.#adaptive.marker !== undefined) return markerMs !== undefined && markerMs >= newestMs;
    return Date.now() - newestMs >= quietMs;
  }

  async #copy(names: readonly string[], copies: string): Promise<boolean> {
    for (const [index, name] of names.entries()) {
      if (!(await takeOwnFile(this.#places, name, join(copies, String(index))))) return false;
    }
    return true;
  }

  /** Files that the last set has too are at the portal already. */
  async #store(names: readonly string[], copies: string, signal: AbortSignal): Promise<RestartSet> {
    const known = new Set(this.#set?.files.map(({ sha256 }) => sha256));
    const files = await Promise.all(
      names.map(async (name, index) => {
        const path = join(copies, String(index));
        const { size } = statSync(path);
        const sha256 = await hashOf(path);
        if (!known.has(sha256)) await this.#transfer.upload(sha256, path, size, signal);
        return { name, sha256, size };
      }),
    );
    const at = Date.now();
    // Rises also when another agent goes on watching the task.
    return { number: Math.max((this.#set?.number ?? 0) + 1, at), files, at };
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest("hex");
}
