/**
 * A registered cluster as its row says, read and checked: address and settings are JSON in the database, so nobody else takes
 * them at their word. Defaults are for a small shared cluster that should not notice us much.
 */
import { z } from "zod";
import type { ClusterId } from "@/core/engine/ids";
import type { Database } from "@/server/journal/pool";

export const clusterAddress = z.object({
  host: z.string().min(1).max(253),
  port: z.number().int().min(1).max(65535).default(22),
  /** Where the credential does not say it. */
  login: z.string().min(1).max(64).optional(),
});

export const clusterSettings = z.object({
  /** Tasks an agent works on at a time: the cores its job asks for. */
  slotsPerAgent: z.number().int().min(1).max(1024).default(1),
  memoryBytesPerAgent: z.number().int().positive().optional(),
  /** The job's time limit; the agent ends itself before it. */
  wallSeconds: z
    .number()
    .int()
    .min(60)
    .max(30 * 86_400)
    .default(4 * 3600),
  /** Most agents alive or on the way. */
  maxAgents: z.number().int().min(0).max(10_000).default(4),
  /** Most jobs that wait in the cluster's queue. */
  maxQueued: z.number().int().min(0).max(10_000).default(4),
  /** Most submissions a minute. */
  perMinute: z.number().int().min(1).max(6000).default(30),
  /** How far the cluster is, in milliseconds of a round trip; for people's ranks and for staging. */
  distance: z.number().min(0).max(100_000).default(0),
  linkMbps: z.number().positive().max(1_000_000).optional(),
  /** On the cluster; default: below the account's home. */
  workDirectory: z.string().min(1).max(4096).optional(),
  /** Only for what failed elsewhere. */
  failOver: z.boolean().default(false),
  /** How agents reach the portal: straight, or through the connection to the front end. */
  reach: z.enum(["direct", "tunnel"]).default("direct"),
  /** With a tunnel: the front end's name as the cluster's nodes know it; without it agents run on the front end itself. */
  relayHost: z
    .string()
    .regex(/^[A-Za-z0-9.-]{1,253}$/)
    .optional(),
  /** The portal's address as the cluster's nodes see it, where it is not the public one. */
  gatewayUrl: z.url().max(2048).optional(),
  pollSeconds: z.number().min(0.2).max(3600).default(5),
  /** An agent without Node, for one task at a time. */
  minimalAgent: z.boolean().default(false),
  /** Without work for so long, an agent ends itself. */
  idleSeconds: z.number().int().min(1).max(86_400).default(120),
  /** For the scheduler's commands: `SLURM_CONF`, `SGE_ROOT`, a `PATH` that has them. */
  environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(4096)).optional(),
  /** Grid Engine's for several cores on one host, and for MPI. */
  parallelEnvironments: z
    .object({ oneHost: z.string().max(255).optional(), manyHosts: z.string().max(255).optional() })
    .optional(),
});

export type ClusterAddress = z.infer<typeof clusterAddress>;
export type ClusterSettings = z.infer<typeof clusterSettings>;
export type AccountPolicy = "own" | "service" | "either";

export interface RegisteredCluster {
  /** Removed by an administrator; it is only here until nothing of ours is left on it. */
  removed: boolean;
  id: ClusterId;
  name: string;
  driver: string;
  enabled: boolean;
  draining: boolean;
  access: "everyone" | "admins";
  accountPolicy: AccountPolicy;
  /** Undefined: its commands run on the portal's own machine. */
  address?: ClusterAddress;
  queue?: string;
  hostKey?: string;
  settings: ClusterSettings;
}

interface Row {
  id: string;
  name: string;
  driver: string;
  enabled: boolean;
  draining: boolean;
  access: "everyone" | "admins";
  account_policy: AccountPolicy;
  address: unknown;
  queue: string | null;
  host_key: string | null;
  settings: unknown;
  removed: boolean;
}

/** Clusters agents are asked of; the portal's own agent is the supervisor's. `problems` has a sentence for each row that cannot be read. */
export async function registeredClusters(
  database: Database,
): Promise<{ clusters: RegisteredCluster[]; problems: { cluster: ClusterId; sentence: string }[] }> {
  const { rows } = await database.query<Row>(
    `SELECT id, name, driver, enabled, draining, access, account_policy, address, queue, host_key, settings,
            removed_at IS NOT NULL AS removed
     FROM portal.cluster WHERE id <> 'local' AND (removed_at IS NULL OR EXISTS
       (SELECT FROM engine.agent WHERE cluster = cluster.id AND asked_at IS NOT NULL AND ended_at IS NULL)) ORDER BY id`,
  );
  const clusters: RegisteredCluster[] = [];
  const problems: { cluster: ClusterId; sentence: string }[] = [];
  for (const row of rows) {
    const address = row.address === null ? undefined : clusterAddress.safeParse(row.address);
    const settings = clusterSettings.safeParse(row.settings);
    const wrong = address?.error ?? settings.error;
    if (wrong || !settings.success) {
      const where = wrong?.issues[0];
      const sentence = `The cluster's settings cannot be read (${where?.path.join(".") ?? ""}: ${where?.message ?? ""}).`;
      problems.push({ cluster: row.id, sentence });
      continue;
    }
    const { id, name, driver, enabled, draining, access, account_policy, removed } = row;
    clusters.push({
      ...{
        id,
        name,
        driver,
        removed,
        enabled,
        draining,
        access,
        accountPolicy: account_policy,
        settings: settings.data,
      },
      ...(address?.data && { address: address.data }),
      ...(row.queue !== null && { queue: row.queue }),
      ...(row.host_key !== null && { hostKey: row.host_key }),
    });
  }
  return { clusters, problems };
}
