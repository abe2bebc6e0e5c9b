/**
 * A simulated cluster: its hosts behind a queue. It is asked for agents one by one; each waits in the queue, and then for a
 * host that is free. Who asks, and when, is the supply's business (supply.ts).
 */
import { Fifo } from "@/core/engine/fifo";
import type { Timeline } from "@/core/simulation/timeline";
import type { SimulatedAgent } from "./agent";
import { draw } from "./distribution";
import { FileCache } from "./file-cache";
import type { GridCluster } from "./grid-schema";
import { SimulatedHost } from "./host";
import { Link } from "./link";
import { stream } from "./streams";

/** Why an agent ended: well if it said goodbye. */
export type AgentEnd = "lifetime" | "idle" | "vanished" | "host" | "given-up";

export interface ClusterListener {
  startAgent(cluster: SimulatedCluster, host: SimulatedHost, id: string): SimulatedAgent;
  agentEnded(cluster: SimulatedCluster, agent: SimulatedAgent, why: AgentEnd): void;
  /** An agent is through the queue. */
  queueMoved(cluster: SimulatedCluster): void;
}

export class SimulatedCluster {
  readonly name: string;
  readonly link: Link;
  readonly cache: FileCache;
  readonly latencyMs: number;
  readonly hosts: SimulatedHost[] = [];
  running = 0;
  /** For the report: asked for, refused, taken back, and the most that were in the queue at a time. */
  readonly told = { asked: 0, refused: 0, cancelled: 0, idle: 0, mostQueued: 0 };
  private readonly free = new Fifo<SimulatedHost>();
  private readonly random;
  private readonly queued = new Set<string>();
  /** Through the queue, but no host is free. */
  private readonly waiting = new Set<string>();

  constructor(
    private readonly timeline: Timeline,
    readonly described: GridCluster,
    seed: number,
    private readonly listener: ClusterListener,
  ) {
    this.name = described.name;
    const { latencySeconds, bytesPerSecond = Number.POSITIVE_INFINITY } = described.link;
    const { transferSeconds = latencySeconds } = described.link;
    this.latencyMs = latencySeconds * 1000;
    this.link = new Link(timeline, transferSeconds * 1000, bytesPerSecond / 1000);
    this.cache = new FileCache(this.link, described.cache);
    this.random = stream(seed, "queue", this.name);
    const hostListener = {
      becameAvailable: (host: SimulatedHost) => this.hostIsFree(host),
      becameUnavailable: (host: SimulatedHost) => {
        if (host.agent) this.endAgent(host.agent, "host");
      },
    };
    for (const kind of described.hosts) {
      for (let number = 1; number <= kind.count; number += 1) {
        const chances = stream(seed, "host", this.name, kind.name, number);
        this.hosts.push(new SimulatedHost(timeline, kind, described, number, chances, hostListener));
      }
    }
  }

  get slots(): number {
    return this.hosts.reduce((sum, { slots }) => sum + slots, 0);
  }

  get inQueue(): number {
    return this.queued.size;
  }

  get pending(): number {
    return this.queued.size + this.waiting.size;
  }

  get mostAgents(): number {
    return Math.min(this.described.limits.agents ?? this.hosts.length, this.hosts.length);
  }

  get mostQueued(): number {
    return this.described.limits.queued ?? this.mostAgents;
  }

  open(): void {
    for (const host of this.hosts) {
      this.free.push(host);
      host.live();
    }
  }

  /** False: the gateway refuses. */
  ask(id: string): boolean {
    const { queue, outages } = this.described;
    const now = this.timeline.now / 1000;
    this.told.asked += 1;
    if (outages.some(({ from, to }) => from <= now && now < to)) {
      this.told.refused += 1;
      return false;
    }
    this.queued.add(id);
    this.told.mostQueued = Math.max(this.told.mostQueued, this.queued.size);
    this.timeline.after(draw(queue, this.random) * 1000, () => {
      if (!this.queued.delete(id)) return;
      this.waiting.add(id);
      this.place();
      this.listener.queueMoved(this);
    });
    return true;
  }

  /** Takes back an agent that has not begun; false if there is none such. */
  cancel(id: string): boolean {
    if (!this.queued.delete(id) && !this.waiting.delete(id)) return false;
    this.told.cancelled += 1;
    return true;
  }

  endAgent(agent: SimulatedAgent, why: AgentEnd): void {
    if (!agent.alive) return;
    agent.end(why === "lifetime" || why === "idle");
    if (why === "idle") this.told.idle += 1;
    this.running -= 1;
    agent.host.agent = undefined;
    this.listener.agentEnded(this, agent, why);
    if (agent.host.available) this.hostIsFree(agent.host);
  }

  private hostIsFree(host: SimulatedHost): void {
    this.free.push(host);
    this.place();
  }

  private place(): void {
    for (const id of this.waiting) {
      const host = this.nextFree();
      if (!host) return;
      this.waiting.delete(id);
      this.start(host, id);
    }
  }

  private nextFree(): SimulatedHost | undefined {
    for (let host = this.free.shift(); host; host = this.free.shift()) {
      // It may have failed, or been taken and freed twice, while it stood in the line.
      if (host.available && !host.agent) return host;
    }
    return undefined;
  }

  private start(host: SimulatedHost, id: string): void {
    const { lifetime, vanish } = this.described.agents;
    this.running += 1;
    const agent = this.listener.startAgent(this, host, id);
    host.agent = agent;
    if (lifetime) this.timeline.after(draw(lifetime, this.random) * 1000, () => this.endAgent(agent, "lifetime"));
    if (vanish) this.timeline.after(draw(vanish, this.random) * 1000, () => this.endAgent(agent, "vanished"));
  }
}
