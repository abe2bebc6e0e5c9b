/**
 * A PostgreSQL for tests: the same embedded server as in production, in a temporary directory, migrated.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { homeAt } from "@/server/home";
import { applyMigrations } from "@/server/migrations";
import { createHome } from "@/server/open-home";
import { EmbeddedPostgres } from "./server";

export interface TestDatabase {
  url: string;
  stop(): Promise<void>;
}

export async function startTestDatabase(): Promise<TestDatabase> {
  const directory = await mkdtemp(join(tmpdir(), "gridloom-test-"));
  const home = homeAt(join(directory, "home"));
  try {
    // mkdtemp closes its directory; as root, the database's own account must get through.
    await chmod(directory, 0o711);
    await createHome(home);
    const server = await EmbeddedPostgres.start({ home, log: () => {} });
    await applyMigrations(server.url);
    return {
      url: server.url,
      stop: async () => {
        await server.stop(1000);
        await rm(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}
