/** What is known of one task that may move, for its panel: the last restart files, what it asks for now, its last iterations. */
import type { RunId } from "@/core/engine/ids";
import type { Database } from "../pool";

export interface Adaptation {
  checkpointAt: Date | null;
  checkpointBytes: number | null;
  requirement: string | null;
  rank: string | null;
  /** It waits for a person. */
  held: boolean;
  /** Of the latest attempts, oldest first. */
  samples: { ordinal: number; n: number; seconds: number }[];
}

const mostSamples = 200;

export async function adaptationOfTask(database: Database, run: RunId, task: number): Promise<Adaptation> {
  const [sets, changes, samples] = await Promise.all([
    database.query<{ at: Date; bytes: number }>(
      `SELECT recorded_at AS at, (SELECT coalesce(sum((file->>'size')::float8), 0) FROM jsonb_array_elements(files) AS file) AS bytes
       FROM engine.checkpoint WHERE run = $1 AND task = $2`,
      [run, task],
    ),
    database.query<Pick<Adaptation, "requirement" | "rank" | "held">>(
      "SELECT requirement, rank, held FROM engine.task_change WHERE run = $1 AND task = $2",
      [run, task],
    ),
    database.query<Adaptation["samples"][number]>(
      `SELECT ordinal, n, seconds FROM engine.profile_sample WHERE run = $1 AND task = $2
       ORDER BY ordinal DESC, n DESC LIMIT ${mostSamples}`,
      [run, task],
    ),
  ]);
  const [set] = sets.rows;
  const { requirement = null, rank = null, held = false } = changes.rows[0] ?? {};
  return {
    checkpointAt: set?.at ?? null,
    checkpointBytes: set?.bytes ?? null,
    ...{ requirement, rank, held },
    samples: samples.rows.reverse(),
  };
}
