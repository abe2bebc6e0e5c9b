import type { Metadata } from "next";
import { ClusterPage } from "@/components/clusters/cluster-page";
import { api, orNotFound, requireMe } from "../../../session";

export const metadata: Metadata = { title: "Cluster" };

export default async function OneClusterPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const user = await requireMe(`/clusters/${id}`);
  const caller = await api();
  const [cluster, hosts] = await orNotFound(Promise.all([caller.clusters.get({ id }), caller.clusters.hosts({ id })]));
  return <ClusterPage key={id} initial={cluster} hosts={hosts} admin={user.role === "admin"} />;
}
