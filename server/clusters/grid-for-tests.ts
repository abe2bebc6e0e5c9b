/** Engine and gateway as real processes, runs written in GRID-ADL with their inputs, and the scripts of agents to be started somewhere. */
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { RunId } from "@/core/engine/ids";
import { parseWorkflow } from "@/core/languages";
import { buildWorkflow } from "@/core/workflow/build";
import { defaultRunSettings, type RunSettings } from "@/server/engine/run-settings";
import { EngineStage } from "@/server/engine/stage-for-tests";
import { FileStore } from "@/server/files/store";
import { createRun, type RunInput } from "@/server/journal/queries/create-run";
import { expectAgent } from "@/server/journal/queries/expect-agent";
import { getRun } from "@/server/journal/queries/get-run";
import { outputsOfRun } from "@/server/journal/queries/outputs-of-run";
import { type AgentPrograms, publishAgentPrograms } from "./agent-programs";
import { type AgentScriptOptions, agentScript } from "./agent-script";

export class GridForTests extends EngineStage {
  programs: AgentPrograms | undefined;
  private gateway: ChildProcess | undefined;

  /** Everything up; the programs take a moment to be packed. */
  async start(): Promise<void> {
    await this.open();
    this.gateway = (await this.startParts()).gateway;
    this.programs = await publishAgentPrograms(this.parts.config.home);
  }

  async stop(): Promise<void> {
    await this.stopParts();
    await this.close();
  }

  get madePrograms(): AgentPrograms {
    if (!this.programs) throw new Error("the grid is not started");
    return this.programs;
  }

  /** Kills it, and starts it again after a while. */
  async restartGateway(awayMs: number): Promise<void> {
    if (this.gateway) await this.parts.kill(this.gateway);
    await delay(awayMs);
    this.gateway = await this.parts.start("gateway");
  }

  get store(): FileStore {
    return new FileStore(this.parts.config.home.files);
  }

  async addCluster(id: string): Promise<void> {
    await this.pool.query(
      `INSERT INTO portal.cluster (id, name, driver, isolation, isolation_note, slots)
       VALUES ($1, $1, 'ssh', 'none', '', 2) ON CONFLICT DO NOTHING`,
      [id],
    );
    await this.pool.query("SELECT pg_notify('gridloom_cluster', $1)", [id]);
  }

  /** An agent that is expected, and the script that starts it. */
  async agent(options: Partial<AgentScriptOptions> = {}): Promise<{ id: string; token: string; script: string }> {
    const programs = this.madePrograms;
    const id = randomUUID();
    const token = randomUUID();
    const cluster = options.cluster ?? "local";
    await expectAgent(this.pool, { id, cluster, token });
    const gatewayUrl = this.parts.gatewayUrl;
    const script = agentScript({ gatewayUrl, agent: id, token, cluster, slots: 2, programs, ...options });
    return { id, token, script };
  }

  async submit(
    source: string,
    inputs: Record<string, string | Buffer> = {},
    settings: Partial<RunSettings> = {},
  ): Promise<RunId> {
    const stored = [];
    for (const [name, content] of Object.entries(inputs)) {
      stored.push({ name, ...(await this.store.put(Readable.from([Buffer.from(content)]))) });
    }
    return await this.submitWith(source, stored, settings);
  }

  /** With inputs that are in the store already. */
  async submitWith(source: string, inputs: RunInput[], settings: Partial<RunSettings> = {}): Promise<RunId> {
    const { application, format, problems } = parseWorkflow(source);
    const wrong = problems.find(({ severity }) => severity === "error");
    if (wrong) throw new Error(wrong.message);
    return await createRun(this.pool, {
      id: randomUUID(),
      owner: "cli:test",
      ownerAdmin: true,
      name: "a run of tests",
      format,
      source,
      application,
      graph: buildWorkflow(application).workflow,
      settings: { ...defaultRunSettings, ...settings },
      inputs,
    });
  }

  async stateOf(run: RunId): Promise<string | undefined> {
    return (await getRun(this.pool, run))?.state;
  }

  async outputHash(run: RunId, name: string): Promise<string | undefined> {
    return (await outputsOfRun(this.pool, run)).find((output) => output.name === name)?.sha256;
  }

  /** An output's text. */
  async outputOf(run: RunId, name: string): Promise<string | undefined> {
    const sha256 = await this.outputHash(run, name);
    return sha256 && readFileSync(this.store.path(sha256), "utf8");
  }
}
