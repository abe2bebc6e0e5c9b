/** Which hosts a person is shown to match a requirement against, and with which facts. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SessionUser } from "@/server/auth/session";
import { joinAgent } from "@/server/journal/queries/join-agent";
import { noteAgentsSeen } from "@/server/journal/queries/note-agents-seen";
import { contextOf, startTestBackend, type TestBackend } from "./backend-for-tests";
import { createCaller } from "./root";

let started: TestBackend;
let ada: SessionUser;
let root: SessionUser;
const host = { name: "n1", os: "Linux 6.1", arch: "x64", cpus: 4, cpuModel: "m", memoryBytes: 2 ** 31 };

beforeAll(async () => {
  started = await startTestBackend({ maxUploadBytes: 1000 });
  [root, ada] = [await started.person("admin"), await started.person("scientist")];
  await started.backend.pool.query(
    `INSERT INTO portal.cluster (id, name, driver, isolation, isolation_note, slots, access)
     VALUES ('open', 'Open', 'ssh', 'accounts', '', 4, 'everyone'), ('closed', 'Closed', 'ssh', 'accounts', '', 4, 'admins')`,
  );
});

afterAll(async () => {
  await started?.stop();
});

const join = async (cluster: string, name: string) => {
  const id = randomUUID();
  await joinAgent(started.backend.pool, { id, cluster, token: randomUUID(), host: { ...host, name }, slots: 4 });
  return id;
};
const seen = async (user: SessionUser) =>
  (await createCaller(contextOf(started.backend, user)).hosts.toMatch()).sort((a, b) => (a.host < b.host ? -1 : 1));

test("those of clusters the person may use, with readings and free slots", async () => {
  const id = await join("open", "n1");
  await join("closed", "n2");
  await noteAgentsSeen(started.backend.pool, [{ id, held: 3, readings: { LoadAvg: 0.5, FreeMemory: 100 } }]);
  expect(await seen(ada)).toMatchObject([
    {
      host: "n1",
      cluster: "open",
      slots: 4,
      free: 1,
      facts: { OpSys: "LINUX", Memory: 2048, LoadAvg: 0.5, FreeMemory: 100 },
    },
  ]);
  expect((await seen(root)).map(({ host: name }) => name)).toEqual(["n1", "n2"]);
});

test("an agent that works for one person is shown to that person, one that fell silent to nobody", async () => {
  const hers = await join("open", "n3");
  const silent = await join("open", "n4");
  await started.backend.pool.query("UPDATE engine.agent SET owner = $2 WHERE id = $1", [hers, ada.id]);
  await started.backend.pool.query(
    "UPDATE engine.agent SET last_seen_at = now() - interval '2 minutes' WHERE id = $1",
    [silent],
  );
  expect((await seen(ada)).map(({ host: name }) => name)).toEqual(["n1", "n3"]);
  expect((await seen(root)).map(({ host: name }) => name)).toEqual(["n1", "n2"]);
});
