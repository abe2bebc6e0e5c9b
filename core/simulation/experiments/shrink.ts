/** A grid with a part of its hosts and limits, at least one of each: the same proportions, in less time. */
import type { Grid } from "@/core/simulation/grid/grid-schema";

export function shrink(grid: Grid, factor: number): Grid {
  const part = (of: number) => Math.max(1, Math.round(of * factor));
  const clusters = grid.clusters.map((cluster) => {
    const { agents, queued } = cluster.limits;
    return {
      ...cluster,
      limits: {
        ...(agents !== undefined && { agents: part(agents) }),
        ...(queued !== undefined && { queued: part(queued) }),
      },
      hosts: cluster.hosts.map((host) => ({ ...host, count: part(host.count) })),
    };
  });
  return { ...grid, clusters };
}
