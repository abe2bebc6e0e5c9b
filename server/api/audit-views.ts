/** The audit log as admins read it: ids become names where what they name is still there. */
import type { Backend } from "./backend";
import type { AuditEntry } from "./clusters/views";

export async function listAudit(
  { db, pool }: Pick<Backend, "db" | "pool">,
  { before, about, limit }: { before: bigint | undefined; about: string | undefined; limit: number },
): Promise<AuditEntry[]> {
  const rows = await db.auditLog.findMany({
    where: {
      ...(before !== undefined && { id: { lt: before } }),
      ...(about && { action: { startsWith: `${about}.` } }),
    },
    orderBy: { id: "desc" },
    take: limit,
    select: { id: true, at: true, actor: true, action: true, subject: true, details: true },
  });
  const names = await namesOf({ db, pool }, [...new Set(rows.flatMap((row) => [row.actor, row.subject]))]);
  return rows.map((row) => ({
    id: String(row.id),
    at: row.at,
    actor: names.get(row.actor) ?? row.actor,
    action: row.action,
    subject: row.subject,
    subjectName: names.get(row.subject) ?? null,
    details: JSON.stringify(row.details),
  }));
}

async function namesOf({ db, pool }: Pick<Backend, "db" | "pool">, ids: string[]): Promise<Map<string, string>> {
  const uuids = ids.filter((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id));
  const [people, clusters, runs] = await Promise.all([
    db.user.findMany({ where: { id: { in: uuids } }, select: { id: true, name: true } }),
    db.cluster.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } }),
    pool.query<{ id: string; name: string }>("SELECT id, name FROM engine.run WHERE id = ANY ($1::uuid[])", [uuids]),
  ]);
  return new Map([...people, ...clusters, ...runs.rows].map(({ id, name }) => [id, name]));
}
