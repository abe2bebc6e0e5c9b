/**
 * What the agent tells of its host: who it is, what it has, how fast it is, and every half minute how it does. Names are
 * HTCondor's where it has one (docs of `core/engine/host-facts.ts`): Memory and FreeMemory in MB, Disk in KB.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import files from "node:fs/promises";
import os from "node:os";
import { join } from "node:path";
import type { HostFacts } from "@/core/protocol/agent";
import { benchmark } from "./benchmark";
import type { AgentConfig } from "./config";
import { countGpus, findMeans, softwareOf } from "./software";

export async function hostFacts(config: AgentConfig): Promise<HostFacts> {
  const machine = machineIdentity(config.cluster);
  const memoryBytes = memoryLimit() ?? os.totalmem();
  const speed = await benchmark(join(config.sharedDirectory ?? config.directory, `benchmark-${machine}.json`));
  const mhz = os.cpus()[0]?.speed ?? 0;
  const { Software: told = "" } = config.tags;
  const installed = String(told)
    .split(/[,\s]+/)
    .filter(Boolean);
  const software = [...installed, ...(await softwareOf(findMeans()))].slice(0, 64);
  const gpus = countGpus();
  return {
    name: os.hostname(),
    machine,
    os: `${os.type()} ${os.release()}`.slice(0, 64),
    arch: os.arch(),
    cpus: os.availableParallelism?.() ?? os.cpus().length,
    cpuModel: os.cpus()[0]?.model ?? "",
    memoryBytes,
    facts: {
      ...(gpus > 0 && { Gpus: gpus }),
      ...config.tags,
      ...(software.length > 0 && { Software: software }),
      ...(mhz > 0 && { CpuMHz: mhz }),
      ...speed,
      ...(await disk(config.slotsDirectory)).total,
    },
  };
}

export type Readings = Readonly<Record<string, number>>;

/** `leftSeconds`: until whoever started the agent ends it. */
export async function readHost(config: AgentConfig, leftSeconds: number | undefined): Promise<Readings> {
  const [load = 0] = os.loadavg();
  const cores = os.cpus().length || 1;
  return {
    LoadAvg: rounded(load),
    // GridWay's: 100 for each CPU that has nothing to do.
    CpuFree: Math.round(100 * Math.max(0, cores - load)),
    FreeMemory: Math.floor(availableMemory() / 2 ** 20),
    ...(await disk(config.slotsDirectory)).free,
    ...(leftSeconds !== undefined && { RemainingSeconds: Math.max(0, Math.floor(leftSeconds)) }),
  };
}

/** Of this machine under this name, as this cluster sees it; nothing of the machine's own id can be told from it. */
export function machineIdentity(cluster: string): string {
  const id = firstOf(["/etc/machine-id", "/var/lib/dbus/machine-id"]) ?? "";
  return createHash("sha256")
    .update(`gridloom machine\n${cluster}\n${id}\n${os.hostname()}`)
    .digest("hex")
    .slice(0, 32);
}

function firstOf(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const found = textOf(path)?.trim();
    if (found) return found;
  }
  return undefined;
}

/** What a batch system or container gives us of the machine's memory, if less than all. */
function memoryLimit(): number | undefined {
  const limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
  const limit = Number(firstOf(limits) ?? Number.NaN);
  return limit > 0 && limit < os.totalmem() ? limit : undefined;
}

/** What could be had without swapping; what is merely not in use counts caches as gone. */
function availableMemory(): number {
  const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(textOf("/proc/meminfo") ?? "")?.[1];
  return kilobytes === undefined ? os.freemem() : Number(kilobytes) * 1024;
}

async function disk(path: string): Promise<{ total: Record<string, number>; free: Record<string, number> }> {
  try {
    const { bsize, blocks, bavail } = await files.statfs(path);
    return { total: { TotalDisk: inKilobytes(blocks * bsize) }, free: { Disk: inKilobytes(bavail * bsize) } };
  } catch {
    // Not to be had, or a Node that cannot tell it yet (18.15 can).
    return { total: {}, free: {} };
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

const inKilobytes = (bytes: number) => Math.floor(bytes / 1024);
const rounded = (value: number) => Math.round(value * 100) / 100;
