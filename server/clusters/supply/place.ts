/**
 * A place agents can be asked of: a cluster, under one account. It has a loop of its own, so that a front end that hangs keeps
 * nobody else waiting:
 *
 *   one list call for all jobs → what it means (reconcile.ts) is written down → surplus is cancelled → what was ordered is submitted
 *
 * at the cluster's own rate, sooner when something was ordered, and less and less often while the front end gives trouble. Agents
 * are committed before they are ordered here; a token is only in the order, so an order that was lost with this process
 * is never submitted again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { AgentId } from "@/core/engine/ids";
import type { Pool } from "@/server/journal/pool";
import { ClusterProblem } from "../cluster-problem";
import type { RegisteredCluster } from "../cluster-settings";
import type { AgentJob, ClusterDriver } from "../driver";
import { type Account, endAgents, noteJobs, openAgents } from "./agent-rows";
import { noteHealth } from "./health";
import { defaultPollRules, type PollRules, reconcile } from "./reconcile";

export interface PlaceOptions {
  pool: Pool;
  log: Logger;
  cluster: RegisteredCluster;
  account: Account;
  driver: ClusterDriver;
  isOurs(agent: AgentId): boolean;
  /** Something changed that may change what is to be asked for. */
  onNews(): void;
  rules?: PollRules;
}

/** Orders that could not be submitted for so long are given up: others may be served elsewhere by then. */
const stopPatienceMs = 500;
const orderPatienceMs = 60_000;
const longestBackOffMs = 300_000;
/** Nothing of ours is there: a look now and then, for what may have been left behind. */
const quietPollMs = 60_000;

interface Order {
  job: AgentJob;
  at: number;
}

export class Place {
  cluster: RegisteredCluster;
  /** Undefined until it was first spoken with; then whether the last time went well. */
  healthy: boolean | undefined;
  /** When something was last wanted of it. */
  usedAt = Date.now();
  private readonly orders = new Map<AgentId, Order>();
  private readonly unwanted = new Map<AgentId, string>();
  private readonly since = new Map<AgentId, { state: string; at: number }>();
  private failures = 0;
  private living = 0;
  private timer?: NodeJS.Timeout;
  private turning?: Promise<void>;
  private again = false;
  private stopped = false;

  constructor(private readonly options: PlaceOptions) {
    this.cluster = options.cluster;
    this.schedule(0);
  }

  get account(): Account {
    return this.options.account;
  }

  get isIdle(): boolean {
    return this.living === 0 && this.orders.size === 0 && !this.turning && this.healthy !== undefined;
  }

  /** These agents are committed; their jobs are submitted in the next turn. */
  order(jobs: readonly AgentJob[]): void {
    const at = Date.now();
    for (const job of jobs) this.orders.set(job.agent, { job, at });
    if (jobs.length > 0) this.hurry();
  }

  /** Nobody needs this agent any more: its job is cancelled, wherever it is by now. */
  takeBack(agent: AgentId, reason: string): void {
    if (this.unwanted.has(agent)) return;
    this.unwanted.set(agent, reason);
    this.hurry();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    // A front end that hangs keeps nobody waiting; what comes of the turn is found by whoever comes next.
    await Promise.race([this.turning, sleep(stopPatienceMs, undefined, { ref: false })]);
  }

  /** Before its time, except while the front end gives trouble. */
  private hurry(): void {
    if (this.turning) this.again = true;
    else if (this.failures === 0) this.schedule(0);
  }

  private schedule(ms: number): void {
    if (this.stopped) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.begin(), ms);
  }

  private begin(): void {
    if (this.turning || this.stopped) return;
    this.again = false;
    this.turning = this.turn().finally(() => {
      this.turning = undefined;
      this.schedule(this.pauseMs());
    });
  }

  private pauseMs(): number {
    const usual = this.cluster.settings.pollSeconds * 1000;
    // Not in step with others that met the same trouble.
    if (this.failures > 0) return Math.min(longestBackOffMs, usual * 2 ** this.failures) * (0.75 + Math.random() / 2);
    if (this.again) return 0;
    return this.living > 0 || this.orders.size > 0 ? usual : Math.max(usual, quietPollMs);
  }

  private async turn(): Promise<void> {
    try {
      await this.poll();
      await this.submit();
      this.failures = 0;
      await this.tell(true, "");
    } catch (error) {
      if (this.stopped) return;
      this.failures = Math.min(this.failures + 1, 20);
      const sentence = error instanceof Error ? error.message : String(error);
      this.options.log.warn({ cluster: this.cluster.id, account: this.account, sentence }, "a cluster gives trouble");
      await this.giveUpOrders(sentence).catch(() => undefined);
      // The database may be what is away; then nobody can be told.
      if (error instanceof ClusterProblem) await this.tell(false, sentence).catch(() => undefined);
    }
  }

  private async tell(ok: boolean, sentence: string): Promise<void> {
    const changed = this.healthy !== ok;
    this.healthy = ok;
    const { pool, cluster, account } = this.options;
    await noteHealth(pool, {
      ...{ cluster: cluster.id, account, ok, sentence, failures: this.failures, polled: true },
      nextPollAt: Date.now() + this.pauseMs(),
    });
    if (changed) this.options.onNews();
  }

  private async poll(): Promise<void> {
    const { pool, driver, cluster, account, rules = defaultPollRules } = this.options;
    const jobs = await driver.list();
    const agents = await openAgents(pool, cluster.id, account);
    const verdict = reconcile({
      now: Date.now(),
      agents,
      jobs,
      unsent: new Set(this.orders.keys()),
      unwanted: this.unwanted,
      isOurs: this.options.isOurs,
      since: this.since,
      rules,
    });
    await noteJobs(pool, verdict.seen);
    // First on the cluster: a job whose row is closed and that was not cancelled is found by the next poll as nobody's.
    if (verdict.cancel.length > 0) await driver.cancel(verdict.cancel);
    await endAgents(pool, verdict.ended);
    for (const { agent } of verdict.ended) {
      this.orders.delete(agent);
      this.unwanted.delete(agent);
    }
    const open = new Set(agents.map(({ id }) => id));
    for (const agent of this.unwanted.keys()) if (!open.has(agent)) this.unwanted.delete(agent);
    this.living = agents.length - verdict.ended.length;
    if (verdict.ended.length > 0) this.options.onNews();
  }

  private async submit(): Promise<void> {
    const { pool, driver } = this.options;
    const orders = [...this.orders.values()].filter(({ job }) => !this.unwanted.has(job.agent));
    if (orders.length === 0 || this.stopped) return;
    // From here on they may be on the cluster, whatever we hear of it.
    for (const { job } of orders) this.orders.delete(job.agent);
    this.living += orders.length;
    const results = await driver.start(orders.map(({ job }) => job));
    await noteJobs(
      pool,
      results.flatMap((one) =>
        one.outcome === "started" ? [{ agent: one.agent, job: one.job, state: "queued" as const }] : [],
      ),
    );
    const refused = results.flatMap((one) =>
      one.outcome === "refused"
        ? [
            {
              agent: one.agent,
              state: "failed" as const,
              reason: `The cluster refused its job: ${one.problem.sentence}`,
            },
          ]
        : [],
    );
    await endAgents(pool, refused);
    if (refused.length > 0) this.options.onNews();
    const lost = results.find((one) => one.outcome === "unknown");
    if (lost?.outcome === "unknown") throw lost.problem;
  }

  private async giveUpOrders(sentence: string): Promise<void> {
    const now = Date.now();
    const late = [...this.orders.values()].filter(({ at }) => now - at > orderPatienceMs);
    if (late.length === 0) return;
    for (const { job } of late) this.orders.delete(job.agent);
    const reason = `Its job could not be submitted: ${sentence}`;
    await endAgents(
      this.options.pool,
      late.map(({ job }) => ({ agent: job.agent, state: "failed" as const, reason })),
    );
    this.options.onNews();
  }
}
