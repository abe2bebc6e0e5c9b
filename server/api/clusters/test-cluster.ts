/** Starts a test of a cluster: of what a form says before it is stored, or of what is stored, with the key that would be used. */
import { TRPCError } from "@trpc/server";
import type { CredentialDraft, Registration } from "@/core/clusters/registration";
import type { SessionUser } from "@/server/auth/session";
import { type CredentialPlace, findCredential } from "@/server/clusters/credentials";
import { recordAudit } from "@/server/portal-db/audit";
import type { Backend } from "../backend";
import { registrationOf, whyUnusable } from "../cluster-views";
import { notFound } from "../trpc";
import { bringKey } from "./keys";
import { placeOfKey } from "./register";
import type { ClusterTest } from "./tests";

/** As an admin's form says it, with the key in it, or the stored one of the cluster that is being changed. */
export async function testRegistration(
  backend: Backend,
  admin: SessionUser,
  request: { id?: string | undefined; registration: Registration; credential?: CredentialDraft | undefined },
): Promise<{ id: string }> {
  const { id, registration, credential } = request;
  if (registration.address === null) return start(backend, admin, { registration, key: null }, id);
  if (credential) {
    const key = await bringKey(backend, admin, credential);
    return start(backend, admin, { registration, key }, id);
  }
  if (id === undefined) throw refusal("Give a key to test with.");
  const place = placeOfKey(id, registration, admin);
  return start(backend, admin, { registration, key: await storedKey(backend, place) }, id, place);
}

/** A person's own key on a cluster they may use. */
export async function testOwnKey(backend: Backend, user: SessionUser, cluster: string): Promise<{ id: string }> {
  const registration = await registrationForOwnKey(backend, user, cluster);
  const place = { cluster, user: user.id };
  return start(backend, user, { registration, key: await storedKey(backend, place) }, cluster, place);
}

/** What is stored of a cluster this person may have a key for; admins may have one for any with accounts of people's own. */
export async function registrationForOwnKey(
  { db }: Pick<Backend, "db">,
  user: SessionUser,
  cluster: string,
): Promise<Registration> {
  const row = await db.cluster.findFirst({
    where: { id: cluster, removedAt: null, driver: { not: "local" } },
    select: {
      name: true,
      driver: true,
      address: true,
      queue: true,
      access: true,
      accountPolicy: true,
      hostKey: true,
      settings: true,
    },
  });
  if (!row) throw notFound("cluster");
  const registration = registrationOf(row);
  if (registration.accountPolicy === "service" || registration.address === null) {
    throw refusal("This cluster is used with a service account: nobody needs a key of their own.");
  }
  const why = whyUnusable({ enabled: true, draining: false, isolation: "accounts", access: registration.access }, user);
  if (why) throw new TRPCError({ code: "FORBIDDEN", message: why });
  return registration;
}

async function storedKey({ pool, vault }: Backend, place: CredentialPlace) {
  const found = await findCredential(pool, await vault(), place, Date.now());
  if (found.is !== "usable") throw refusal(found.sentence);
  const { login, material } = found.credential;
  return { login, privateKey: material.privateKey };
}

async function start(
  backend: Backend,
  user: SessionUser,
  target: Parameters<Backend["tests"]["start"]>[1],
  cluster: string | undefined,
  stored?: CredentialPlace,
): Promise<{ id: string }> {
  const { driver, address } = target.registration;
  await recordAudit(backend.db, {
    actor: user.id,
    action: "cluster.tested",
    subject: cluster ?? target.registration.driver,
    details: { driver, ...(address && { address }), ...(target.key && { login: target.key.login }) },
  });
  const onEnd = stored && ((test: ClusterTest) => noteTest(backend, stored, test));
  return { id: backend.tests.start(user.id, target, onEnd).id };
}

async function noteTest({ db }: Pick<Backend, "db">, place: CredentialPlace, test: ClusterTest): Promise<void> {
  await db.credential.updateMany({
    where: { clusterId: place.cluster, userId: place.user },
    data: { testedAt: test.endedAt ?? new Date(), testSentence: test.summary() },
  });
}

function refusal(message: string): TRPCError {
  return new TRPCError({ code: "BAD_REQUEST", message });
}
