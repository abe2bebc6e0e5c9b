/** The grid in one line: clusters, slots, agents, and what stops one from using it. */
import Link from "next/link";
import { counted } from "@/components/ui/format";
import type { ClusterView } from "@/server/api/views";

export function GridStatus({ clusters }: { clusters: ClusterView[] }) {
  const enabled = clusters.filter((cluster) => cluster.enabled);
  const slots = enabled.reduce((sum, cluster) => sum + cluster.slots, 0);
  const agents = enabled.reduce((sum, cluster) => sum + cluster.agents, 0);
  const usable = clusters.some((cluster) => cluster.usable);
  return (
    <p className="num flex flex-wrap items-center gap-x-2 text-[0.92rem] text-muted" data-testid="grid-status">
      <Link href="/clusters" className="link text-ink">
        Grid
      </Link>
      <span>{counted(enabled.length, "cluster")}</span>
      <span aria-hidden="true">·</span>
      <span>{counted(slots, "slot")}</span>
      <span aria-hidden="true">·</span>
      <span className={agents === 0 ? "text-caution" : ""}>
        {agents === 0 ? "no agent heard of in the last minute" : `${counted(agents, "agent")} connected`}
      </span>
      {usable ? null : (
        <span className="text-caution">· {clusters[0]?.unusableBecause ?? "no cluster is registered"}</span>
      )}
    </p>
  );
}
