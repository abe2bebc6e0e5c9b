/**
 * What reaches the engine through the database: new runs, commands, cluster policies. A row is the request; a
 * notification only wakes, and a slow poll finds what a notification missed.
 */
import type { Logger } from "pino";
import type { AgentId, AttemptRef, RunId } from "@/core/engine/ids";
import type { JobLoss } from "@/core/engine/outcome";
import type { ClusterPolicy, Command } from "@/core/engine/plan";
import { Listener } from "@/server/journal/listener";
import type { Pool } from "@/server/journal/pool";
import { clusterPolicies } from "@/server/journal/queries/cluster-policies";
import { endedAgents, failedRequests, jobStates } from "@/server/journal/queries/ended-agents";
import { openCommands, queuedRuns } from "@/server/journal/queries/waiting-requests";

export interface RequestPorts {
  pool: Pool;
  databaseUrl: string;
  log: Logger;
  holds(run: RunId): boolean;
  takeRun(run: RunId): Promise<void>;
  /** False: take the run first. */
  onCommand(command: Command): boolean;
  /** The run could not be taken. */
  dropCommand(command: Command): void;
  onClusterPolicy(policy: ClusterPolicy): void;
  /** What clusters say of their hosts may have changed. */
  readHosts(): Promise<void>;
  onAgentJob(agent: AgentId, state: string): void;
  onAgentEnded(agent: AgentId, reason: JobLoss): void;
  onAgentNotStarted(attempt: AttemptRef, askedAt: number, problem: string): void;
}

const pollMs = 1000;
/** How far back ends of agents are read: longer than a reading may be late. */
const overlapSeconds = 120;

export class Requests {
  private readonly listener: Listener;
  private readonly policies = new Map<string, string>();
  private timer?: NodeJS.Timeout;
  private reading?: Promise<void>;
  private again = false;
  private stopped = false;

  constructor(private readonly ports: RequestPorts) {
    this.listener = new Listener(ports.databaseUrl, ["gridloom_command", "gridloom_cluster", "gridloom_agent"], () =>
      this.wake(),
    );
  }

  async start(): Promise<void> {
    this.listener.start();
    this.timer = setInterval(() => this.wake(), pollMs);
    this.wake();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.listener.stop();
  }

  /** One reading at a time; a wake during one starts another after it. */
  private wake(): void {
    this.again = true;
    if (this.reading || this.stopped) return;
    this.again = false;
    this.reading = this.read()
      .catch((error: unknown) => {
        // The journal's writer says when the database is away; the next poll is due soon.
        this.ports.log.debug({ error }, "requests could not be read");
      })
      .finally(() => {
        this.reading = undefined;
        if (this.again) this.wake();
      });
  }

  private async read(): Promise<void> {
    const { pool, holds, takeRun, onCommand, dropCommand } = this.ports;
    for (const run of await queuedRuns(pool)) if (!holds(run)) await takeRun(run);
    // Told at each reading until they are done: the reactor knows them by their id.
    for (const command of await openCommands(pool)) {
      if (onCommand(command)) continue;
      await takeRun(command.run);
      if (!onCommand(command)) dropCommand(command);
    }
    await this.readPolicies();
    await this.ports.readHosts();
    for (const { id, state } of await jobStates(pool)) this.ports.onAgentJob(id, state);
    for (const { id, reason } of await endedAgents(pool, overlapSeconds)) this.ports.onAgentEnded(id, reason);
    for (const { attempt, askedAt, problem } of await failedRequests(pool, overlapSeconds)) {
      this.ports.onAgentNotStarted(attempt, askedAt, problem);
    }
  }

  async readPolicies(): Promise<void> {
    const current = await clusterPolicies(this.ports.pool);
    const gone = new Set(this.policies.keys());
    for (const policy of current) {
      gone.delete(policy.cluster);
      this.tell(policy);
    }
    for (const cluster of gone) this.tell({ cluster, enabled: false, access: "admins" });
  }

  private tell(policy: ClusterPolicy): void {
    const text = JSON.stringify(policy);
    if (this.policies.get(policy.cluster) === text) return;
    this.policies.set(policy.cluster, text);
    this.ports.onClusterPolicy(policy);
  }
}
