/** A backend over a fresh PostgreSQL and a temporary home, with people in it. */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionUser } from "@/server/auth/session";
import { startTestDatabase } from "@/server/postgres/test-database";
import { type Backend, openBackend } from "./backend";
import type { Context } from "./context";

export interface TestBackend {
  backend: Backend;
  person(role: SessionUser["role"]): Promise<SessionUser>;
  stop(): Promise<void>;
}

export async function startTestBackend(settings: { maxUploadBytes: number }): Promise<TestBackend> {
  const database = await startTestDatabase();
  const home = await mkdtemp(join(tmpdir(), "gridloom-test-home-"));
  const backend = openBackend({ databaseUrl: database.url, home, authSecret: "a secret for tests", ...settings });
  return {
    backend,
    person: (role) =>
      backend.db.user.create({
        data: { email: `${randomUUID()}@example.org`, name: role, role },
        select: { id: true, email: true, name: true, role: true },
      }),
    async stop() {
      await backend.close();
      await database.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export function contextOf(backend: Backend, user: SessionUser | null): Context {
  return { backend, user, address: "127.0.0.1", sameOrigin: true, stillSignedIn: async () => true };
}
