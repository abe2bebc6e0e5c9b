/** The clusters as one person sees them: may I use it, with which key, and if not, why not. */
import { z } from "zod";
import { expiryWarningMs, registration, untriedDrivers } from "@/core/clusters/registration";
import type { Prisma } from "@/generated/prisma/client";
import type { SessionUser } from "@/server/auth/session";
import { clusterAddress, clusterSettings } from "@/server/clusters/cluster-settings";
import type { Backend } from "./backend";
import { fitnessOfCluster } from "./clusters/agents";
import type { ClusterDetail, KeyView, RemovedCluster } from "./clusters/views";
import { liveAgents } from "./queries/live-agents";
import { notFound } from "./trpc";
import type { ClusterView } from "./views";

/** Plain text in the database, held to these words by its CHECK constraints. */
const access = z.enum(["everyone", "admins"]);
const isolation = z.enum(["accounts", "namespaces", "none"]);
const accountPolicy = z.enum(["own", "service", "either"]);

const keyColumns = {
  userId: true,
  login: true,
  fingerprint: true,
  createdAt: true,
  expiresAt: true,
  testedAt: true,
  testSentence: true,
} as const;

const columns = (user: SessionUser) =>
  ({
    id: true,
    name: true,
    driver: true,
    enabled: true,
    access: true,
    isolation: true,
    isolationNote: true,
    slots: true,
    draining: true,
    accountPolicy: true,
    address: true,
    queue: true,
    createdAt: true,
    // Of the service account's key only whether it is there; the detail shows it to admins.
    credentials: { where: { OR: [{ userId: user.id }, { userId: null }] }, select: keyColumns },
    health: { select: { account: true, ok: true, sentence: true, polledAt: true } },
  }) satisfies Prisma.ClusterSelect;

export async function listClusters(backend: Pick<Backend, "db" | "pool">, user: SessionUser): Promise<ClusterView[]> {
  const [clusters, counted] = await Promise.all([
    backend.db.cluster.findMany({
      where: { removedAt: null },
      orderBy: [{ createdAt: "asc" }, { id: "asc" }],
      select: columns(user),
    }),
    countedOf(backend),
  ]);
  return clusters.map((row) => viewOf(row, counted(row.id), user));
}

interface KeyRow extends Omit<KeyView, "expiry"> {
  userId: string | null;
}

interface Row {
  id: string;
  name: string;
  driver: string;
  enabled: boolean;
  access: string;
  isolation: string;
  isolationNote: string;
  slots: number;
  draining: boolean;
  accountPolicy: string;
  address: unknown;
  credentials: KeyRow[];
  health: { account: string; ok: boolean; sentence: string; polledAt: Date | null }[];
}

/** What is counted of all clusters at once. */
async function countedOf({ db, pool }: Pick<Backend, "db" | "pool">) {
  const [agents, hosts] = await Promise.all([
    liveAgents(pool),
    db.clusterHost.groupBy({ by: ["clusterId", "up"], _count: { _all: true } }),
  ]);
  const hostsOf = (id: string, up: boolean) =>
    hosts.find((row) => row.clusterId === id && row.up === up)?._count._all ?? 0;
  return (id: string) => {
    const up = hostsOf(id, true);
    const live = agents.get(id);
    return {
      agents: live?.agents ?? 0,
      liveSlots: live?.slots ?? 0,
      busySlots: live?.busy ?? 0,
      hosts: up + hostsOf(id, false),
      hostsUp: up,
    };
  };
}

function viewOf(
  row: Row,
  counts: Pick<ClusterView, "agents" | "liveSlots" | "busySlots" | "hosts" | "hostsUp">,
  user: SessionUser,
): ClusterView {
  const { id, name, driver, enabled, isolationNote, slots, draining } = row;
  const mine = row.credentials.find((key) => key.userId === user.id);
  const cluster = {
    ...{ id, name, driver, enabled, isolationNote, slots, draining },
    access: access.parse(row.access),
    isolation: isolation.parse(row.isolation),
    accountPolicy: accountPolicy.parse(row.accountPolicy),
    myKey: mine ? keyView(mine) : null,
  };
  const unusableBecause =
    whyUnusable(cluster, user) ??
    whyNoKey({ ...cluster, remote: row.address !== null, serviceKey: serviceKeyOf(row.credentials) });
  // What concerns one's own account first; else the account everybody uses.
  const health =
    row.health.find(({ account }) => account === user.id) ?? row.health.find(({ account }) => account === "service");
  return {
    ...cluster,
    untried: untriedDrivers.includes(driver),
    ...counts,
    health: health ? { ok: health.ok, sentence: health.sentence, at: health.polledAt } : null,
    usable: unusableBecause === null,
    unusableBecause,
  };
}

function serviceKeyOf(keys: readonly KeyRow[]): KeyView | null {
  const service = keys.find((key) => key.userId === null);
  return service ? keyView(service) : null;
}

export function whyUnusable(
  cluster: Pick<ClusterView, "enabled" | "draining" | "access" | "isolation">,
  user: Pick<SessionUser, "role">,
): string | null {
  if (!cluster.enabled) return "It is switched off.";
  if (cluster.draining) return "It is being drained: it finishes what it has and takes nothing new.";
  if (user.role === "admin") return null;
  if (cluster.isolation === "none") {
    return "Programs cannot be kept apart from the portal here, so only admins may run tasks on it.";
  }
  if (cluster.access === "admins") return "Only admins may run tasks on it.";
  return null;
}

/** A key is needed wherever the portal goes by SSH. */
export function whyNoKey(cluster: {
  remote: boolean;
  accountPolicy: ClusterView["accountPolicy"];
  myKey: Pick<KeyView, "expiry"> | null;
  serviceKey: Pick<KeyView, "expiry"> | null;
}): string | null {
  if (!cluster.remote) return null;
  const { accountPolicy: policy, myKey, serviceKey } = cluster;
  const works = (key: Pick<KeyView, "expiry"> | null) => key !== null && key.expiry !== "expired";
  if (policy !== "service" && works(myKey)) return null;
  if (policy !== "own" && works(serviceKey)) return null;
  if (policy === "service") {
    return serviceKey
      ? "The key of its service account has expired; an administrator can replace it."
      : "It has no key for its service account; an administrator can add one.";
  }
  return myKey ? "Your key for it has expired: replace it." : "It is used with your own account: add your key.";
}

export function keyView(key: Omit<KeyView, "expiry">, now = Date.now()): KeyView {
  const { login, fingerprint, createdAt, expiresAt, testedAt, testSentence } = key;
  const left = expiresAt ? expiresAt.getTime() - now : undefined;
  const expiry = left === undefined ? "none" : left <= 0 ? "expired" : left < expiryWarningMs ? "soon" : "later";
  return { login, fingerprint, createdAt, expiresAt, expiry, testedAt, testSentence };
}

export async function clusterDetail(
  { db, pool }: Pick<Backend, "db" | "pool">,
  user: SessionUser,
  id: string,
): Promise<ClusterDetail> {
  const row = await db.cluster.findFirst({
    where: { id, removedAt: null },
    select: { ...columns(user), hostKey: true, settings: true },
  });
  if (!row) throw notFound("cluster");
  const admin = user.role === "admin";
  const [counted, fitness, personalKeys] = await Promise.all([
    countedOf({ db, pool }),
    fitnessOfCluster(pool, id),
    admin ? db.credential.count({ where: { clusterId: id, userId: { not: null } } }) : null,
  ]);
  const address = row.address === null ? null : clusterAddress.parse(row.address);
  return {
    ...viewOf(row, counted(id), user),
    address: address && `${address.host}:${address.port}`,
    queue: row.queue,
    createdAt: row.createdAt,
    fitness,
    serviceKey: admin ? serviceKeyOf(row.credentials) : null,
    personalKeys,
    registration: admin && row.driver !== "local" ? registrationOf(row) : null,
  };
}

/** For the form and for tests: the row, with defaults for what an older portal did not ask. */
export function registrationOf(row: {
  name: string;
  driver: string;
  address: unknown;
  queue: string | null;
  access: string;
  accountPolicy: string;
  hostKey: string | null;
  settings: unknown;
}) {
  const address = row.address === null ? null : clusterAddress.parse(row.address);
  return registration.parse({
    ...{ name: row.name, driver: row.driver, queue: row.queue, hostKey: row.hostKey },
    address: address && { host: address.host, port: address.port },
    access: access.parse(row.access),
    accountPolicy: accountPolicy.parse(row.accountPolicy),
    settings: clusterSettings.parse(row.settings),
  });
}

export async function removedClusters({ db }: Pick<Backend, "db">): Promise<RemovedCluster[]> {
  const rows = await db.cluster.findMany({
    where: { removedAt: { not: null } },
    orderBy: { removedAt: "desc" },
    select: { id: true, name: true, driver: true, removedAt: true },
  });
  return rows.flatMap(({ removedAt, ...row }) => (removedAt ? [{ ...row, removedAt }] : []));
}
