/**
 * The files in which a running task says how it fares and what it needs (GW-2): looked at once a second by their times, read
 * when they changed, never more of them than a page of text. The profile is appended to, one iteration a line; its last number is
 * the iteration's seconds.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Adaptive, ProfileSample } from "@/core/protocol/agent";

const mostText = 4096;
const mostProfile = 1024 * 1024;
const mostSamples = 200;

export class DynamicFiles {
  readonly #adaptive: Adaptive;
  readonly #directory: string;
  readonly #ownerUid: number;
  readonly #seen = new Map<string, string>();
  #lines = 0;
  requirement: string | undefined;
  rank: string | undefined;
  /** The last iterations. */
  samples: ProfileSample[] = [];

  constructor(adaptive: Adaptive, directory: string, ownerUid: number) {
    this.#adaptive = adaptive;
    this.#directory = directory;
    this.#ownerUid = ownerUid;
  }

  /** True if something is new. */
  look(now: number): boolean {
    const { requirementFile, rankFile, profile } = this.#adaptive;
    const requirement = this.#changed(requirementFile, mostText) ?? this.requirement;
    const rank = this.#changed(rankFile, mostText) ?? this.rank;
    const text = this.#changed(profile, mostProfile);
    const isNew = requirement !== this.requirement || rank !== this.rank;
    this.requirement = requirement;
    this.rank = rank;
    return (text !== undefined && this.#takeSamples(text, now)) || isNew;
  }

  #takeSamples(text: string, now: number): boolean {
    // The last line may not be written to its end yet.
    const lines = text.split("\n").slice(0, -1);
    // A profile that was begun anew goes on counting.
    const from = lines.length < this.#lines ? 0 : this.#lines;
    const fresh: ProfileSample[] = [];
    let n = (this.samples.at(-1)?.n ?? -1) + 1;
    for (const line of lines.slice(from)) {
      const seconds = Number(/(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*s?\s*$/.exec(line.slice(0, 1000))?.[1]);
      if (!(seconds >= 0 && seconds <= 1e9)) continue;
      fresh.push({ n, seconds, at: now });
      n += 1;
    }
    this.#lines = lines.length;
    this.samples = [...this.samples, ...fresh].slice(-mostSamples);
    return fresh.length > 0;
  }

  /** Its text, if it is another file than the last time. */
  #changed(name: string | undefined, most: number): string | undefined {
    if (name === undefined) return undefined;
    const path = join(this.#directory, name);
    try {
      const found = statSync(path, { bigint: true, throwIfNoEntry: false });
      if (!found?.isFile()) return undefined;
      const look = `${found.ino} ${found.size} ${found.mtimeNs}`;
      if (this.#seen.get(name) === look) return undefined;
      const text = readOwn(path, this.#ownerUid, most);
      if (text !== undefined) this.#seen.set(name, look);
      return text;
    } catch {
      // It went, or was closed, while we looked.
      return undefined;
    }
  }
}

/** Only a regular file of the task's own account, and no link: the agent may be root. */
function readOwn(path: string, ownerUid: number, most: number): string | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    if (!found.isFile() || found.uid !== ownerUid) return undefined;
    const buffer = Buffer.alloc(Math.min(most, found.size));
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, 0)).toString("utf8");
  } finally {
    closeSync(file);
  }
}
