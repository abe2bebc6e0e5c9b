/** The audit log: who did what to what. Written in the same transaction as the deed where there is one. */
import type { Prisma } from "@/generated/prisma/client";
import type { PortalDb } from "./client";

export type AuditAction =
  | "account.created"
  | "account.linked"
  | "cluster.enabled"
  | "cluster.disabled"
  | "cluster.access"
  | "cluster.added"
  | "cluster.changed"
  | "cluster.tested"
  | "cluster.drained"
  | "cluster.resumed"
  | "cluster.removed"
  | "cluster.restored"
  | "key.saved"
  | "key.removed"
  | "account.role"
  | "account.disabled"
  | "account.enabled"
  | "run.started"
  | "run.killed"
  | "task.moved"
  | "task.resumed"
  | "run.retried"
  | "run.policies-changed";

export async function recordAudit(
  db: Pick<PortalDb, "auditLog">,
  entry: { actor: string; action: AuditAction; subject: string; details?: Prisma.InputJsonObject },
): Promise<void> {
  await db.auditLog.create({ data: { ...entry, details: entry.details ?? {} }, select: { id: true } });
}
