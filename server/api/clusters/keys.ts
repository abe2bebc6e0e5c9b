/**
 * Keys to clusters as people bring them: pasted, or made by the portal, which then shows the public half only. No procedure ever
 * answers with a private key.
 */
import { randomUUID } from "node:crypto";
import { TRPCError } from "@trpc/server";
import type { CredentialDraft, KeySource } from "@/core/clusters/registration";
import type { SessionUser } from "@/server/auth/session";
import type { CredentialPlace, CredentialVault } from "@/server/clusters/credentials";
import { makeSshKey, readSshKey } from "@/server/clusters/ssh-keys";
import type { PortalDb } from "@/server/portal-db/client";
import type { Backend } from "../backend";
import { notFound } from "../trpc";
import type { MadeKeyView } from "./views";

type Transaction = Pick<PortalDb, "credential" | "madeKey">;

/** Not yet credentials, for each person; beyond it the oldest are forgotten. */
const mostMadeKeys = 20;

export async function makeKey({ db, vault }: Pick<Backend, "db" | "vault">, user: SessionUser): Promise<MadeKeyView> {
  const key = await makeSshKey(`gridloom ${user.email}`);
  const id = randomUUID();
  const sealed = seal(await vault(), placeOfMadeKey(id, user.id), key.privateKey);
  const view = { publicKey: key.publicKey, fingerprint: key.fingerprint, createdAt: new Date() };
  await db.$transaction(async (tx) => {
    const older = await tx.madeKey.findMany({
      where: { userId: user.id },
      orderBy: { createdAt: "desc" },
      skip: mostMadeKeys - 1,
      select: { id: true },
    });
    await tx.madeKey.deleteMany({ where: { id: { in: older.map((row) => row.id) } } });
    await tx.madeKey.create({ data: { id, userId: user.id, sealed, ...view }, select: { id: true } });
  });
  return { id, ...view };
}

/** Those that are waiting to become a credential, newest first: the public half may take days to install. */
export async function madeKeys({ db }: Pick<Backend, "db">, user: SessionUser): Promise<MadeKeyView[]> {
  return await db.madeKey.findMany({
    where: { userId: user.id },
    orderBy: { createdAt: "desc" },
    take: mostMadeKeys,
    select: { id: true, publicKey: true, fingerprint: true, createdAt: true },
  });
}

export interface BroughtKey {
  login: string;
  privateKey: string;
  fingerprint: string;
  expiresAt: Date | null;
  /** Made by the portal, and to be forgotten once it is a credential. */
  madeKey?: string;
}

/** The private key behind what a form says. Another's made key is as unknown as none. */
export async function bringKey(
  backend: Pick<Backend, "db" | "vault">,
  user: SessionUser,
  draft: CredentialDraft,
): Promise<BroughtKey> {
  if (draft.expiresAt && draft.expiresAt.getTime() <= Date.now()) {
    throw new TRPCError({ code: "BAD_REQUEST", message: "The key would have expired already: choose a later day." });
  }
  const { login, expiresAt } = draft;
  return { login, expiresAt, ...(await privateKeyOf(backend, user, draft.key)) };
}

async function privateKeyOf(
  { db, vault }: Pick<Backend, "db" | "vault">,
  user: SessionUser,
  source: KeySource,
): Promise<Pick<BroughtKey, "privateKey" | "fingerprint" | "madeKey">> {
  if (source.is === "pasted") {
    const read = await readSshKey(source.privateKey);
    if (read.is === "problem") throw new TRPCError({ code: "BAD_REQUEST", message: read.sentence });
    return read.key;
  }
  const row = await db.madeKey.findFirst({
    where: { id: source.id, userId: user.id },
    select: { sealed: true, fingerprint: true },
  });
  const opened = row && (await vault()).unseal(placeOfMadeKey(source.id, user.id), row.sealed);
  if (!row || !opened) throw notFound("key");
  return { privateKey: opened.privateKey, fingerprint: row.fingerprint, madeKey: source.id };
}

/** Puts it where a credential of this place was before. */
export async function storeKey(
  tx: Transaction,
  vault: CredentialVault,
  place: CredentialPlace,
  key: BroughtKey,
  tested: { at: Date; sentence: string } | undefined,
): Promise<void> {
  const data = {
    kind: "ssh-key",
    login: key.login,
    sealed: seal(vault, place, key.privateKey),
    fingerprint: key.fingerprint,
    expiresAt: key.expiresAt,
    testedAt: tested?.at ?? null,
    testSentence: tested?.sentence ?? null,
    createdAt: new Date(),
  };
  // Not an upsert: a unique index over NULL (the service account) is none to Prisma.
  await tx.credential.deleteMany({ where: { clusterId: place.cluster, userId: place.user } });
  await tx.credential.create({
    data: { clusterId: place.cluster, userId: place.user, ...data },
    select: { id: true },
  });
  if (key.madeKey) await tx.madeKey.deleteMany({ where: { id: key.madeKey } });
}

function seal(vault: CredentialVault, place: CredentialPlace, privateKey: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(vault.seal(place, { kind: "ssh-key", privateKey }));
}

/** A made key is sealed for its own row: it opens as no cluster's credential. Cluster ids have no colon. */
function placeOfMadeKey(id: string, user: string): CredentialPlace {
  return { cluster: `made-key:${id}`, user };
}
