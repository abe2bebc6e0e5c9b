/**
 * Which clusters may be used by whom, as the admins set it. A cluster that cannot keep people's programs apart
 * is for admins only, whatever its row allows.
 */
import type { ClusterPolicy } from "@/core/engine/plan";
import type { Database } from "../pool";

export async function clusterPolicies(database: Database): Promise<ClusterPolicy[]> {
  const { rows } = await database.query<ClusterPolicy>(
    `SELECT id AS cluster, enabled, CASE WHEN isolation = 'none' THEN 'admins' ELSE access END AS access
     FROM portal.cluster`,
  );
  return rows;
}
