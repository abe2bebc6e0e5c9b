/** A workflow described in several files: the server reads them all, the owner's only, and within limits. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionUser } from "@/server/auth/session";
import { contextOf, startTestBackend, type TestBackend } from "./backend-for-tests";
import { createCaller } from "./root";
import { recordUpload } from "./uploads";
import { companionLimits } from "./workflow-check";

let test: TestBackend;
let alice: SessionUser;
let bob: SessionUser;

beforeAll(async () => {
  test = await startTestBackend({ maxUploadBytes: 1000 });
  alice = await test.person("scientist");
  bob = await test.person("scientist");
});

afterAll(async () => {
  await test?.stop();
});

const as = (user: SessionUser) => createCaller(contextOf(test.backend, user));

async function upload(user: SessionUser, name: string, content: string | Uint8Array) {
  const { files, db } = test.backend;
  const stored = await files.put(
    (async function* () {
      yield Buffer.from(content);
    })(),
  );
  await recordUpload(db, user.id, stored);
  return { name, sha256: stored.sha256 };
}

const dag = "JOB A sub/a.sub\nJOB B /home/alice/b.sub\nPARENT A CHILD B\n";
const sub = "executable = /bin/true\nlog = x.log\nqueue\n";

describe("a workflow in several files", () => {
  it("is the same when checked, stored, opened again and run", async () => {
    const api = as(alice);
    const files = [await upload(alice, "sub/a.sub", sub), await upload(alice, "home/alice/b.sub", `\uFEFF${sub}`)];
    const checked = await api.workflows.check({ text: dag, uploads: files });
    expect(checked).toMatchObject({ format: "dagman", tasks: 2, edges: 1 });
    expect(checked.problems).toMatchObject([
      { severity: "warning", inFile: { name: "sub/a.sub", at: { line: 2 } } },
      { severity: "warning", inFile: { name: "/home/alice/b.sub", at: { line: 2 } } },
    ]);
    const { id } = await api.workflows.create({ name: "w", source: dag, sourceName: "w.dag", files });
    expect(await api.workflows.get({ id })).toMatchObject({
      format: "dagman",
      sourceName: "w.dag",
      companions: [
        { name: "sub/a.sub", text: sub },
        { name: "home/alice/b.sub", text: sub },
      ],
    });
    const run = await api.runs.start({ workflowId: id });
    expect(await api.runs.get({ id: run.id })).toMatchObject({ taskCount: 2, edgeCount: 1, inputs: [] });
  });

  it("is refused with the file and line that are wrong, or that name a file which is not there", async () => {
    const start = async (files: { name: string; sha256: string }[]) =>
      as(alice).runs.start({ name: "mine", text: "JOB A a.sub\n", sourceName: "w.dag", files });
    await expect(
      start([await upload(alice, "a.sub", "executable = /bin/true\nwhat is this\nqueue\n")]),
    ).rejects.toThrow(/^w\.dag:1:7: a\.sub:2:1: A line of a submit description/);
    await expect(start([])).rejects.toThrow('w.dag:1:7: The submit file "a.sub" named in line 1 is not there.');
  });

  it("keeps its file's name, which tells the format where the text does not", async () => {
    const { workflows } = as(alice);
    const { id } = await workflows.create({ name: "w", source: "# nothing yet\n", sourceName: "w.dag" });
    await workflows.update({ id, name: "renamed" });
    expect(await workflows.get({ id })).toMatchObject({ name: "renamed", sourceName: "w.dag", format: "dagman" });
    await workflows.update({ id, sourceName: null });
    expect(await workflows.get({ id })).toMatchObject({ sourceName: null, format: "gridadl" });
  });
});

describe("a companion", () => {
  it("of another person is not read, by whatever way it is named", async () => {
    const files = [await upload(alice, "a.sub", `# Alice's own\n${sub}`)];
    const refusal = "The file “a.sub” was not uploaded. Upload it again.";
    const { workflows, runs } = as(bob);
    const text = "JOB A a.sub\n";
    await expect(workflows.check({ text, uploads: files })).rejects.toThrow(refusal);
    await expect(workflows.create({ name: "w", source: text, files })).rejects.toThrow(refusal);
    await expect(runs.start({ name: "r", text, files })).rejects.toThrow(refusal);
    const { id } = await workflows.create({ name: "w", source: text });
    await expect(workflows.update({ id, files })).rejects.toThrow(refusal);
    expect((await workflows.get({ id })).companions).toEqual([]);
  });

  it("is read only as far as the limit; the same file as plain input may be larger", async () => {
    const large = new Uint8Array(companionLimits.bytes).fill("#".charCodeAt(0));
    const files = [await upload(alice, "a.sub", large), await upload(alice, "b.sub", sub)];
    const { workflows } = as(alice);
    await expect(workflows.check({ text: "JOB A a.sub\nJOB B b.sub\n", uploads: files })).rejects.toThrow(
      "The files that describe this workflow are too large with “b.sub”: at most 10,000 files and 16 MB together.",
    );
    await expect(workflows.create({ name: "w", source: "JOB A a.sub\nJOB B b.sub\n", files })).rejects.toThrow(
      "too large",
    );
    expect(await workflows.check({ text: "task A -e wc -i a.sub b.sub\n", uploads: files })).toMatchObject({
      tasks: 1,
    });
  });
});
