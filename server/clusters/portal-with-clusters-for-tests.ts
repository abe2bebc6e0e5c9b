/**
 * A whole portal for tests with real clusters: registers them as an administrator would, submits work whose result shows whether anything was
 * lost on the way, and tells where it was done.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunId } from "@/core/engine/ids";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { defaultRunSettings, type RunSettings } from "@/server/engine/run-settings";
import { FileStore } from "@/server/files/store";
import { createRun } from "@/server/journal/queries/create-run";
import { getRun } from "@/server/journal/queries/get-run";
import { outputsOfRun } from "@/server/journal/queries/outputs-of-run";
import { TestPortal } from "@/server/portal-for-tests";
import type { SshHost } from "@/server/testbed/ssh-hosts-for-tests";
import { CredentialVault } from "./credentials";

export interface OpenAgent {
  id: string;
  cluster: string;
  job: string | null;
}

export class PortalWithClusters {
  private constructor(readonly portal: TestPortal) {}

  static async start(slots: number): Promise<PortalWithClusters> {
    return new PortalWithClusters(await TestPortal.start({ slots }));
  }

  get pool() {
    return this.portal.pool;
  }

  get gatewayPort(): number {
    return Number(new URL(this.portal.stack.gatewayUrl).port);
  }

  stop(): Promise<void> {
    return this.portal.stop();
  }

  /** With a key for the service account. */
  async register(id: string, driver: string, front: SshHost, settings: Record<string, unknown> = {}): Promise<void> {
    const { port, hostKey, login, privateKey } = front.target;
    const vault = await CredentialVault.open(this.portal.home);
    const sealed = vault.seal({ cluster: id, user: null }, { kind: "ssh-key", privateKey });
    const usual = { pollSeconds: 1, slotsPerAgent: 2, maxAgents: 1, idleSeconds: 5 };
    await this.pool.query(
      `WITH added AS (INSERT INTO portal.cluster
         (id, name, driver, isolation, isolation_note, slots, address, settings, account_policy, host_key)
         VALUES ($1, $1, $2, 'namespaces', '', 0, $3, $4, 'service', $5) RETURNING id)
       INSERT INTO portal.credential (id, cluster_id, kind, login, sealed, fingerprint)
       SELECT gen_random_uuid(), id, 'ssh-key', $6, $7, 'test' FROM added`,
      [id, driver, { host: "127.0.0.1", port }, { ...usual, ...settings }, hostKey, login, sealed],
    );
    await this.changed(id);
  }

  async localIs(enabled: boolean): Promise<void> {
    await this.pool.query("UPDATE portal.cluster SET enabled = $1 WHERE id = 'local'", [enabled]);
    await this.changed("local");
  }

  /** Removed as an administrator would; waits until nothing of ours is left on them. */
  async removeClusters(): Promise<void> {
    await this.pool.query("UPDATE portal.cluster SET enabled = false, removed_at = now() WHERE id <> 'local'");
    await this.changed("");
    await this.until("the clusters' agents to be gone", async () => (await this.openAgents()).length === 0, 60);
  }

  /** Each task squares its number, and one adds them up: a sum that is right only if every result came back as it was. */
  async squares(tasks: number, seconds: number, settings: Partial<RunSettings> = {}): Promise<RunId> {
    const source = `OUTPUT = "1.out"
task 1 -e "sleep ${seconds}; echo 1 > 1.out" -o 1.out
foreach N in 2..${tasks - 1} {
  task \${N} -e "sleep ${seconds}; awk 'BEGIN { print \${N} * \${N} }' > \${N}.out" -o \${N}.out
  OUTPUT = \${OUTPUT} + ";" + \${N} + ".out"
}
task sum -e "cat *.out | awk '{ s += $0 } END { print s }' > sum.txt" -i \${OUTPUT} -o sum.txt
`;
    const { application, format } = parseWorkflow(source);
    return await createRun(this.pool, {
      ...{ owner: "cli:test", ownerAdmin: true, name: "squares", format, source, application, inputs: [] },
      ...{ graph: buildWorkflow(application).workflow, settings: { ...defaultRunSettings, ...settings } },
    });
  }

  /** The sum as the run made it. */
  async sumOf(run: RunId): Promise<number | undefined> {
    const found = (await outputsOfRun(this.pool, run)).find(({ name }) => name === "sum.txt");
    return found && Number(readFileSync(new FileStore(this.portal.home.files).path(found.sha256), "utf8"));
  }

  /** How it ended; if not well, with what was told about it. */
  async ended(run: RunId, seconds = 240): Promise<string | undefined> {
    await this.until("the run's end", async () => (await getRun(this.pool, run))?.endedAt, seconds);
    const state = (await getRun(this.pool, run))?.state;
    if (state === "succeeded") return state;
    const { rows } = await this.pool.query("SELECT task, code, args FROM engine.event WHERE run = $1 ORDER BY id", [
      run,
    ]);
    return `${state}: ${JSON.stringify(rows.slice(-20))}`;
  }

  async until(what: string, look: () => Promise<unknown>, seconds = 120): Promise<void> {
    for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(200)) if (await look()) return;
    const { rows: agents } = await this.pool.query(
      `SELECT cluster, job, job_state, state, end_reason FROM engine.agent WHERE asked_at IS NOT NULL ORDER BY asked_at`,
    );
    const { rows: health } = await this.pool.query("SELECT cluster_id, ok, sentence FROM portal.cluster_health");
    throw new Error(`Waited in vain for ${what}.\n${JSON.stringify({ agents, health }, undefined, 1)}`);
  }

  async openAgents(): Promise<OpenAgent[]> {
    const { rows } = await this.pool.query<OpenAgent>(
      "SELECT id, cluster, job FROM engine.agent WHERE asked_at IS NOT NULL AND ended_at IS NULL",
    );
    return rows;
  }

  /** How many tasks succeeded on each cluster. */
  async workOn(run: RunId): Promise<Record<string, number>> {
    const { rows } = await this.pool.query<{ cluster: string; count: number }>(
      `SELECT cluster, count(*)::int AS count FROM engine.attempt JOIN engine.outcome USING (run, task, ordinal)
       WHERE run = $1 AND outcome = 'succeeded' GROUP BY cluster`,
      [run],
    );
    return Object.fromEntries(rows.map(({ cluster, count }) => [cluster, count]));
  }

  private async changed(cluster: string): Promise<void> {
    await this.pool.query("SELECT pg_notify('gridloom_cluster', $1)", [cluster]);
  }
}

/** What `squares` comes to. */
export function sumOfSquares(tasks: number): number {
  return Array.from({ length: tasks - 1 }, (_, index) => (index + 1) ** 2).reduce((sum, square) => sum + square, 0);
}
