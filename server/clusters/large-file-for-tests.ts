/** One large file through the whole grid: from the portal's store to a task on a foreign host and back, and the memory it took. */
import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { expect } from "vitest";
import type { ForeignHost } from "./foreign-host-for-tests";
import type { GridForTests } from "./grid-for-tests";

export interface LargeFileAccount {
  seconds: number;
  /** The most memory the gateway and the agent ever held, in MB. */
  gatewayMb: number;
  agentMb: number;
}

export async function passLargeFile(grid: GridForTests, host: ForeignHost, bytes: number): Promise<LargeFileAccount> {
  const incoming = join(grid.store.incoming, "large");
  await mkdir(grid.store.incoming, { recursive: true });
  const file = openSync(incoming, "w");
  ftruncateSync(file, bytes);
  writeSync(file, "the beginning", 0);
  writeSync(file, "the end", bytes - 7);
  closeSync(file);
  const hash = createHash("sha256");
  await pipeline(createReadStream(incoming), hash);
  const sha256 = hash.digest("hex");
  await grid.store.take(incoming, sha256);

  const began = performance.now();
  host.run((await grid.agent()).script);
  const limits = { outputBytes: bytes * 2 };
  const source = 'task A -e "mv large again; tail -c 7 again" -i large -o again\n';
  const run = await grid.submitWith(source, [{ name: "large", sha256, size: bytes }], limits);
  const patience = Math.max(120_000, bytes / 5000);
  await expect.poll(() => grid.stateOf(run), { timeout: patience, interval: 200 }).toMatch(/succeeded|failed/);
  const seconds = (performance.now() - began) / 1000;
  expect(await grid.stateOf(run)).toBe("succeeded");
  expect(await grid.outputHash(run, "again")).toBe(sha256);
  expect(statSync(grid.store.path(sha256)).size).toBe(bytes);
  return { seconds, gatewayMb: peakMb("gateway.mjs"), agentMb: peakMb(host.home) };
}

/** The peak resident memory of our process with this in its command line. */
function peakMb(word: string): number {
  const peaks = readdirSync("/proc").flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (!command.includes(word) || !command.includes("node")) return [];
      return [Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024];
    } catch {
      return [];
    }
  });
  if (peaks.length === 0) throw new Error(`no process of ${word} is there to be measured`);
  return Math.max(...peaks);
}
