/**
 * Who gets agents started, where and for whom. About once a second, and whenever the engine tells a new demand, it looks at everything
 * at once: clusters, keys, what is wanted, what is on its way; decides by core/engine/supply; commits the agents it expects; and only
 * then gives their jobs to the places (place.ts), each of which speaks with its cluster in its own time. All it must not
 * forget is in the database, so it can end at any moment. One such process works at a time (a lease).
 */
import { randomBytes, randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Demand } from "@/core/engine/demand";
import { defaultFactory, type FactorySettings } from "@/core/engine/factory";
import type { AgentId } from "@/core/engine/ids";
import { defaultIdleRules } from "@/core/engine/overlay";
import { planSupply, type SupplyCluster } from "@/core/engine/supply";
import type { Pool } from "@/server/journal/pool";
import { type RegisteredCluster, registeredClusters } from "../cluster-settings";
import type { AgentJob } from "../driver";
import { accountFor, knownCredentials } from "./accounts";
import { type Account, type AskedAgent, endAgents, expectAgents, type NewAgent, rememberedAgents } from "./agent-rows";
import { forgetHealth, noteHealth } from "./health";
import { SupplyMemory } from "./memory";
import { closeServed, failRequest, readDemand, userNames, type WantedAgent, wantedAgents } from "./needs";
import { type PlaceMaker, Places } from "./places";

export interface SupplyOptions {
  pool: Pool;
  log: Logger;
  /** The first eight digits of our agents' ids: what bears them on a cluster is ours. */
  portalMark: string;
  makePlace: PlaceMaker;
  /** The job's script; throws with a sentence if the cluster's hosts could not reach the portal. */
  scriptFor(
    cluster: RegisteredCluster,
    agent: NewAgent & { wallSeconds: number; idleSeconds: number },
  ): Promise<string>;
  factory?: Partial<FactorySettings>;
  /** Agents that wait in a queue for nothing are taken back after this long. */
  surplusMs?: number;
}

const everyMs = 1_000;
/** The engine tells its demand again at least this often; an older one is not believed. */
const freshSeconds = 60;
const boundIdleSeconds = 15;
const tellAgainMs = 5_000;
const tidyMs = 15_000;

/** What is known at one moment. */
interface Picture {
  now: number;
  clusters: Map<string, RegisteredCluster>;
  demand: Demand[];
  toldAt: number | undefined;
  wanted: WantedAgent[];
  agents: AskedAgent[];
  /** By cluster and owner. */
  accounts: Map<string, Account>;
  names: Map<string, string>;
}

export class Supply {
  private readonly places: Places;
  private readonly memory: SupplyMemory;
  private readonly factory: FactorySettings;
  private readonly paused = new Map<string, { cluster: string; account: Account; at: number }>();
  private tidiedAt = Date.now();
  private timer?: NodeJS.Timeout;
  private thinking?: Promise<void>;
  private again = false;
  private stopped = false;

  constructor(private readonly options: SupplyOptions) {
    this.factory = { ...defaultFactory, ...options.factory };
    this.memory = new SupplyMemory(this.factory);
    this.places = new Places({
      pool: options.pool,
      log: options.log,
      makePlace: options.makePlace,
      isOurs: (agent) => agent.startsWith(`${options.portalMark}-`),
      onNews: () => this.wake(),
    });
  }

  start(): void {
    this.timer = setInterval(() => this.wake(), everyMs);
    this.wake();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.thinking;
    await this.places.stop();
  }

  /** One decision at a time; news during one brings another after it. */
  wake(): void {
    this.again = true;
    if (this.thinking || this.stopped) return;
    this.again = false;
    this.thinking = this.think()
      .catch((error: unknown) => {
        this.options.log.warn({ err: error }, "what clusters are asked for could not be decided; trying again");
      })
      .finally(() => {
        this.thinking = undefined;
        if (this.again && !this.stopped) setTimeout(() => this.wake(), 100);
      });
  }

  private async think(): Promise<void> {
    const picture = await this.look();
    this.memory.update(picture.agents, picture.now);
    await this.askForWanted(picture);
    await this.askForDemand(picture);
    await this.tidy(picture);
  }

  private async look(): Promise<Picture> {
    const { pool } = this.options;
    await closeServed(pool);
    const now = Date.now();
    const { clusters, problems } = await registeredClusters(pool);
    for (const { cluster, sentence } of problems) {
      await noteHealth(pool, { cluster, account: null, ok: false, sentence, failures: 0, polled: false });
    }
    const [told, wanted, agents, credentials] = await Promise.all([
      readDemand(pool, freshSeconds),
      wantedAgents(pool),
      rememberedAgents(pool, this.factory.windowMs / 1000),
      knownCredentials(pool),
    ]);
    const demand = told?.groups ?? [];
    const owners = new Set([...demand.map(({ owner }) => owner), ...wanted.map(({ owner }) => owner)]);
    const accounts = new Map<string, Account>();
    for (const cluster of clusters) {
      if (!cluster.enabled || cluster.removed) continue;
      for (const owner of owners) {
        const needs = demand.some((row) => row.owner === owner && row.clusters.includes(cluster.id));
        if (!needs && !wanted.some((one) => one.owner === owner && one.cluster === cluster.id)) continue;
        const choice = accountFor(cluster, owner, credentials, now);
        if ("problem" in choice) await this.pause(cluster, choice.account, choice.problem);
        else accounts.set(placeKey(cluster.id, owner), choice.account);
      }
    }
    const inUse = [...accounts].map(([key, account]) => ({ cluster: key.slice(0, key.indexOf("\n")), account }));
    await this.places.keep({ clusters, agents, credentials, wanted: inUse, now });
    return {
      ...{ now, demand, toldAt: told?.toldAt, wanted, agents, accounts },
      clusters: new Map(clusters.map((cluster) => [cluster.id, cluster])),
      names: await userNames(pool, [...owners]),
    };
  }

  /** Agents nobody can ask about any more, because the key is gone, and what was told of accounts that are no longer used. */
  private async tidy({ agents, now }: Picture): Promise<void> {
    if (now - this.tidiedAt < tidyMs) return;
    this.tidiedAt = now;
    const lost = agents.filter(({ cluster, account, endedAt, expiresAt }) => {
      return endedAt === null && expiresAt !== null && expiresAt < now && !this.places.get(cluster, account);
    });
    const reason = "There is no key any more with which its job could be looked at.";
    await endAgents(
      this.options.pool,
      lost.map(({ id }) => ({ agent: id, state: "gone", reason })),
    );
    const told = [...this.paused.values()].filter(({ at }) => now - at < 2 * tidyMs);
    await forgetHealth(this.options.pool, [...this.places.inUse(), ...told]);
  }

  /** What depends on the account waits, and says why. */
  private async pause(cluster: RegisteredCluster, account: Account, sentence: string): Promise<void> {
    // Told again now and then, because a place that was in use until now may have told otherwise.
    const key = placeKey(cluster.id, `${account} ${sentence}`);
    if (Date.now() - (this.paused.get(key)?.at ?? 0) < tellAgainMs) return;
    if (this.paused.size > 10_000) this.paused.clear();
    this.paused.set(key, { cluster: cluster.id, account, at: Date.now() });
    await noteHealth(this.options.pool, {
      ...{ cluster: cluster.id, account, ok: false, sentence, failures: 0, polled: false },
    });
  }

  /** Early binding: one agent for each attempt, within the cluster's limits. */
  private async askForWanted(picture: Picture): Promise<void> {
    const { wanted, clusters, accounts, agents } = picture;
    const needed = new Set(wanted.map(({ attempt }) => attempt));
    for (const agent of agents) {
      if (agent.attempt === null || agent.endedAt !== null || agent.state !== "expected") continue;
      if (!needed.has(agent.attempt)) this.takeBack(agent, "Nobody waits for it any more.");
    }
    for (const request of wanted) {
      if (request.agent !== null) continue;
      const cluster = clusters.get(request.cluster);
      const account = accounts.get(placeKey(request.cluster, request.owner));
      if (!cluster || cluster.draining || account === undefined) {
        const why =
          !cluster?.enabled || cluster.draining ? "The cluster takes no new work." : "There is no usable key.";
        await failRequest(this.options.pool, request.id, why);
        continue;
      }
      const failed = agents.find((agent) => agent.attempt === request.attempt && agent.askedAt >= request.askedAt);
      if (failed) {
        await failRequest(this.options.pool, request.id, failed.endReason ?? "The agent ended before it came.");
        continue;
      }
      if (this.places.isHealthy(cluster.id, account) && roomOn(cluster, agents, picture.now) > 0) {
        await this.ask(picture, cluster, request.owner, account, 1, request);
      }
    }
  }

  private async askForDemand(picture: Picture): Promise<void> {
    const { now, demand, toldAt, clusters, accounts, agents } = picture;
    if (toldAt === undefined) return;
    const plan = planSupply(
      {
        ...{ now, toldAt, history: this.memory.history, factory: this.factory },
        demand: demand.map((row) => ({
          ...row,
          clusters: row.clusters.filter((id) => this.isOpen(picture, id, row.owner)),
        })),
        clusters: [...clusters.values()].map((cluster) => supplyCluster(cluster, accounts, agents)),
        idle: { ...defaultIdleRules, idleMs: this.options.surplusMs ?? 30_000 },
      },
      { next: Math.random },
    );
    const byId = new Map(agents.map((agent) => [agent.id, agent]));
    for (const { agent: id, pending, code } of plan.ending) {
      const agent = byId.get(id);
      // An agent that was started for one attempt is judged by that.
      if (agent && pending && agent.attempt === null && this.places.isHealthy(agent.cluster, agent.account)) {
        this.takeBack(agent, surplusReasons[code]);
      }
    }
    for (const { cluster: id, owner, agents: count } of plan.requests) {
      const cluster = clusters.get(id);
      const account = owner === undefined ? undefined : accounts.get(placeKey(id, owner));
      if (cluster && owner !== undefined && account !== undefined) {
        await this.ask(picture, cluster, owner, account, count);
      }
    }
  }

  /** The cluster answers, and the person may use it. */
  private isOpen({ accounts }: Picture, cluster: string, owner: string): boolean {
    const account = accounts.get(placeKey(cluster, owner));
    return account !== undefined && this.places.isHealthy(cluster, account);
  }

  /** Committed first; a job that is submitted without its row being known would be nobody's. */
  private async ask(
    picture: Picture,
    cluster: RegisteredCluster,
    owner: string,
    account: Account,
    count: number,
    wanted?: WantedAgent,
  ): Promise<void> {
    const place = this.places.get(cluster.id, account);
    if (!place || count <= 0) return;
    const { settings } = cluster;
    const slots = wanted?.asks.cores ?? settings.slotsPerAgent;
    const wallSeconds = Math.ceil(wanted?.asks.wallSeconds ? wanted.asks.wallSeconds + 120 : settings.wallSeconds);
    const fresh = Array.from({ length: count }, (): NewAgent => {
      const token = randomBytes(32).toString("base64url");
      const bound = wanted ? { attempt: wanted.attempt } : {};
      return { id: this.newAgentId(), cluster: cluster.id, owner, account, token, slots, ...bound };
    });
    const idleSeconds = wanted ? boundIdleSeconds : settings.idleSeconds;
    const memoryBytes = wanted?.asks.memoryBytes ?? settings.memoryBytesPerAgent;
    const { gpus, processes } = wanted?.asks ?? {};
    let jobs: AgentJob[];
    try {
      jobs = await Promise.all(
        fresh.map(async (agent): Promise<AgentJob> => {
          const script = await this.options.scriptFor(cluster, { ...agent, wallSeconds, idleSeconds });
          return {
            ...{ agent: agent.id, user: picture.names.get(owner) ?? owner, script, cores: slots, wallSeconds },
            ...(memoryBytes !== undefined && { memoryBytes }),
            ...(gpus !== undefined && { gpus }),
            ...(processes !== undefined && { processes }),
            ...(cluster.queue !== undefined && { queue: cluster.queue }),
          };
        }),
      );
    } catch (error) {
      await this.pause(cluster, account, error instanceof Error ? error.message : String(error));
      return;
    }
    await expectAgents(this.options.pool, fresh);
    const at = Date.now();
    picture.agents.push(...fresh.map((agent) => justAsked(agent, at)));
    this.memory.update(picture.agents, at);
    place.order(jobs);
  }

  private takeBack(agent: AskedAgent, reason: string): void {
    this.places.get(agent.cluster, agent.account)?.takeBack(agent.id, reason);
  }

  private newAgentId(): AgentId {
    return `${this.options.portalMark}${randomUUID().slice(8)}`;
  }
}

function justAsked(agent: NewAgent, askedAt: number): AskedAgent {
  const { id, cluster, owner, account, attempt = null } = agent;
  const unheard = { job: null, jobState: null, expiresAt: null, lastSeenAt: null, endedAt: null, endReason: null };
  return { id, cluster, owner, account, attempt, askedAt, state: "expected", ...unheard };
}

const surplusReasons = {
  "no-demand": "Nothing is left for it to do.",
  "no-work": "Nothing is left for it to do.",
  draining: "The cluster is being drained.",
  disabled: "The cluster was switched off.",
};

function placeKey(cluster: string, owner: string): string {
  return `${cluster}\n${owner}`;
}

/** Every agent is somebody's: the programs of two people never share one, whatever the account. */
function supplyCluster(
  { id, settings, enabled, draining, removed }: RegisteredCluster,
  accounts: ReadonlyMap<string, Account>,
  agents: readonly AskedAgent[],
): SupplyCluster {
  const owners = new Set<string>();
  for (const { owner, cluster } of agents) if (cluster === id) owners.add(owner);
  for (const key of accounts.keys()) if (key.startsWith(`${id}\n`)) owners.add(key.slice(id.length + 1));
  const { slotsPerAgent, maxAgents, maxQueued, perMinute, memoryBytesPerAgent, wallSeconds } = settings;
  return {
    ...{ id, slotsPerAgent, maxAgents, maxQueued, perMinute, wallSeconds },
    mode: !enabled || removed ? "disabled" : draining ? "draining" : "enabled",
    ...(memoryBytesPerAgent !== undefined && { memoryBytesPerAgent }),
    owners: [...owners],
    shared: false,
  };
}

/** How many more agents the cluster's limits allow. */
function roomOn({ id, settings }: RegisteredCluster, agents: readonly AskedAgent[], now: number): number {
  let living = 0;
  let pending = 0;
  let lately = 0;
  for (const { cluster, state, endedAt, askedAt } of agents) {
    if (cluster !== id) continue;
    if (now - askedAt < 60_000) lately += 1;
    if (endedAt !== null) continue;
    living += 1;
    if (state === "expected") pending += 1;
  }
  return Math.min(settings.maxAgents - living, settings.maxQueued - pending, settings.perMinute - lately);
}
