import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { PartialUploads } from "@/server/files/partial-uploads";
import { FileStore } from "@/server/files/store";
import { openPool } from "@/server/journal/pool";
import { sendFile } from "./file-routes";
import { Sessions } from "./sessions";

test("while the database is away an agent is asked to wait, which is not a failure of its task", async () => {
  const pool = openPool("postgres://nobody@127.0.0.1:1/nothing");
  const nowhere = join(tmpdir(), "gridloom-nowhere");
  const sessions = new Sessions({ path: nowhere }, "gateway", pino({ level: "silent" }), () => undefined);
  const store = new FileStore(nowhere);
  const ports = { pool, store, uploads: new PartialUploads(store), sessions };
  const agent = { id: crypto.randomUUID(), cluster: "local", state: "joined" as const, host: null, slots: null };
  const request = new IncomingMessage(new Socket());
  const sent = sendFile(
    ports,
    { cluster: "local", agents: [agent], binding: {} },
    "ab".repeat(32),
    request,
    new ServerResponse(request),
  );
  await expect(sent).rejects.toMatchObject({ name: "HttpProblem", status: 503 });
  await pool.end();
});
