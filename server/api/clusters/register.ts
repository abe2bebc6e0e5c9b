/** An admin registers, changes, drains, removes and brings back a cluster: stored, logged and told to the other parts in one transaction. */
import { TRPCError } from "@trpc/server";
import { type CredentialDraft, hostKeyMissing, type Registration } from "@/core/clusters/registration";
import { Prisma } from "@/generated/prisma/client";
import type { SessionUser } from "@/server/auth/session";
import { type AuditAction, recordAudit } from "@/server/portal-db/audit";
import type { Backend } from "../backend";
import { notFound } from "../trpc";
import { type BroughtKey, bringKey, storeKey } from "./keys";

/** Far more than anybody has; so that a script gone wild does not fill the database. */
const mostClusters = 200;

export interface RegisterRequest {
  id: string;
  registration: Registration;
  credential?: CredentialDraft | undefined;
  /** The test that was made of this very registration and key. */
  test?: string | undefined;
}

export async function addCluster(backend: Backend, admin: SessionUser, request: RegisterRequest): Promise<void> {
  const { id, registration } = request;
  const key = await checked(backend, admin, request);
  if (registration.address !== null && !key) throw refusal("Give a key: without one nothing can be started there.");
  const vault = await backend.vault();
  await backend.db.$transaction(async (tx) => {
    if ((await tx.cluster.count()) >= mostClusters)
      throw refusal(`At most ${mostClusters} clusters can be registered.`);
    const taken = await tx.cluster.findUnique({ where: { id }, select: { removedAt: true } });
    if (taken) {
      const message = taken.removedAt
        ? `A removed cluster has the short name “${id}”: bring that one back, or choose another.`
        : `There is already a cluster with the short name “${id}”.`;
      throw new TRPCError({ code: "CONFLICT", message });
    }
    await tx.cluster.create({ data: { id, ...columns(registration) }, select: { id: true } });
    if (key) await storeKey(tx, vault, placeOfKey(id, registration, admin), key, testOf(backend, admin, request.test));
    await told(tx, admin, id, "cluster.added", auditDetails(registration, key));
  });
}

export async function updateCluster(backend: Backend, admin: SessionUser, request: RegisterRequest): Promise<void> {
  const { id, registration } = request;
  const key = await checked(backend, admin, request);
  const vault = await backend.vault();
  await backend.db.$transaction(async (tx) => {
    const changed = await tx.cluster.updateMany({ where: registered(id), data: columns(registration) });
    if (changed.count === 0) throw notFound("cluster");
    if (key) await storeKey(tx, vault, placeOfKey(id, registration, admin), key, testOf(backend, admin, request.test));
    await told(tx, admin, id, "cluster.changed", auditDetails(registration, key));
  });
}

export type ClusterDeed = "drain" | "resume" | "remove" | "restore";

const deeds: Record<ClusterDeed, { action: AuditAction; data: () => Prisma.ClusterUpdateManyMutationInput }> = {
  drain: { action: "cluster.drained", data: () => ({ draining: true }) },
  resume: { action: "cluster.resumed", data: () => ({ draining: false }) },
  remove: { action: "cluster.removed", data: () => ({ removedAt: new Date() }) },
  restore: { action: "cluster.restored", data: () => ({ removedAt: null }) },
};

/** Removing keeps everything, keys included, so that it can be undone. */
export async function actOnCluster(
  { db }: Pick<Backend, "db">,
  admin: SessionUser,
  id: string,
  deed: ClusterDeed,
): Promise<void> {
  const { action, data } = deeds[deed];
  const where = deed === "restore" ? { id, removedAt: { not: null } } : registered(id);
  await db.$transaction(async (tx) => {
    const changed = await tx.cluster.updateMany({ where, data: data() });
    if (changed.count === 0) throw notFound("cluster");
    await told(tx, admin, id, action, {});
  });
}

/** The cluster `local` registers itself at every start: what is said of it here would not last. */
const registered = (id: string) => ({ id, removedAt: null, driver: { not: "local" } });

async function checked(
  backend: Backend,
  admin: SessionUser,
  request: RegisterRequest,
): Promise<BroughtKey | undefined> {
  const { registration, credential } = request;
  if (registration.address !== null && registration.hostKey === null) throw refusal(hostKeyMissing);
  if (registration.address === null || !credential) return undefined;
  return await bringKey(backend, admin, credential);
}

/** Where everybody brings their own, so does the admin who registers it. */
export function placeOfKey(
  cluster: string,
  { accountPolicy }: Pick<Registration, "accountPolicy">,
  admin: SessionUser,
) {
  return { cluster, user: accountPolicy === "own" ? admin.id : null };
}

function testOf({ tests }: Backend, admin: SessionUser, id: string | undefined) {
  const test = id === undefined ? undefined : tests.find(admin.id, id);
  return test?.endedAt ? { at: test.endedAt, sentence: test.summary() } : undefined;
}

function columns(registration: Registration) {
  const { name, driver, address, queue, access, accountPolicy, hostKey, settings } = registration;
  return {
    ...{ name, driver, queue, access, accountPolicy, settings },
    address: address ?? Prisma.DbNull,
    hostKey: address === null ? null : hostKey,
    slots: settings.maxAgents * settings.slotsPerAgent,
    ...isolationOf(registration),
  };
}

function isolationOf({ address, accountPolicy }: Registration) {
  if (address === null) {
    return {
      isolation: "none",
      isolationNote:
        "Its jobs run on the portal's own machine under the portal's account, so only administrators may use it.",
    };
  }
  const notes: Record<Registration["accountPolicy"], string> = {
    own: "Each person's tasks run under their own account of the cluster.",
    service: "All people's tasks run there under one account, which the portal's agents share.",
    either: "Tasks run under a person's own account where they gave a key, otherwise under one account that is shared.",
  };
  return { isolation: "accounts", isolationNote: notes[accountPolicy] };
}

function auditDetails({ hostKey, ...registration }: Registration, key: BroughtKey | undefined): Prisma.InputJsonObject {
  return { ...registration, ...(key && { login: key.login, fingerprint: key.fingerprint }) };
}

async function told(
  tx: Prisma.TransactionClient,
  admin: SessionUser,
  id: string,
  action: AuditAction,
  details: Prisma.InputJsonObject,
): Promise<void> {
  await recordAudit(tx, { actor: admin.id, action, subject: id, details });
  await tx.$executeRaw`SELECT pg_notify('gridloom_cluster', ${id})`;
}

function refusal(message: string): TRPCError {
  return new TRPCError({ code: "BAD_REQUEST", message });
}
