/** The hosts of a cluster: as its driver found and read them, and those only their agents tell of. */
import { z } from "zod";
import { describeHost } from "@/core/engine/host-facts";
import type { ClusterId } from "@/core/engine/ids";
import { hostFacts } from "@/core/protocol/agent";
import type { Backend } from "../backend";
import type { Attribute, HostView } from "./views";

/** As expressions see them; JSON another part wrote, so what is not as expected is left out, not guessed. */
const attributes = z.record(z.string(), z.unknown()).catch({});
const megabyte = 1024 ** 2;
const mostHosts = 5000;

export async function hostsOfCluster(
  { db, pool }: Pick<Backend, "db" | "pool">,
  cluster: ClusterId,
): Promise<HostView[]> {
  const [found, told] = await Promise.all([
    db.clusterHost.findMany({
      where: { clusterId: cluster },
      orderBy: { name: "asc" },
      take: mostHosts,
      select: { name: true, up: true, facts: true, reading: true, discoveredAt: true, readAt: true },
    }),
    pool.query<{ host: unknown; slots: number; busy: number | null; readings: unknown; seen: Date }>(
      `SELECT DISTINCT ON (host ->> 'name') host, slots, held AS busy, readings, last_seen_at AS seen FROM engine.agent
       WHERE cluster = $1 AND host IS NOT NULL AND state = 'joined' AND last_seen_at > now() - interval '1 minute'
       ORDER BY host ->> 'name', last_seen_at DESC`,
      [cluster],
    ),
  ]);
  const hosts = found.map((row): HostView => {
    const facts = attributes.parse(row.facts);
    const reading = attributes.parse(row.reading ?? {});
    return {
      ...{ name: row.name, up: row.up, discoveredAt: row.discoveredAt, readAt: row.readAt },
      cpus: amount(facts.Cpus),
      memoryBytes: amount(facts.Memory, megabyte),
      arch: word(facts.Arch),
      os: word(facts.OpSys),
      freeCpus: amount(reading.FreeCpus),
      load: amount(reading.LoadAvg),
      freeMemoryBytes: amount(reading.FreeMemory, megabyte),
      reason: row.up ? null : word(reading.Reason),
      staticAttributes: listed(facts),
      dynamicAttributes: listed(reading),
    };
  });
  const known = new Set(hosts.flatMap(({ name }) => [name, shortName(name)]));
  for (const row of told.rows) {
    const host = hostFacts.safeParse(row.host).data;
    if (!host || known.has(host.name) || known.has(shortName(host.name))) continue;
    const { facts = {}, memoryBytes } = describeHost(host);
    const readings = attributes.parse(row.readings ?? {});
    hosts.push({
      ...{ name: host.name, up: true, cpus: host.cpus, memoryBytes: memoryBytes ?? null, freeCpus: null, reason: null },
      ...{ arch: host.arch, os: host.os, load: amount(readings.LoadAvg) },
      freeMemoryBytes: amount(readings.FreeMemory, megabyte),
      staticAttributes: listed(facts),
      dynamicAttributes: listed({
        ...readings,
        Slots: row.slots,
        ...(row.busy !== null && { RunningJobs: row.busy }),
      }),
      discoveredAt: null,
      readAt: row.seen,
    });
  }
  return hosts;
}

function amount(value: unknown, unit = 1): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value * unit : null;
}

function word(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function shortName(name: string): string {
  return /^[\d.:]+$/.test(name) ? name : (name.split(".")[0] ?? name);
}

function listed(values: Record<string, unknown>): Attribute[] {
  return Object.entries(values)
    .map(([name, value]) => ({ name, value: typeof value === "string" ? value : JSON.stringify(value) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
