import type { Metadata } from "next";
import { Clusters } from "@/components/clusters/clusters";
import { api, requireMe } from "../../session";

export const metadata: Metadata = { title: "Clusters" };

export default async function ClustersPage() {
  const user = await requireMe("/clusters");
  const clusters = await (await api()).clusters.list();
  return (
    <div className="grid gap-5">
      <h1>Clusters</h1>
      <Clusters initial={clusters} admin={user.role === "admin"} />
    </div>
  );
}
