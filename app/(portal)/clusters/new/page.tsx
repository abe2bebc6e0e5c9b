import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { ClusterForm } from "@/components/clusters/cluster-form";
import { requireMe } from "../../../session";

export const metadata: Metadata = { title: "Register a cluster" };

export default async function NewClusterPage() {
  const user = await requireMe("/clusters/new");
  if (user.role !== "admin") notFound();
  return (
    <div className="grid gap-5">
      <h1>Register a cluster</h1>
      <ClusterForm />
    </div>
  );
}
