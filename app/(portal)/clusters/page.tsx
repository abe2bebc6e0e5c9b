import type { Metadata } from "next";
import { Clusters } from "@/components/clusters/clusters";
import { ButtonLink } from "@/components/ui/button";
import { api, requireMe } from "../../session";

export const metadata: Metadata = { title: "Clusters" };

export default async function ClustersPage() {
  const user = await requireMe("/clusters");
  const clusters = await (await api()).clusters.list();
  const admin = user.role === "admin";
  return (
    <div className="grid gap-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1>Clusters</h1>
        {admin ? (
          <ButtonLink rank="primary" href="/clusters/new" data-testid="new-cluster">
            Register a cluster
          </ButtonLink>
        ) : null}
      </div>
      <Clusters initial={clusters} admin={admin} />
    </div>
  );
}
