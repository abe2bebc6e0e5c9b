/**
 * Goes over every procedure of the API with another person's ids. A new procedure that is not in the table below
 * fails this test, so nobody forgets to say whose it is.
 */
import { randomUUID } from "node:crypto";
import { callTRPCProcedure, TRPCError } from "@trpc/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Registration } from "@/core/clusters/registration";
import type { SessionUser } from "@/server/auth/session";
import type { Backend } from "./backend";
import { contextOf, startTestBackend, type TestBackend } from "./backend-for-tests";
import { downloadArchive, downloadFile, downloadRescue } from "./downloads";
import { appRouter, createCaller } from "./root";
import { recordUpload } from "./uploads";

let test: TestBackend;
let backend: Backend;
let alice: SessionUser;
let bob: SessionUser;
/** Alice's things, and things that do not exist. */
let hers: Ids;
const nobodys: Ids = {
  workflow: randomUUID(),
  run: randomUUID(),
  sha256: "0".repeat(64),
  key: randomUUID(),
  test: randomUUID(),
  cluster: "unknown",
};

interface Ids {
  workflow: string;
  run: string;
  sha256: string;
  /** A key pair the portal made for her. */
  key: string;
  /** A test she started. */
  test: string;
  /** One that was removed. */
  cluster: string;
}

const registration: Registration = {
  name: "Fermi",
  driver: "slurm",
  address: { host: "127.0.0.1", port: 1 },
  queue: null,
  access: "everyone",
  accountPolicy: "own",
  hostKey: null,
  settings: {
    slotsPerAgent: 1,
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
};

const source = 'graph tightly-coupled\ntask A -e "cat in.txt > a.out" -i in.txt -o a.out\n';

type Rule =
  /** Another's id is answered like an unknown one. */
  | { is: "not-found"; input: (ids: Ids) => unknown }
  /** Only for admins. */
  | { is: "admin"; input: unknown }
  /** Takes no ids of others; answers with the caller's own things. */
  | { is: "own"; input: unknown }
  /** Anyone may ask; there is nothing of anybody in it. */
  | { is: "public"; input: unknown };

const own = (input: unknown = undefined): Rule => ({ is: "own", input });
const notFound = (input: (ids: Ids) => unknown): Rule => ({ is: "not-found", input });
const files = (ids: Ids) => [{ name: "in.txt", sha256: ids.sha256 }];

const rules: Record<string, Rule> = {
  "account.me": { is: "public", input: undefined },
  "account.needsFirstAccount": { is: "public", input: undefined },
  "account.signInOptions": { is: "public", input: undefined },
  "account.signUp": {
    is: "public",
    input: { email: "carol@example.org", name: "Carol", password: "warp and weft 77" },
  },
  "workflows.list": own({}),
  "workflows.get": notFound((ids) => ({ id: ids.workflow })),
  "workflows.create": notFound((ids) => ({ name: "mine", source, files: files(ids) })),
  "workflows.update": notFound((ids) => ({ id: ids.workflow, name: "stolen" })),
  "workflows.remove": notFound((ids) => ({ id: ids.workflow })),
  "workflows.restore": notFound((ids) => ({ id: ids.workflow })),
  "workflows.check": notFound((ids) => ({ text: source, uploads: files(ids) })),
  "runs.start": notFound((ids) => ({ workflowId: ids.workflow })),
  "runs.list": own({}),
  "runs.get": notFound((ids) => ({ id: ids.run })),
  "runs.graph": notFound((ids) => ({ id: ids.run })),
  "runs.states": notFound((ids) => ({ id: ids.run })),
  "runs.live": notFound((ids) => ({ id: ids.run })),
  "runs.watchList": own({}),
  "runs.kill": notFound((ids) => ({ id: ids.run })),
  "runs.retryFailed": notFound((ids) => ({ id: ids.run })),
  "runs.changePolicies": notFound((ids) => ({ id: ids.run, policies: { rank: "0" } })),
  "runs.waiting": notFound((ids) => ({ id: ids.run })),
  "runs.events": notFound((ids) => ({ id: ids.run })),
  "tasks.get": notFound((ids) => ({ run: ids.run, task: 0 })),
  "tasks.migrate": notFound((ids) => ({ run: ids.run, task: 0 })),
  "tasks.resume": notFound((ids) => ({ run: ids.run, task: 0 })),
  "tasks.output": notFound((ids) => ({ run: ids.run, task: 0, ordinal: 1, stream: "stdout" })),
  "files.list": notFound((ids) => ({ run: ids.run })),
  "directory.search": notFound((ids) => ({ run: ids.run, task: "A" })),
  "directory.searchAll": { is: "admin", input: {} },
  "clusters.list": own(),
  "clusters.activity": own(),
  "clusters.get": own({ id: "local" }),
  "clusters.hosts": own({ id: "local" }),
  "clusters.agents": own({ id: "local" }),
  "clusters.commands": { is: "admin", input: { id: "local" } },
  "clusters.add": { is: "admin", input: { id: "fermi", registration } },
  "clusters.update": { is: "admin", input: { id: "fermi", registration } },
  "clusters.test": { is: "admin", input: { registration } },
  "clusters.watchTest": notFound((ids) => ({ id: ids.test })),
  "clusters.setDraining": { is: "admin", input: { id: "local", draining: true } },
  "clusters.remove": { is: "admin", input: { id: "local" } },
  "clusters.restore": { is: "admin", input: { id: "local" } },
  "clusters.removed": { is: "admin", input: undefined },
  "keys.make": own(),
  "keys.made": own(),
  "keys.save": notFound((ids) => ({
    cluster: "shared",
    credential: { login: "bob", key: { is: "generated", id: ids.key }, expiresAt: null },
  })),
  "keys.test": notFound((ids) => ({ cluster: ids.cluster })),
  "keys.remove": notFound(() => ({ cluster: "shared" })),
  "people.list": { is: "admin", input: {} },
  "people.setRole": { is: "admin", input: { id: nobodys.workflow, role: "admin" } },
  "people.setDisabled": { is: "admin", input: { id: nobodys.workflow, disabled: true } },
  "people.audit": { is: "admin", input: {} },
  "clusters.setEnabled": { is: "admin", input: { id: "local", enabled: false } },
  "clusters.setAccess": { is: "admin", input: { id: "local", access: "admins" } },
  "hosts.toMatch": own(),
  "samples.list": own(),
  "samples.start": notFound(() => ({ sampleId: "no such sample" })),
};

/** The first answer of a procedure, subscriptions included. */
async function call(user: SessionUser | null, path: string, input: unknown): Promise<unknown> {
  const end = new AbortController();
  const type = procedures.get(path);
  if (!type) throw new Error(`There is no procedure ${path}.`);
  const answer: unknown = await callTRPCProcedure({
    router: appRouter,
    path,
    type,
    ctx: contextOf(backend, user),
    getRawInput: async () => input,
    signal: end.signal,
    batchIndex: 0,
  });
  if (!isIterable(answer)) return answer;
  const stream = answer[Symbol.asyncIterator]();
  try {
    return (await stream.next()).value;
  } finally {
    end.abort();
    await stream.return?.();
  }
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

async function refusalOf(answer: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error: unknown = await answer.then(
    (value) => new Error(`It answered: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof TRPCError)) throw error;
  return { code: error.code, message: error.message };
}

const definition = z.object({ type: z.enum(["query", "mutation", "subscription"]) });

/** Path and kind of every procedure; tRPC keeps them in one flat record. */
const procedures = new Map(
  Object.entries<unknown>(appRouter._def.procedures).map(([path, procedure]) => {
    if (typeof procedure !== "function" || !("_def" in procedure)) throw new Error(`${path} is no procedure.`);
    return [path, definition.parse(procedure._def).type];
  }),
);

beforeAll(async () => {
  test = await startTestBackend({ maxUploadBytes: 1000 });
  backend = test.backend;
  alice = await test.person("admin");
  bob = await test.person("scientist");
  const stored = await backend.files.put(pieces("content of Alice"));
  await recordUpload(backend.db, alice.id, stored);
  const caller = createCaller(contextOf(backend, alice));
  const workflow = await caller.workflows.create({ name: "hers", source, files: [{ name: "in.txt", ...stored }] });
  const run = await caller.runs.start({ workflowId: workflow.id });
  const key = await caller.keys.make();
  const credential = { login: "alice", key: { is: "generated" as const, id: key.id }, expiresAt: null };
  // Nothing listens on port 1: the test ends at its first step, which is all that is needed here.
  const { id: tested } = await caller.clusters.test({ registration, credential });
  const hostKey = key.publicKey.split(" ").slice(0, 2).join(" ");
  for (const id of ["shared", "removed"]) {
    const own = await caller.keys.make();
    await caller.clusters.add({
      id,
      registration: { ...registration, hostKey },
      credential: { ...credential, key: { is: "generated", id: own.id } },
    });
  }
  await caller.clusters.remove({ id: "removed" });
  hers = {
    workflow: workflow.id,
    run: run.id,
    sha256: stored.sha256,
    key: key.id,
    test: tested,
    cluster: "removed",
  };
  await backend.db.cluster.create({
    data: { id: "local", name: "here", driver: "local", isolation: "none", isolationNote: "", slots: 2 },
    select: { id: true },
  });
});

afterAll(async () => {
  await test?.stop();
});

async function* pieces(text: string) {
  yield Buffer.from(text);
}

describe("every procedure", () => {
  it("is in the table", () => {
    expect(Object.keys(rules).sort()).toEqual([...procedures.keys()].sort());
  });

  const signedIn = Object.entries(rules).filter(([, rule]) => rule.is !== "public");

  it.each(signedIn)("%s is refused without a session", async (path, rule) => {
    const input = rule.is === "not-found" ? rule.input(hers) : rule.input;
    expect(await refusalOf(call(null, path, input))).toEqual({
      code: "UNAUTHORIZED",
      message: "Please sign in first.",
    });
  });

  it.each(signedIn)("%s keeps Alice's things from Bob", async (path, rule) => {
    switch (rule.is) {
      case "not-found": {
        const foreign = await refusalOf(call(bob, path, rule.input(hers)));
        expect(foreign.code).toBe("NOT_FOUND");
        expect(foreign).toEqual(await refusalOf(call(bob, path, rule.input(nobodys))));
        break;
      }
      case "admin":
        expect((await refusalOf(call(bob, path, rule.input))).code).toBe("FORBIDDEN");
        break;
      default: {
        // The samples come from a folder, not from people: that it answers at all is another test's business.
        if (path === "samples.list") break;
        const answer = JSON.stringify(await call(bob, path, rule.input));
        for (const id of [hers.workflow, hers.run, hers.sha256, hers.key, hers.test]) expect(answer).not.toContain(id);
      }
    }
  });

  it("refuses mutations another site sent", async () => {
    const caller = createCaller({ ...contextOf(backend, alice), sameOrigin: false });
    await expect(caller.runs.kill({ id: hers.run })).rejects.toThrow(/another web site/);
  });
});

describe("Alice", () => {
  it("reaches all of it herself, unchanged by what Bob tried", async () => {
    const caller = createCaller(contextOf(backend, alice));
    expect(await caller.workflows.get({ id: hers.workflow })).toMatchObject({ name: "hers", source });
    expect(await caller.runs.get({ id: hers.run })).toMatchObject({ name: "hers", state: "queued", pending: [] });
    expect(await caller.tasks.get({ run: hers.run, task: 0 })).toMatchObject({ name: "A", attempts: [] });
    expect(await call(alice, "runs.live", { id: hers.run })).toBeTruthy();
    expect(JSON.stringify(await call(alice, "runs.watchList", {}))).toContain(hers.run);
    expect(await caller.files.list({ run: hers.run })).toEqual([
      { name: "in.txt", size: 16, task: null, transient: false },
    ]);
  });
});

describe("content", () => {
  it("is not had by knowing its hash, but by uploading it oneself", async () => {
    const caller = createCaller(contextOf(backend, bob));
    const request = { name: "b", text: source, files: [{ name: "in.txt", sha256: hers.sha256 }] };
    await expect(caller.runs.start(request)).rejects.toThrow("The file “in.txt” was not uploaded. Upload it again.");
    await recordUpload(backend.db, bob.id, await backend.files.put(pieces("content of Alice")));
    expect(await caller.runs.start(request)).toHaveProperty("id");
  });

  it("of a run downloads for its owner only", async () => {
    expect((await downloadFile(backend, alice, hers.run, "in.txt")).status).toBe(200);
    expect((await downloadFile(backend, bob, hers.run, "in.txt")).status).toBe(404);
    expect((await downloadFile(backend, null, hers.run, "in.txt")).status).toBe(401);
    expect((await downloadArchive(backend, bob, hers.run)).status).toBe(404);
    expect((await downloadRescue(backend, bob, hers.run)).status).toBe(404);
    expect((await downloadFile(backend, alice, "not an id", "in.txt")).status).toBe(404);
    expect((await downloadFile(backend, alice, hers.run, "../../secrets/auth")).status).toBe(404);
  });
});
