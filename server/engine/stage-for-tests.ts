/** A database, an engine and a gateway as real processes, and agents that speak the protocol but execute nothing. */
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeAgent, type FakeAgentOptions } from "@/server/gateway/fake-agent";
import { homeAt } from "@/server/home";
import { openPool, type Pool } from "@/server/journal/pool";
import { expectAgent } from "@/server/journal/queries/expect-agent";
import { applyMigrations } from "@/server/migrations";
import { createHome } from "@/server/open-home";
import { EmbeddedPostgres } from "@/server/postgres/server";
import { Parts } from "./parts-for-tests";

export class EngineStage {
  private opened?: { directory: string; postgres: EmbeddedPostgres; pool: Pool };
  private started?: Parts;
  private readonly agents: FakeAgent[] = [];

  get pool(): Pool {
    if (!this.opened) throw new Error("the stage is not open");
    return this.opened.pool;
  }

  get postgres(): EmbeddedPostgres {
    if (!this.opened) throw new Error("the stage is not open");
    return this.opened.postgres;
  }

  get parts(): Parts {
    if (!this.started) throw new Error("no parts are started");
    return this.started;
  }

  async open(): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), "gridloom-engine-test-"));
    await chmod(directory, 0o711);
    const home = homeAt(join(directory, "home"));
    await createHome(home);
    const postgres = await EmbeddedPostgres.start({ home, log: () => {} });
    await applyMigrations(postgres.url);
    const pool = openPool(postgres.url);
    this.opened = { directory, postgres, pool };
    await pool.query(
      `INSERT INTO portal.cluster (id, name, driver, isolation, isolation_note, slots)
       VALUES ('local', 'This machine', 'local', 'accounts', '', 2) ON CONFLICT DO NOTHING`,
    );
  }

  async close(): Promise<void> {
    if (!this.opened) return;
    const { directory, postgres, pool } = this.opened;
    await pool.end();
    await postgres.stop(1000);
    await rm(directory, { recursive: true, force: true });
  }

  async startParts(): Promise<{ engine: ChildProcess; gateway: ChildProcess }> {
    if (!this.opened) throw new Error("the stage is not open");
    this.started = await Parts.prepare(this.opened.postgres.url);
    const engine = await this.started.start("engine");
    return { engine, gateway: await this.started.start("gateway") };
  }

  async stopParts(): Promise<void> {
    for (const agent of this.agents.splice(0)) await agent.stop();
    await this.started?.stop();
  }

  async startAgent(options: Partial<FakeAgentOptions> = {}): Promise<FakeAgent> {
    const id = randomUUID();
    const token = randomUUID();
    await expectAgent(this.pool, { id, cluster: "local", token });
    const agent = new FakeAgent({ url: this.parts.gatewayUrl, token, id, slots: 4, ...options });
    agent.start();
    this.agents.push(agent);
    return agent;
  }
}
