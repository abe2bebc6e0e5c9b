/** The monitoring directory over a real database: what each question finds, in whose runs, and how it goes on. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionUser } from "@/server/auth/session";
import type { Backend } from "../backend";
import { contextOf, startTestBackend, type TestBackend } from "../backend-for-tests";
import { createCaller } from "../root";

let started: TestBackend;
let backend: Backend;
let ada: SessionUser;
let grace: SessionUser;
let root: SessionUser;
let diamond: string;
let bag: string;

const diamondText = `graph tightly-coupled
task A -e "echo > a" -o a
task B -e "cat a > b" -i a -o b
task C -e "cat a > c" -i a -o c
task D -e "cat b c > d" -i b c -o d
`;
const bagText = "graph independent\nforeach N in 1..300 {\n  task dock${N} -e true -o out.${N}\n}\n";

beforeAll(async () => {
  started = await startTestBackend({ maxUploadBytes: 1000 });
  backend = started.backend;
  [root, ada, grace] = [
    await started.person("admin"),
    await started.person("scientist"),
    await started.person("scientist"),
  ];
  diamond = await startRun(ada, "diamond", diamondText);
  bag = await startRun(grace, "docking", bagText);
  // A finished on n1, B runs on n2, C is ready, D waits.
  await backend.pool.query("UPDATE engine.task_chunk SET states = '\\x03020100' WHERE run = $1", [diamond]);
  for (const [task, ordinal, host] of [
    [0, 1, "n9.cluster"],
    [0, 2, "n1.cluster"],
    [1, 1, "n2.cluster"],
  ]) {
    await backend.pool.query(
      `INSERT INTO engine.attempt (run, task, ordinal, epoch, agent, cluster, host, sent_at)
       VALUES ($1, $2, $3, 1, gen_random_uuid(), 'local', $4, now())`,
      [diamond, task, ordinal, host],
    );
  }
});

afterAll(async () => {
  await started?.stop();
});

async function startRun(user: SessionUser, name: string, text: string): Promise<string> {
  return (await createCaller(contextOf(backend, user)).runs.start({ name, text })).id;
}

const search = (user: SessionUser, question: Parameters<ReturnType<typeof createCaller>["directory"]["search"]>[0]) =>
  createCaller(contextOf(backend, user)).directory.search(question);
const found = async (...asked: Parameters<typeof search>) => (await search(...asked)).items.map((item) => item.name);

describe("a search finds tasks", () => {
  test("by part of their name or by their number, with state, machine and predecessors", async () => {
    expect((await search(ada, { task: "b" })).items).toEqual([
      {
        run: { id: diamond, name: "diamond" },
        task: 1,
        name: "B",
        state: "running",
        host: "n2.cluster",
        use: null,
        predecessors: [{ task: 0, name: "A" }],
        predecessorCount: 1,
      },
    ]);
    expect(await found(ada, { task: "3" })).toEqual(["D"]);
    expect(await found(grace, { task: "dock299" })).toEqual(["dock299"]);
  });

  test("by a file: who makes it and who reads it", async () => {
    const { items } = await search(ada, { file: "a" });
    expect(items.map((item) => [item.name, item.use])).toEqual([
      ["A", "makes"],
      ["B", "reads"],
      ["C", "reads"],
    ]);
    expect(await found(ada, { file: "b" })).toEqual(["B", "D"]);
    expect(await found(grace, { file: "out.42" })).toEqual(["dock42"]);
    expect(await found(ada, { file: "out.42" })).toEqual([]);
  });

  test("by machine, wherever they were tried, naming the last one", async () => {
    expect((await search(ada, { host: "N9" })).items).toMatchObject([{ name: "A", host: "n1.cluster" }]);
    expect(await found(ada, { host: "cluster" })).toEqual(["A", "B"]);
    expect(await found(ada, { host: "%" })).toEqual([]);
    expect(await found(grace, { host: "cluster" })).toEqual([]);
  });

  test("by status, alone and together with the rest", async () => {
    expect(await found(ada, { state: "ready" })).toEqual(["C"]);
    expect(await found(ada, { state: "waiting", run: diamond })).toEqual(["D"]);
    expect(await found(ada, { state: "waiting", runName: "DIAM" })).toEqual(["D"]);
    expect(await found(ada, { runName: "docking" })).toEqual([]);
    expect(await found(ada, { state: "finished", host: "n1", file: "a" })).toEqual(["A"]);
    expect(await found(ada, { state: "running", host: "n1" })).toEqual([]);
  });

  test("page by page, each once", async () => {
    const names: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof search>> = await search(grace, { task: "dock", limit: 70, cursor });
      expect(page.items.length).toBeLessThanOrEqual(70);
      names.push(...page.items.map((item) => item.name));
      cursor = page.nextCursor;
    } while (cursor);
    expect(names).toEqual(Array.from({ length: 300 }, (_, index) => `dock${index + 1}`));
  });
});

describe("whose tasks", () => {
  test("one's own: another's run is answered like one that does not exist, also as a place to go on from", async () => {
    await expect(search(grace, { run: diamond })).rejects.toThrow("There is no such run.");
    await expect(search(grace, { cursor: `${diamond}:0` })).rejects.toThrow("There is no such run.");
    expect((await search(ada, {})).items.every((item) => item.run.id === diamond)).toBe(true);
  });

  test("an admin sees everybody's, or one person's, with the name", async () => {
    const caller = createCaller(contextOf(backend, root));
    const all = await caller.directory.searchAll({ limit: 100 });
    expect(new Set(all.items.map((item) => item.run.id))).toEqual(new Set([bag]));
    const hers = await caller.directory.searchAll({ user: ada.email.slice(0, 20), limit: 100 });
    expect(hers.items.map((item) => [item.name, item.user])).toEqual(
      ["A", "B", "C", "D"].map((name) => [name, ada.name]),
    );
    expect((await caller.directory.searchAll({ user: "nobody of that name" })).items).toEqual([]);
    await expect(createCaller(contextOf(backend, ada)).directory.searchAll({})).rejects.toThrow("Only an admin");
  });
});
