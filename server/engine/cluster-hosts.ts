/**
 * What clusters say of their hosts, for expressions: the facts and readings of portal.cluster_host are told to the reactor for the agents
 * that are on those hosts. What an agent says of its host itself counts more: it is there. Only rows that changed are read.
 */
import type { AgentId, ClusterId } from "@/core/engine/ids";
import type { Facts } from "@/core/engine/live-ad";
import type { GatewayToEngine } from "@/core/engine/messages";
import { facts as factsShape } from "@/core/protocol/agent";
import type { Database } from "@/server/journal/pool";

interface Present {
  host: string;
  /** Names the agent told itself, in lower case. */
  own: Set<string>;
}

/** As portal.cluster_host has it. */
export interface HostRow {
  cluster: ClusterId;
  name: string;
  facts: unknown;
  reading: unknown;
  at: number;
}

/** Of a clock that may have gone back a little, and of rows whose commit was slow. */
const overlapMs = 5_000;

export class ClusterHosts {
  private readonly known = new Map<string, Facts>();
  private readonly agents = new Map<AgentId, Present>();
  private readSince = 0;

  constructor(private readonly tell: (agent: AgentId, facts: Facts) => void) {}

  /** To be called after the reactor has heard it. */
  hear(message: GatewayToEngine): void {
    switch (message.is) {
      case "agent-joined": {
        const { agent, cluster, host } = message;
        const own = new Set([...usual, ...Object.keys(host.facts ?? {})].map((name) => name.toLowerCase()));
        this.agents.set(agent, { host: keyOf(cluster, host.name), own });
        this.tellAgent(agent);
        return;
      }
      case "host-readings": {
        const present = this.agents.get(message.agent);
        for (const name of Object.keys(message.facts)) present?.own.add(name.toLowerCase());
        return;
      }
      case "agent-left":
        this.agents.delete(message.agent);
        return;
    }
  }

  async read(database: Database): Promise<void> {
    const { rows } = await database.query<HostRow>(
      `SELECT cluster_id AS cluster, name, facts, reading,
              extract(epoch FROM greatest(discovered_at, read_at))::float8 * 1000 AS at
       FROM portal.cluster_host WHERE greatest(discovered_at, read_at) > to_timestamp($1::float8 / 1000)`,
      [this.readSince - overlapMs],
    );
    this.take(rows);
  }

  take(rows: readonly HostRow[]): void {
    const changed = new Set<string>();
    for (const { cluster, name, facts, reading, at } of rows) {
      const key = keyOf(cluster, name);
      const merged = { ...readable(facts), ...readable(reading) };
      this.readSince = Math.max(this.readSince, at);
      if (JSON.stringify(this.known.get(key)) === JSON.stringify(merged)) continue;
      this.known.set(key, merged);
      changed.add(key);
    }
    if (changed.size === 0) return;
    for (const [agent, { host }] of this.agents) if (changed.has(host)) this.tellAgent(agent);
  }

  private tellAgent(agent: AgentId): void {
    const present = this.agents.get(agent);
    const facts = present && this.known.get(present.host);
    if (!facts) return;
    const news = Object.entries(facts).filter(([name]) => !present.own.has(name.toLowerCase()));
    if (news.length > 0) this.tell(agent, Object.fromEntries(news));
  }
}

/** Every agent tells these (core/engine/host-facts.ts). */
const usual = ["OpSys", "OpSysVersion", "Arch", "Cpus", "CpuModel", "Memory"];

/** A host is called by its short name here and by its long one there. */
function keyOf(cluster: ClusterId, host: string): string {
  return `${cluster}/${host.split(".")[0]?.toLowerCase() ?? ""}`;
}

function readable(facts: unknown): Facts {
  const parsed = factsShape.safeParse(facts);
  return parsed.success ? parsed.data : {};
}
