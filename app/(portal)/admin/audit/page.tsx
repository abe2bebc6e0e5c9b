import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { AuditLog } from "@/components/admin/audit-log";
import { requireMe } from "../../../session";

export const metadata: Metadata = { title: "Audit log" };

export default async function AuditPage() {
  const user = await requireMe("/admin/audit");
  if (user.role !== "admin") notFound();
  return (
    <div className="grid gap-5">
      <h1>Audit log</h1>
      <AuditLog />
    </div>
  );
}
