/**
 * Which clusters may be used by whom, as the admins set it, and why one cannot be used now, as the part that speaks with them
 * says. A cluster that cannot keep people's programs apart is for admins only, whatever its row allows. One that is drained or
 * removed takes nothing new. What is not a number is as if it were not there: settings are JSON.
 */
import type { Facts } from "@/core/engine/live-ad";
import type { ClusterPolicy } from "@/core/engine/plan";
import { facts } from "@/core/protocol/agent";
import type { Database } from "../pool";

interface Row {
  cluster: string;
  enabled: boolean;
  access: "everyone" | "admins";
  starts_agents: boolean;
  settings: unknown;
  problems: { account: string; sentence: string }[] | null;
  kinds: unknown[] | null;
}

/** With more kinds of hosts than this, a cluster may have any. */
const mostKinds = 50;

export async function clusterPolicies(database: Database): Promise<ClusterPolicy[]> {
  const { rows } = await database.query<Row>(
    `SELECT id AS cluster, enabled AND NOT draining AND removed_at IS NULL AS enabled,
            CASE WHEN isolation = 'none' THEN 'admins' ELSE access END AS access,
            id <> 'local' AS starts_agents, settings,
            (SELECT jsonb_agg(jsonb_build_object('account', account, 'sentence', sentence) ORDER BY account)
             FROM portal.cluster_health WHERE cluster_id = cluster.id AND NOT ok) AS problems,
            (SELECT jsonb_agg(facts) FROM (SELECT DISTINCT facts FROM portal.cluster_host
             WHERE cluster_id = cluster.id ORDER BY facts LIMIT ${mostKinds + 1}) AS kind) AS kinds
     FROM portal.cluster`,
  );
  return rows.map(({ cluster, enabled, access, starts_agents, settings, problems, kinds }) => {
    const given = typeof settings === "object" && settings !== null ? new Map(Object.entries(settings)) : new Map();
    const number = (name: string) => (typeof given.get(name) === "number" ? { [name]: given.get(name) } : {});
    return {
      ...{ cluster, enabled, access },
      ...(given.get("failOver") === true && { failOver: true }),
      ...number("distance"),
      ...number("linkMbps"),
      ...(kinds && kinds.length <= mostKinds && { kinds: kinds.map(readable) }),
      ...(starts_agents && { startsAgents: true }),
      ...(problems && {
        problems: problems.map(({ account, sentence }) => ({
          ...(account !== "service" && { owner: account }),
          sentence,
        })),
      }),
    };
  });
}

function readable(kind: unknown): Facts {
  const parsed = facts.safeParse(kind);
  return parsed.success ? parsed.data : {};
}
