/** What was asked of a run and is not done yet. */
import type { RunId } from "@/core/engine/ids";
import type { CommandKind } from "@/core/engine/plan";
import type { Database } from "@/server/journal/pool";

export async function openCommands(database: Database, run: RunId): Promise<CommandKind[]> {
  const { rows } = await database.query<{ kind: CommandKind }>(
    "SELECT DISTINCT kind FROM engine.command WHERE run = $1 AND done_at IS NULL ORDER BY kind",
    [run],
  );
  return rows.map((row) => row.kind);
}
