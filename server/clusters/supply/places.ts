/**
 * The places that are in use: one for each cluster and account that has something to do there, or had. A place whose connection would be
 * another one now (address, key, driver) is closed and opened anew; its agents stay, because they are in the database.
 */
import type { Logger } from "pino";
import type { AgentId, ClusterId } from "@/core/engine/ids";
import type { Pool } from "@/server/journal/pool";
import type { RegisteredCluster } from "../cluster-settings";
import type { ClusterDriver } from "../driver";
import type { KnownCredential } from "./accounts";
import type { Account, AskedAgent } from "./agent-rows";
import { noteHealth } from "./health";
import { HostBook } from "./host-book";
import { Place } from "./place";

export interface OpenedPlace {
  driver: ClusterDriver;
  close(): Promise<void>;
}

/** Opens the way to a cluster under an account; throws with a sentence if that cannot be. Nothing is spoken yet. */
export type PlaceMaker = (cluster: RegisteredCluster, account: Account) => Promise<OpenedPlace>;

export interface PlacesOptions {
  pool: Pool;
  log: Logger;
  makePlace: PlaceMaker;
  isOurs(agent: AgentId): boolean;
  onNews(): void;
}

export interface InUse {
  clusters: readonly RegisteredCluster[];
  agents: readonly AskedAgent[];
  credentials: readonly KnownCredential[];
  /** Cluster and account of everybody who wants something. */
  wanted: readonly { cluster: ClusterId; account: Account }[];
  now: number;
}

interface Held {
  /** Everything the connection depends on. */
  identity: string;
  place: Place;
  opened: OpenedPlace;
  hosts: HostBook | undefined;
}

const idleMs = 600_000;
const tryAgainMs = 30_000;

export class Places {
  private readonly held = new Map<string, Held>();
  private readonly failedAt = new Map<string, number>();

  constructor(private readonly options: PlacesOptions) {}

  get(cluster: ClusterId, account: Account): Place | undefined {
    return this.held.get(keyOf(cluster, account))?.place;
  }

  inUse(): { cluster: ClusterId; account: Account }[] {
    return [...this.held.values()].map(({ place }) => ({ cluster: place.cluster.id, account: place.account }));
  }

  /** The last time it was spoken with went well. */
  isHealthy(cluster: ClusterId, account: Account): boolean {
    return this.get(cluster, account)?.healthy === true;
  }

  async keep(inUse: InUse): Promise<void> {
    const needed = this.needed(inUse);
    for (const [key, { cluster, account }] of needed) {
      const identity = identityOf(cluster, account, inUse.credentials);
      const held = this.held.get(key);
      if (held && held.identity === identity) {
        held.place.cluster = cluster;
        held.place.usedAt = inUse.now;
        continue;
      }
      if (held) await this.close(key, held);
      await this.open(key, identity, cluster, account, inUse.now);
    }
    for (const [key, held] of this.held) {
      if (!needed.has(key) && held.place.isIdle && inUse.now - held.place.usedAt > idleMs) await this.close(key, held);
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.held].map(([key, held]) => this.close(key, held)));
  }

  private needed({ clusters, agents, credentials, wanted }: InUse) {
    const byId = new Map(clusters.map((cluster) => [cluster.id, cluster]));
    const needed = new Map<string, { cluster: RegisteredCluster; account: Account }>();
    const need = (id: ClusterId, account: Account) => {
      const cluster = byId.get(id);
      const hasKey = !cluster?.address || credentials.some((one) => one.cluster === id && one.account === account);
      if (cluster && hasKey) needed.set(keyOf(id, account), { cluster, account });
    };
    for (const { cluster, account } of wanted) need(cluster, account);
    for (const { cluster, account, endedAt } of agents) if (endedAt === null) need(cluster, account);
    // The service account also looks after the hosts, and finds what an earlier portal left behind.
    for (const { id, enabled, removed, accountPolicy } of clusters) {
      if (enabled && !removed && accountPolicy !== "own") need(id, null);
    }
    return needed;
  }

  private async open(key: string, identity: string, cluster: RegisteredCluster, account: Account, now: number) {
    if (now - (this.failedAt.get(key) ?? 0) < tryAgainMs) return;
    const { pool, log, makePlace, isOurs, onNews } = this.options;
    try {
      const opened = await makePlace(cluster, account);
      const place = new Place({ pool, log, cluster, account, driver: opened.driver, isOurs, onNews });
      const looksAfterHosts = cluster.enabled && (account === null || cluster.accountPolicy === "own");
      const hosts = looksAfterHosts
        ? new HostBook({ pool, log, cluster: cluster.id, driver: opened.driver })
        : undefined;
      this.held.set(key, { identity, place, opened, hosts });
      this.failedAt.delete(key);
    } catch (error) {
      this.failedAt.set(key, now);
      const sentence = error instanceof Error ? error.message : String(error);
      await noteHealth(pool, { cluster: cluster.id, account, ok: false, sentence, failures: 1, polled: false });
    }
  }

  private async close(key: string, { place, opened, hosts }: Held): Promise<void> {
    this.held.delete(key);
    hosts?.stop();
    await place.stop();
    opened.close().catch((error: unknown) => this.options.log.debug({ err: error }, "a connection did not close"));
  }
}

function keyOf(cluster: ClusterId, account: Account): string {
  return `${cluster}\n${account ?? ""}`;
}

function identityOf(cluster: RegisteredCluster, account: Account, credentials: readonly KnownCredential[]): string {
  const { id, driver, address, queue, hostKey, enabled, settings } = cluster;
  const credential = credentials.find((one) => one.cluster === id && one.account === account);
  const { environment, parallelEnvironments, workDirectory } = settings;
  return JSON.stringify([
    ...[driver, address, queue, hostKey, enabled, environment, parallelEnvironments, workDirectory],
    credential?.version,
  ]);
}
