/**
 * Moving files between the gateway and this host. A transfer that fails waits a random time and is tried again, five
 * times in all (GR-9), going on where it broke off. While the gateway cannot be reached at all, or has no room, no
 * try is counted: a portal that restarts must not fail the tasks that end meanwhile. Only a few transfers run at once, so
 * that many tasks starting together do not starve each other.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { type GatewayClient, GatewayRefusal } from "./gateway-client";
import { codeOf, sentenceOf } from "./log";

const tries = 5;
const usualParallel = 6;
/** 16 MB/s, about what one CPU packs and sends. */
const fastBytesPerMs = 16_000;
const measureFromBytes = 256 * 1024;
const longestWaitMs = 10_000;
/** Below this, asking whether the gateway has a file costs as much as sending it. */
const askFromBytes = 64 * 1024;

export class Transfer {
  readonly #gateway: GatewayClient;
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #packs: boolean;
  readonly #parallel: number;
  #bytesPerMs = 0;

  /** `packs`: the gateway is far away, so that files may be worth packing. */
  constructor(gateway: GatewayClient, { packs = false, parallel = usualParallel } = {}) {
    this.#gateway = gateway;
    this.#packs = packs;
    this.#parallel = parallel;
  }

  /** Writes the file with this hash to `path`, synced; what an earlier try left there is gone on with. */
  async download(sha256: string, path: string): Promise<void> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      let hash = createHash("sha256");
      let have = 0;
      const beginAgain = async () => {
        hash = createHash("sha256");
        have = 0;
        await file.truncate(0);
      };
      for await (const piece of file.createReadStream({ start: 0, autoClose: false })) {
        hash.update(piece);
        have += piece.length;
      }
      const isWhole = () => hash.copy().digest("hex") === sha256;
      if (have === 0 || !isWhole()) {
        await this.#persist(async () => {
          const answer = await this.#gateway.download(sha256, have, this.#asksPacked).catch(async (error) => {
            // What is here is longer than the file.
            if (error instanceof GatewayRefusal && error.status === 416) await beginAgain();
            throw error;
          });
          if (answer.from !== have) await beginAgain();
          const began = performance.now();
          const before = have;
          for await (const piece of answer.bytes) {
            await file.write(piece, 0, piece.length, have);
            hash.update(piece);
            have += piece.length;
          }
          this.#noteSpeed(have - before, performance.now() - began);
          if (isWhole()) return;
          await beginAgain();
          throw new Error("what arrived is not what was announced");
        });
      }
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async upload(sha256: string, path: string, size: number, signal: AbortSignal): Promise<void> {
    await this.#persist(async () => {
      if (size < askFromBytes) return await this.#gateway.upload(sha256, path, size);
      const arrived = await this.#gateway.arrived(sha256);
      if (arrived === "all") return;
      await this.#gateway.uploadRest(sha256, path, Math.min(arrived, size), size);
    }, signal);
  }

  /** Packing costs a CPU; on a fast link it costs more time than it saves. Unknown links are tried packed. */
  get #asksPacked(): boolean {
    return this.#packs && this.#bytesPerMs < fastBytesPerMs;
  }

  #noteSpeed(bytes: number, ms: number): void {
    if (bytes < measureFromBytes) return;
    this.#bytesPerMs = this.#bytesPerMs === 0 ? bytes / ms : 0.7 * this.#bytesPerMs + (0.3 * bytes) / ms;
  }

  async #persist(attempt: () => Promise<void>, signal?: AbortSignal): Promise<void> {
    let answered = 0;
    for (let number = 1; ; number++) {
      try {
        await this.#inTurn(attempt);
        return;
      } catch (error) {
        if (!isUnreachable(error)) answered++;
        if (answered === tries || isFinal(error)) throw new Error(sentenceOf(error), { cause: error });
      }
      await delay(Math.random() * Math.min(250 * 2 ** number, longestWaitMs), undefined, { signal });
    }
  }

  async #inTurn(attempt: () => Promise<void>): Promise<void> {
    if (this.#running >= this.#parallel) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      await attempt();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

/** No answer, or only one from a proxy before it, or the portal's disk is full: somebody will mend that. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof GatewayRefusal) return [502, 503, 504, 507].includes(error.status);
  return codeOf(error) !== undefined;
}

/** Asking again would get the same answer. */
function isFinal(error: unknown): boolean {
  return error instanceof GatewayRefusal && [400, 404, 413].includes(error.status);
}
