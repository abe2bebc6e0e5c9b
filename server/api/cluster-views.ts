/** The clusters as one person sees them: may I use it, and if not, why not. */
import { z } from "zod";
import type { SessionUser } from "@/server/auth/session";
import type { Backend } from "./backend";
import { liveAgents } from "./queries/live-agents";
import type { ClusterView } from "./views";

/** Plain text in the database, held to these words by its CHECK constraints. */
const access = z.enum(["everyone", "admins"]);
const isolation = z.enum(["accounts", "namespaces", "none"]);

export async function listClusters(
  { db, pool }: Pick<Backend, "db" | "pool">,
  user: SessionUser,
): Promise<ClusterView[]> {
  const [clusters, agents] = await Promise.all([
    db.cluster.findMany({
      orderBy: [{ createdAt: "asc" }, { id: "asc" }],
      select: {
        id: true,
        name: true,
        driver: true,
        enabled: true,
        access: true,
        isolation: true,
        isolationNote: true,
        slots: true,
      },
    }),
    liveAgents(pool),
  ]);
  return clusters.map((row) => {
    const cluster = { ...row, access: access.parse(row.access), isolation: isolation.parse(row.isolation) };
    const unusableBecause = whyUnusable(cluster, user);
    return {
      ...cluster,
      agents: agents.get(cluster.id) ?? 0,
      usable: unusableBecause === null,
      unusableBecause,
    };
  });
}

export function whyUnusable(
  cluster: Pick<ClusterView, "enabled" | "access" | "isolation">,
  user: Pick<SessionUser, "role">,
): string | null {
  if (!cluster.enabled) return "It is switched off.";
  if (user.role === "admin") return null;
  if (cluster.isolation === "none") {
    return "Programs cannot be kept apart from the portal here, so only admins may run tasks on it.";
  }
  if (cluster.access === "admins") return "Only admins may run tasks on it.";
  return null;
}
