/** The first minute of a newcomer, by the API: an account, the samples, a first workflow that is removed and comes back. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionUser } from "@/server/auth/session";
import { contextOf, startTestBackend, type TestBackend } from "./backend-for-tests";
import { createCaller } from "./root";

let test: TestBackend;

beforeAll(async () => {
  test = await startTestBackend({ maxUploadBytes: 1000 });
});

afterAll(async () => {
  await test?.stop();
});

const as = (user: SessionUser | null) => createCaller(contextOf(test.backend, user));
const password = "loom and shuttle 42";

describe("a newcomer", () => {
  it("signs up as the admin of a fresh installation; clear sentences where it does not go", async () => {
    const { account } = as(null);
    expect(await account.needsFirstAccount()).toBe(true);
    expect(await account.signUp({ email: "Ada@example.org", name: "Ada", password })).toMatchObject({ role: "admin" });
    expect(await account.needsFirstAccount()).toBe(false);
    await expect(account.signUp({ email: "ada@example.org", name: "A", password })).rejects.toThrow(
      "There is already an account with this e-mail. Sign in instead.",
    );
    await expect(account.signUp({ email: "bob@example.org", name: "B", password: "short" })).rejects.toThrow(
      "The password is too short: it needs at least 10 characters.",
    );
    expect(await account.signUp({ email: "bob@example.org", name: "B", password })).toMatchObject({
      role: "scientist",
    });
  });

  it("finds three samples, each of which starts with one click and is there once as a workflow", async () => {
    const api = as(await test.person("scientist"));
    const samples = await api.samples.list();
    expect(samples.map(({ id, tasks }) => [id, tasks])).toEqual([
      ["diamond", 4],
      ["plot", expect.any(Number)],
      ["pi", 201],
    ]);
    for (const { id, title, tasks } of samples) {
      const first = await api.samples.start({ sampleId: id });
      const second = await api.samples.start({ sampleId: id });
      expect(second.workflowId).toBe(first.workflowId);
      expect(await api.runs.get({ id: first.id })).toMatchObject({ name: title, taskCount: tasks, state: "queued" });
    }
    expect((await api.workflows.list({})).items).toHaveLength(3);
  });

  it("pages through runs and workflows, newest first, each once", async () => {
    const api = as(await test.person("scientist"));
    const started: string[] = [];
    for (let i = 0; i < 5; i++) {
      await api.workflows.create({ name: `w${i}`, source: "task -e true\n" });
      started.unshift((await api.runs.start({ name: `r${i}`, text: "task -e true\n" })).id);
    }
    const runs: string[] = [];
    let runCursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof api.runs.list>> = await api.runs.list({ limit: 2, cursor: runCursor });
      runs.push(...page.items.map((run) => run.id));
      runCursor = page.nextCursor;
    } while (runCursor);
    expect(runs).toEqual(started);
    const names: string[] = [];
    let cursor: Awaited<ReturnType<typeof api.workflows.list>>["nextCursor"] = null;
    do {
      const page: Awaited<ReturnType<typeof api.workflows.list>> = await api.workflows.list({ limit: 2, cursor });
      names.push(...page.items.map((workflow) => workflow.name));
      cursor = page.nextCursor;
    } while (cursor);
    expect(names).toEqual(["w4", "w3", "w2", "w1", "w0"]);
  });

  it("removes a workflow, changes their mind and has it back", async () => {
    const { workflows } = as(await test.person("scientist"));
    const { id } = await workflows.create({ name: "w", source: "task A -e true\n" });
    await workflows.remove({ id });
    await expect(workflows.get({ id })).rejects.toThrow("There is no such workflow.");
    await expect(workflows.update({ id, name: "x" })).rejects.toThrow("There is no such workflow.");
    await workflows.restore({ id });
    await workflows.update({ id, source: "task B -e true\n" });
    expect(await workflows.get({ id })).toMatchObject({ name: "w", source: "task B -e true\n", format: "gridadl" });
  });

  it("is told which input of which task is missing and where, before anything is started", async () => {
    const api = as(await test.person("scientist"));
    const text = "task A -e true\ntask B -e cat -i data.in\n";
    await expect(api.runs.start({ name: "mine", text })).rejects.toThrow(/^mine:2:1: .*data\.in.*B/);
    expect((await api.runs.list({})).items).toEqual([]);
  });
});
