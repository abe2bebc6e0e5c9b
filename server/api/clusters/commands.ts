/** The commands the portal ran on a cluster, newest first (DI-11). */
import type { Backend } from "../backend";
import type { CommandView } from "./views";

export async function commandsOfCluster(
  { db }: Pick<Backend, "db">,
  cluster: string,
  { before, limit }: { before: bigint | undefined; limit: number },
): Promise<CommandView[]> {
  const rows = await db.clusterCommand.findMany({
    where: { clusterId: cluster, ...(before !== undefined && { id: { lt: before } }) },
    orderBy: { id: "desc" },
    take: limit,
    select: {
      id: true,
      at: true,
      purpose: true,
      command: true,
      exitCode: true,
      stdout: true,
      stderr: true,
      durationMs: true,
    },
  });
  return rows.map((row) => ({ ...row, id: String(row.id) }));
}
