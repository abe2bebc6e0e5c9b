/** A PostgreSQL for tests: the same embedded server as in production, in a temporary directory, migrated. */
import { applyMigrations } from "@/server/migrations";
import { createHome } from "@/server/open-home";
import { makeTemporaryHome } from "@/server/temporary-home";
import { EmbeddedPostgres } from "./server";

export interface TestDatabase {
  url: string;
  stop(): Promise<void>;
}

export async function startTestDatabase(): Promise<TestDatabase> {
  const { home, remove } = await makeTemporaryHome();
  let server: EmbeddedPostgres | undefined;
  const stop = async () => {
    await server?.stop(1000);
    await remove();
  };
  try {
    await createHome(home);
    server = await EmbeddedPostgres.start({ home, log: () => {} });
    await applyMigrations(server.url);
    return { url: server.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
