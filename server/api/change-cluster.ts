/** An admin's decision on a cluster: stored, logged, and told to the engine in one transaction. */
import type { SessionUser } from "@/server/auth/session";
import { recordAudit } from "@/server/portal-db/audit";
import type { Backend } from "./backend";
import { notFound } from "./trpc";

export type ClusterChange = { enabled: boolean } | { access: "everyone" | "admins" };

export async function changeCluster(
  { db }: Pick<Backend, "db">,
  admin: SessionUser,
  id: string,
  change: ClusterChange,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const changed = await tx.cluster.updateMany({ where: { id, removedAt: null }, data: change });
    if (changed.count === 0) throw notFound("cluster");
    await recordAudit(tx, {
      actor: admin.id,
      action: "access" in change ? "cluster.access" : change.enabled ? "cluster.enabled" : "cluster.disabled",
      subject: id,
      details: change,
    });
    await tx.$executeRaw`SELECT pg_notify('gridloom_cluster', ${id})`;
  });
}
