/** Hosts whose agents were heard of lately, with what they and their clusters tell of them. */
import { describeHost } from "@/core/engine/host-facts";
import type { Facts } from "@/core/engine/live-ad";
import type { HostToMatch } from "@/core/engine/match-hosts";
import type { HostFacts } from "@/core/protocol/agent";
import type { Database } from "@/server/journal/pool";

/** More than a person looks through; the page says when there are more. */
export const mostHosts = 5000;

interface Row {
  id: string;
  cluster: string;
  host: HostFacts;
  slots: number;
  held: number | null;
  readings: Facts | null;
  discovered: Facts | null;
  reading: Facts | null;
}

/** Of these clusters; an agent that works for one person only is shown to that person. */
export async function hostsToMatch(
  database: Database,
  clusters: readonly string[],
  user: string,
): Promise<HostToMatch[]> {
  const { rows } = await database.query<Row>(
    `SELECT agent.id, cluster, host, slots, held, readings, known.facts AS discovered, known.reading
     FROM engine.agent
     LEFT JOIN portal.cluster_host AS known ON known.cluster_id = agent.cluster AND known.name = agent.host ->> 'name'
     WHERE state = 'joined' AND last_seen_at > now() - interval '1 minute' AND host IS NOT NULL AND slots > 0
       AND cluster = ANY ($1) AND (owner IS NULL OR owner = $2)
     ORDER BY agent.id LIMIT $3`,
    [clusters, user, mostHosts],
  );
  return rows.map(({ id, cluster, host, slots, held, readings, discovered, reading }) => {
    const described = describeHost(host);
    return {
      id,
      cluster,
      host: host.name,
      slots,
      free: Math.max(0, slots - (held ?? 0)),
      ...described,
      facts: { ...discovered, ...reading, ...described.facts, ...readings },
    };
  });
}
