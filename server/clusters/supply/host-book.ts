/**
 * The hosts of a cluster: what rarely changes of them every five minutes, what they are doing every half minute, on timers of their own
 * beside the polls. What is not seen any more is removed with the next discovery.
 */
import type { Logger } from "pino";
import type { ClusterId } from "@/core/engine/ids";
import type { Pool } from "@/server/journal/pool";
import { storableJson, storableText } from "@/server/journal/storable-text";
import type { ClusterDriver, DiscoveredHost, HostReading } from "../driver";

export interface HostBookOptions {
  pool: Pool;
  log: Logger;
  cluster: ClusterId;
  driver: ClusterDriver;
  discoverMs?: number;
  lookMs?: number;
}

const mostHosts = 20_000;

export class HostBook {
  private readonly timers: NodeJS.Timeout[] = [];
  private stopped = false;

  constructor(private readonly options: HostBookOptions) {
    const { discoverMs = 300_000, lookMs = 30_000 } = options;
    void this.again(discoverMs, () => this.discover()).then(() => this.again(lookMs, () => this.look()));
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  /** Now, and then after each pause; a call that hangs delays only itself. Trouble is told by the polls. */
  private async again(pauseMs: number, work: () => Promise<void>): Promise<void> {
    if (this.stopped) return;
    try {
      await work();
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      this.options.log.debug({ cluster: this.options.cluster, sentence }, "hosts could not be read");
    }
    if (this.stopped) return;
    this.timers.push(setTimeout(() => void this.again(pauseMs, work), pauseMs));
    if (this.timers.length > 4) this.timers.splice(0, this.timers.length - 4);
  }

  private async discover(): Promise<void> {
    const { pool, cluster, driver } = this.options;
    const hosts = unique(await driver.discover());
    await pool.query(
      `INSERT INTO portal.cluster_host (cluster_id, name, facts, up, discovered_at)
       SELECT $1, name, facts, true, now() FROM unnest($2::text[], $3::jsonb[]) AS b (name, facts)
       WHERE EXISTS (SELECT FROM portal.cluster WHERE id = $1)
       ON CONFLICT (cluster_id, name) DO UPDATE SET facts = excluded.facts, discovered_at = excluded.discovered_at`,
      [cluster, hosts.map(({ name }) => name), hosts.map((host) => storableJson(factsOf(host)))],
    );
    await pool.query("DELETE FROM portal.cluster_host WHERE cluster_id = $1 AND name <> ALL ($2::text[])", [
      cluster,
      hosts.map(({ name }) => name),
    ]);
    await pool.query("SELECT pg_notify('gridloom_cluster', $1)", [cluster]);
  }

  private async look(): Promise<void> {
    const { pool, cluster, driver } = this.options;
    const readings = unique(await driver.look());
    await pool.query(
      `UPDATE portal.cluster_host SET reading = b.reading, up = b.up, read_at = now()
       FROM unnest($2::text[], $3::jsonb[], $4::boolean[]) AS b (name, reading, up)
       WHERE cluster_id = $1 AND cluster_host.name = b.name`,
      [
        cluster,
        readings.map(({ name }) => name),
        readings.map((reading) => storableJson(readingOf(reading))),
        readings.map(({ up }) => up),
      ],
    );
    await pool.query("SELECT pg_notify('gridloom_cluster', $1)", [cluster]);
  }
}

function unique<T extends { name: string }>(hosts: readonly T[]): T[] {
  const byName = new Map(hosts.slice(0, mostHosts).map((host) => [storableText(host.name), host]));
  return [...byName].map(([name, host]) => ({ ...host, name }));
}

/** As expressions will see them: what the driver found, and its own numbers under their usual names. */
function factsOf({ cpus, memoryBytes, arch, os, attributes }: DiscoveredHost): Record<string, unknown> {
  return {
    Cpus: cpus,
    ...(memoryBytes !== undefined && { Memory: Math.floor(memoryBytes / 1024 ** 2) }),
    ...(arch !== undefined && { Arch: arch }),
    ...(os !== undefined && { OpSys: os }),
    ...attributes,
  };
}

function readingOf({ up, freeCpus, load, freeMemoryBytes, reason, attributes }: HostReading): Record<string, unknown> {
  return {
    Up: up,
    ...(freeCpus !== undefined && { FreeCpus: freeCpus }),
    ...(load !== undefined && { LoadAvg: load }),
    ...(freeMemoryBytes !== undefined && { FreeMemory: Math.floor(freeMemoryBytes / 1024 ** 2) }),
    ...(reason !== undefined && { Reason: reason }),
    ...attributes,
  };
}
