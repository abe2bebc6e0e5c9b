/**
 * A simulated cluster: its hosts behind a queue. As long as there is work it keeps as many agents running or queued as its
 * limits allow; one that ended is asked for again and waits in the queue again (the overlay of GridBot §5).
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

export interface ClusterListener {
  startAgent(cluster: SimulatedCluster, host: SimulatedHost): SimulatedAgent;
  agentEnded(cluster: SimulatedCluster, agent: SimulatedAgent): void;
}

export class SimulatedCluster {
  readonly name: string;
  readonly link: Link;
  readonly cache: FileCache;
  readonly latencyMs: number;
  readonly hosts: SimulatedHost[] = [];
  private readonly free = new Fifo<SimulatedHost>();
  private readonly random;
  private running = 0;
  private queued = 0;
  /** Through the queue, but no host is free. */
  private waiting = 0;

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
        if (host.agent) this.endAgent(host.agent, false);
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

  open(): void {
    for (const host of this.hosts) {
      this.free.push(host);
      host.live();
    }
    this.askForAgents();
  }

  /** An agent ends: its host failed or was taken, its time is up, it vanished, or the engine has given it up. */
  endAgent(agent: SimulatedAgent, goodbye: boolean): void {
    if (!agent.alive) return;
    agent.end(goodbye);
    this.running -= 1;
    agent.host.agent = undefined;
    this.listener.agentEnded(this, agent);
    if (agent.host.available) this.hostIsFree(agent.host);
    this.askForAgents();
  }

  private askForAgents(): void {
    const { limits, queue } = this.described;
    const most = Math.min(limits.agents ?? this.hosts.length, this.hosts.length);
    const mostQueued = limits.queued ?? most;
    while (this.running + this.queued + this.waiting < most && this.queued < mostQueued) {
      this.queued += 1;
      this.timeline.after(draw(queue, this.random) * 1000, () => {
        this.queued -= 1;
        this.waiting += 1;
        this.place();
        this.askForAgents();
      });
    }
  }

  private hostIsFree(host: SimulatedHost): void {
    this.free.push(host);
    this.place();
  }

  private place(): void {
    while (this.waiting > 0) {
      const host = this.free.shift();
      if (!host) return;
      // It may have failed, or been taken and freed twice, while it stood in the line.
      if (!host.available || host.agent) continue;
      this.waiting -= 1;
      this.start(host);
    }
  }

  private start(host: SimulatedHost): void {
    const { lifetime, vanish } = this.described.agents;
    this.running += 1;
    const agent = this.listener.startAgent(this, host);
    host.agent = agent;
    if (lifetime) this.timeline.after(draw(lifetime, this.random) * 1000, () => this.endAgent(agent, true));
    if (vanish) this.timeline.after(draw(vanish, this.random) * 1000, () => this.endAgent(agent, false));
  }
}
