/** Policies through the API, with a real engine and agent: a run waits with the reason, is changed, and goes to its end. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionUser } from "@/server/auth/session";
import { TestPortal } from "@/server/portal-for-tests";
import { type Backend, openBackend } from "./backend";
import { contextOf } from "./backend-for-tests";
import { createCaller } from "./root";

let portal: TestPortal;
let backend: Backend;
let ada: SessionUser;
let api: ReturnType<typeof createCaller>;

beforeAll(async () => {
  portal = await TestPortal.start({ slots: 2 });
  backend = openBackend({
    databaseUrl: portal.stack.databaseUrl,
    home: portal.home.root,
    authSecret: "a secret for tests",
    maxUploadBytes: 1000,
  });
  ada = await person("admin");
  api = createCaller(contextOf(backend, ada));
});

afterAll(async () => {
  await backend?.close();
  await portal?.stop();
});

const person = (role: SessionUser["role"]): Promise<SessionUser> =>
  backend.db.user.create({
    data: { email: `${randomUUID()}@example.org`, name: role, role },
    select: { id: true, email: true, name: true, role: true },
  });

const text = 'task A -e "echo done > a.out" -o a.out\n';
const patience = { timeout: 15_000, interval: 50 };
const sentence = async (id: string) => (await api.runs.waiting({ id }))?.sentence;
const stateOf = async (id: string) => (await api.runs.get({ id })).state;

describe("a run with a requirement no host meets", () => {
  it("waits with the failing clause, and runs when its policies are changed", async () => {
    const settings = { policies: { jobRequirements: "Cpus >= 1 && Memory >= 999999999" }, priority: 3 };
    const { id } = await api.runs.start({ name: "picky", text, settings });
    await expect
      .poll(() => sentence(id), patience)
      .toMatch(/^1 task could run: none of 1 host matches: .*Memory >= 999999999/);
    expect(await api.runs.get({ id })).toMatchObject({ state: "running", settings: { ...settings, retries: 1 } });

    await api.runs.changePolicies({ id, policies: { gridPolicy: 'Grid == "elsewhere"' } });
    await expect.poll(() => sentence(id), patience).toMatch(/Grid == "elsewhere"/);
    expect(await stateOf(id)).toBe("running");

    await api.runs.changePolicies({
      id,
      policies: { jobRequirements: "Memory >= 1", rank: "Slots + 40", deadline: " " },
    });
    await expect.poll(() => stateOf(id), patience).toBe("succeeded");
    expect(await api.runs.waiting({ id })).toBeNull();
    expect((await api.runs.get({ id })).settings.policies).toEqual({
      jobRequirements: "Memory >= 1",
      rank: "Slots + 40",
    });
    const { attempts } = await api.tasks.get({ run: id, task: 0 });
    expect(attempts).toMatchObject([{ because: "first", rank: 42, outcome: "succeeded", deadlineAt: null }]);
    const events = await api.runs.events({ id });
    expect(events.map((event) => event.sentence)).toContain(
      "The policies of the run were changed: gridPolicy, jobRequirements.",
    );
    const audit = { actor: ada.id, action: "run.policies-changed", subject: id };
    expect(await backend.db.auditLog.count({ where: audit })).toBe(2);

    await expect(api.runs.changePolicies({ id, policies: {} })).rejects.toMatchObject({
      code: "CONFLICT",
      message: "The run is over: its policies can no longer be changed.",
    });
  });

  it("may be helped by an admin, and by nobody else", async () => {
    const [owner, stranger] = [await person("scientist"), await person("scientist")];
    const theirs = createCaller(contextOf(backend, owner));
    const { id } = await theirs.runs.start({
      name: "stuck",
      text,
      settings: { policies: { jobRequirements: "false" } },
    });
    const strangers = createCaller(contextOf(backend, stranger));
    await expect(strangers.runs.changePolicies({ id, policies: {} })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await api.runs.changePolicies({ id, policies: { rank: "7" } });
    expect((await theirs.runs.get({ id })).settings.policies).toEqual({ rank: "7" });
    await theirs.runs.kill({ id });
  });
});

describe("an attempt that passes its deadline", () => {
  it("is lost for that reason, and the next one is there for that reason", async () => {
    const slow = 'task S -e "sleep 4; echo done > s.out" -o s.out\n';
    const { id } = await api.runs.start({ name: "late", text: slow, settings: { policies: { deadline: "1" } } });
    const attempts = async () => (await api.tasks.get({ run: id, task: 0 })).attempts;
    await expect.poll(async () => (await attempts()).length, patience).toBeGreaterThan(1);
    await api.runs.changePolicies({ id, policies: {} });
    await expect.poll(() => stateOf(id), patience).toBe("succeeded");
    const all = await attempts();
    expect(all[0]).toMatchObject({ because: "first", outcome: "lost", reason: "The attempt passed its deadline." });
    expect(all[0]!.deadlineAt).toBeInstanceOf(Date);
    expect(all[1]).toMatchObject({
      because: "deadline",
      placed: "Placed again, because an attempt before it passed its deadline.",
    });
    expect(all.at(-1)).toMatchObject({ outcome: "succeeded" });
  });
});

describe("settings that cannot be", () => {
  it("are refused with the policy's name, the place and the problem, and no run is started", async () => {
    const policies = { jobRequirements: "Memory >= )", rank: "1 +" };
    const refusal = {
      code: "BAD_REQUEST",
      message: expect.stringMatching(/^JobRequirements, line 1, column 11: .*\nRank, line 1, column \d+: /),
    };
    const before = (await api.runs.list({})).items.length;
    await expect(api.runs.start({ name: "wrong", text, settings: { policies } })).rejects.toMatchObject(refusal);
    await expect(api.runs.start({ name: "wrong", text, settings: { priority: 21 } })).rejects.toThrow(/priority/);
    const { id } = await api.runs.start({ name: "right", text, settings: { policies: { jobRequirements: "false" } } });
    await expect(api.runs.changePolicies({ id, policies })).rejects.toMatchObject(refusal);
    expect((await api.runs.get({ id })).settings.policies).toEqual({ jobRequirements: "false" });
    expect((await api.runs.list({})).items).toHaveLength(before + 1);
    await api.runs.kill({ id });
  });
});
