/** Registering clusters through the API, on a real SSH host and a real Slurm: tests, keys, what is told to whom. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CredentialDraft, Registration } from "@/core/clusters/registration";
import type { SessionUser } from "@/server/auth/session";
import { findCredential } from "@/server/clusters/credentials";
import { makeSshKey } from "@/server/clusters/ssh-keys";
import { freePort } from "@/server/free-port";
import { SlurmCluster } from "@/server/testbed/slurm-for-tests";
import { SshHost } from "@/server/testbed/ssh-hosts-for-tests";
import type { Backend } from "../backend";
import { contextOf, startTestBackend, type TestBackend } from "../backend-for-tests";
import { createCaller } from "../root";
import type { TestView } from "./views";

let test: TestBackend;
let backend: Backend;
let admin: SessionUser;
let scientist: SessionUser;
let host: SshHost;
let slurm: SlurmCluster;

beforeAll(async () => {
  test = await startTestBackend({ maxUploadBytes: 1000 });
  backend = test.backend;
  admin = await test.person("admin");
  scientist = await test.person("scientist");
  [host, slurm] = await Promise.all([SshHost.start(), SlurmCluster.start({ nodes: 1 })]);
});

afterAll(async () => {
  await test?.stop();
  await host?.stop();
  await slurm?.stop();
});

const as = (person: SessionUser) => createCaller(contextOf(backend, person));

function registered(at: SshHost, more: Partial<Registration> = {}): Registration {
  return {
    name: "Bench",
    driver: "ssh",
    address: { host: at.target.host, port: at.target.port },
    queue: null,
    access: "everyone",
    accountPolicy: "service",
    hostKey: null,
    settings: {
      slotsPerAgent: 2,
      wallSeconds: 3600,
      maxAgents: 4,
      maxQueued: 4,
      perMinute: 30,
      distance: 0,
      failOver: false,
      reach: "direct",
      pollSeconds: 5,
      minimalAgent: false,
      idleSeconds: 120,
    },
    ...more,
  };
}

const keyOf = (at: SshHost): CredentialDraft => ({
  login: at.target.login,
  key: { is: "pasted", privateKey: at.target.privateKey },
  expiresAt: null,
});

/** Follows a test to its end; every view on the way. */
async function follow(person: SessionUser, id: string): Promise<TestView[]> {
  const views: TestView[] = [];
  for await (const view of await as(person).clusters.watchTest({ id })) views.push(view);
  return views;
}

async function tested(registration: Registration, credential: CredentialDraft): Promise<TestView> {
  const { id } = await as(admin).clusters.test({ registration, credential });
  const last = (await follow(admin, id)).at(-1);
  if (!last) throw new Error("The test told nothing.");
  return last;
}

describe("a test", () => {
  it("of an SSH host tells each step with its commands, and the host's key", async () => {
    const { id } = await as(admin).clusters.test({ registration: registered(host), credential: keyOf(host) });
    const views = await follow(admin, id);
    const last = views.at(-1);
    expect(last).toMatchObject({ ok: true, hostKey: { fingerprint: host.hostKey.fingerprint, known: false } });
    expect(last?.steps.map(({ step, ok }) => [step, ok])).toEqual(
      ["connect", "authenticate", "scheduler", "submit", "read-back"].map((step) => [step, true]),
    );
    expect(last?.steps.some(({ commands }) => commands.some(({ exitCode }) => exitCode === 0))).toBe(true);
    expect(views.length).toBeGreaterThan(2);
    expect(JSON.stringify(views)).not.toContain("PRIVATE KEY");
  });

  it("of Slurm, too", async () => {
    const front = await slurm.frontEnd();
    const result = await tested(registered(front, { driver: "slurm", queue: "main" }), keyOf(front));
    expect(result.steps.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
  });

  it("stops at the step that fails: no host, another's key, another host's key, no such queue", async () => {
    const nobody = { ...registered(host), address: { host: "127.0.0.1", port: await freePort() } };
    expect((await tested(nobody, keyOf(host))).steps).toMatchObject([{ step: "connect", ok: false }]);

    const { privateKey } = await makeSshKey("a stranger");
    const stranger: CredentialDraft = { ...keyOf(host), key: { is: "pasted", privateKey } };
    const refused = await tested(registered(host), stranger);
    expect(refused.ok).toBe(false);
    expect(refused.steps.map(({ step, ok }) => [step, ok])).toEqual([
      ["connect", true],
      ["authenticate", false],
    ]);

    const front = await slurm.frontEnd();
    const swapped = await tested(registered(host, { hostKey: front.hostKey.key }), keyOf(host));
    expect(swapped.steps).toMatchObject([{ step: "connect", ok: false }]);

    const queue = await tested(registered(front, { driver: "slurm", queue: "nowhere" }), keyOf(front));
    expect(queue.steps.at(-1)).toMatchObject({ step: "submit", ok: false });
  });

  it("is its starter's alone, and only so many run at a time", async () => {
    const { id } = await as(admin).clusters.test({ registration: registered(host), credential: keyOf(host) });
    await expect(follow(scientist, id)).rejects.toThrow("There is no such test.");
    await follow(admin, id);
    const begun = await Promise.allSettled(
      [1, 2, 3, 4].map(() => as(admin).clusters.test({ registration: registered(host), credential: keyOf(host) })),
    );
    const ids = begun.flatMap((one) => (one.status === "fulfilled" ? [one.value.id] : []));
    expect(ids).toHaveLength(3);
    await Promise.all(ids.map((one) => follow(admin, one)));
  });

  it("refuses a key with a passphrase or none at all, with a sentence", async () => {
    const key = { is: "pasted" as const, privateKey: host.target.privateKey.replace(/\n[^\n-]{30}/, "\n") };
    const broken = as(admin).clusters.test({ registration: registered(host), credential: { ...keyOf(host), key } });
    await expect(broken).rejects.toThrow("This is not a private key that ssh can read.");
  });
});

describe("a registered cluster", () => {
  it("needs the host's key, keeps the tested key sealed, and never answers with it", async () => {
    const unpinned = as(admin).clusters.add({ id: "bench", registration: registered(host), credential: keyOf(host) });
    await expect(unpinned).rejects.toThrow("Test it first");
    const { id, hostKey } = await tested(registered(host), keyOf(host));
    const registration = registered(host, { hostKey: hostKey?.line ?? null });
    await expect(as(admin).clusters.add({ id: "bench", registration })).rejects.toThrow("Give a key");
    await as(admin).clusters.add({ id: "bench", registration, credential: keyOf(host), test: id });
    await expect(as(admin).clusters.add({ id: "bench", registration, credential: keyOf(host) })).rejects.toThrow(
      "There is already a cluster with the short name “bench”.",
    );

    const detail = await as(admin).clusters.get({ id: "bench" });
    expect(detail).toMatchObject({
      usable: true,
      registration,
      serviceKey: { login: "root", testSentence: "Every step went well." },
    });
    const place = { cluster: "bench", user: null };
    const found = await findCredential(backend.pool, await backend.vault(), place, Date.now());
    expect(found).toMatchObject({ is: "usable", credential: { material: { privateKey: host.target.privateKey } } });
    const secret = host.target.privateKey.split("\n")[2] ?? "";
    const answers = [detail, await as(admin).clusters.list(), await as(admin).people.audit({}), await rows()];
    expect(JSON.stringify(answers, (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      secret,
    );
  });

  /** Everything the portal keeps that could hold a key in the clear. */
  async function rows() {
    const { rows: kept } = await backend.pool.query<{ row: string }>(
      `SELECT row_to_json(credential)::text AS row FROM portal.credential UNION ALL
       SELECT row_to_json(audit_log)::text FROM portal.audit_log UNION ALL SELECT row_to_json(cluster)::text FROM portal.cluster`,
    );
    return kept;
  }

  it("shows a scientist how it does, not how it is reached into", async () => {
    const detail = await as(scientist).clusters.get({ id: "bench" });
    expect(detail).toMatchObject({ usable: true, registration: null, serviceKey: null, personalKeys: null });
  });

  it("is tested with its stored key, drained, removed and brought back, and all of it is in the log", async () => {
    const { registration } = await as(admin).clusters.get({ id: "bench" });
    if (!registration) throw new Error("It has no registration.");
    const { id } = await as(admin).clusters.test({ id: "bench", registration });
    expect((await follow(admin, id)).at(-1)).toMatchObject({ ok: true, hostKey: { known: true } });

    await as(admin).clusters.setDraining({ id: "bench", draining: true });
    expect((await as(scientist).clusters.get({ id: "bench" })).unusableBecause).toContain("drained");
    await as(admin).clusters.setDraining({ id: "bench", draining: false });
    await as(admin).clusters.remove({ id: "bench" });
    await expect(as(admin).clusters.get({ id: "bench" })).rejects.toThrow("There is no such cluster.");
    await expect(as(admin).clusters.update({ id: "bench", registration })).rejects.toThrow("There is no such cluster.");
    expect(await as(admin).clusters.removed()).toMatchObject([{ id: "bench" }]);
    const again = as(admin).clusters.add({ id: "bench", registration, credential: keyOf(host) });
    await expect(again).rejects.toThrow("bring that one back");
    await as(admin).clusters.restore({ id: "bench" });
    expect(await as(admin).clusters.get({ id: "bench" })).toMatchObject({
      registration,
      serviceKey: { login: "root" },
    });

    const log = await as(admin).people.audit({ about: "cluster" });
    const actions = log.filter(({ subject }) => subject === "bench").map(({ action }) => action);
    expect(actions).toEqual(
      ["added", "tested", "drained", "resumed", "removed", "restored"].map((deed) => `cluster.${deed}`).reverse(),
    );
    expect(log[0]).toMatchObject({ actor: "admin", subjectName: "Bench" });
  });

  it("that is this machine cannot be changed or removed", async () => {
    await backend.db.cluster.create({
      data: { id: "local", name: "here", driver: "local", isolation: "none", isolationNote: "", slots: 2 },
      select: { id: true },
    });
    await expect(as(admin).clusters.remove({ id: "local" })).rejects.toThrow("There is no such cluster.");
  });
});

describe("a person's own key", () => {
  it("is asked for where the cluster is used with own accounts, tested, and warned of before it expires", async () => {
    const { registration } = await as(admin).clusters.get({ id: "bench" });
    if (!registration) throw new Error("It has no registration.");
    const notNeeded = as(scientist).keys.save({ cluster: "bench", credential: keyOf(host) });
    await expect(notNeeded).rejects.toThrow("nobody needs a key of their own");
    await as(admin).clusters.update({ id: "bench", registration: { ...registration, accountPolicy: "own" } });
    expect((await as(scientist).clusters.get({ id: "bench" })).unusableBecause).toContain("add your key");

    const made = await as(scientist).keys.make();
    expect(await as(scientist).keys.made()).toMatchObject([{ id: made.id, fingerprint: made.fingerprint }]);
    const credential: CredentialDraft = {
      login: "root",
      key: { is: "generated", id: made.id },
      expiresAt: new Date(Date.now() + 5 * 86_400_000),
    };
    await as(scientist).keys.save({ cluster: "bench", credential });
    expect(await as(scientist).keys.made()).toEqual([]);
    const first = await as(scientist).keys.test({ cluster: "bench" });
    expect((await follow(scientist, first.id)).at(-1)).toMatchObject({ ok: false });
    appendFileSync(join(host.directory, "authorized_keys"), `${made.publicKey}\n`);
    const second = await as(scientist).keys.test({ cluster: "bench" });
    expect((await follow(scientist, second.id)).at(-1)).toMatchObject({ ok: true });

    const { usable, myKey } = await as(scientist).clusters.get({ id: "bench" });
    expect(usable).toBe(true);
    expect(myKey).toMatchObject({ expiry: "soon", testSentence: "Every step went well." });
    expect((await as(admin).clusters.get({ id: "bench" })).personalKeys).toBe(1);
    await backend.pool.query("UPDATE portal.credential SET expires_at = now() - interval '1 minute'");
    expect((await as(scientist).clusters.get({ id: "bench" })).unusableBecause).toContain("expired");
    await as(scientist).keys.remove({ cluster: "bench" });
    await expect(as(scientist).keys.remove({ cluster: "bench" })).rejects.toThrow("There is no such key.");
  });

  it("is refused where only admins may use the cluster", async () => {
    await as(admin).clusters.setAccess({ id: "bench", access: "admins" });
    const refused = as(scientist).keys.save({ cluster: "bench", credential: keyOf(host) });
    await expect(refused).rejects.toThrow("Only admins may run tasks on it.");
  });
});

describe("accounts", () => {
  it("are made admins and disabled by other admins, never by oneself", async () => {
    await expect(as(admin).people.setRole({ id: admin.id, role: "scientist" })).rejects.toThrow("by another admin");
    await as(admin).people.setRole({ id: scientist.id, role: "admin" });
    await as(admin).people.setDisabled({ id: scientist.id, disabled: true });
    expect(await as(admin).people.list({ search: scientist.email })).toMatchObject([{ role: "admin", disabled: true }]);
  });
});
