/**
 * What the API stands on: pool, Prisma, file store, live streams. One of each a process, kept on `globalThis`
 * because Next may load this module more than once (a bundle for pages, another for routes, again on reload).
 */
import type { Pool } from "pg";
import { CredentialVault } from "@/server/clusters/credentials";
import { AttemptOutput } from "@/server/files/attempt-output";
import { FileStore } from "@/server/files/store";
import { type Home, homeAt } from "@/server/home";
import { openPool } from "@/server/journal/pool";
import { LiveRuns } from "@/server/live/live-runs";
import { Notifications } from "@/server/live/notifications";
import { openPortalDb, type PortalDb } from "@/server/portal-db/client";
import { Activity } from "./clusters/activity";
import { ClusterTests } from "./clusters/tests";
import { RunWorkflows } from "./run-workflow";
import { type BackendSettings, readBackendSettings } from "./settings";

export interface Backend {
  settings: BackendSettings;
  home: Home;
  pool: Pool;
  db: PortalDb;
  files: FileStore;
  output: AttemptOutput;
  workflows: RunWorkflows;
  live: LiveRuns;
  /** Opens sealed keys; its secret is read when first needed. */
  vault(): Promise<CredentialVault>;
  /** Tests of clusters that run now or ended lately. */
  tests: ClusterTests;
  activity: Activity;
  close(): Promise<void>;
}

export function openBackend(settings: BackendSettings): Backend {
  const home = homeAt(settings.home);
  const pool = openPool(settings.databaseUrl);
  const db = openPortalDb(pool);
  const notifications = new Notifications(settings.databaseUrl);
  const live = new LiveRuns(pool, notifications);
  const tests = new ClusterTests();
  let vault: Promise<CredentialVault> | undefined;
  return {
    settings,
    home,
    pool,
    db,
    files: new FileStore(home.files),
    output: new AttemptOutput(home.output),
    workflows: new RunWorkflows(pool),
    live,
    tests,
    activity: new Activity(pool),
    vault: () => {
      vault ??= CredentialVault.open(home).catch((error: unknown) => {
        vault = undefined;
        throw error;
      });
      return vault;
    },
    async close() {
      tests.close();
      live.close();
      await notifications.close();
      await db.$disconnect();
      if (!pool.ended) await pool.end();
    },
  };
}

declare global {
  var gridloomBackend: Backend | undefined;
}

export function backend(): Backend {
  globalThis.gridloomBackend ??= openBackend(readBackendSettings(process.env));
  return globalThis.gridloomBackend;
}
