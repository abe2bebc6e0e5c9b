/** What ended on each cluster in the last hour, by the minute. Asked of the database at most every few seconds, whoever looks. */
import type { Database } from "@/server/journal/pool";
import type { ActivityView } from "./views";

export const activityMinutes = 60;
const freshMs = 10_000;

export class Activity {
  private answer: Promise<ActivityView[]> | undefined;
  private askedAt = 0;

  constructor(private readonly database: Database) {}

  read(): Promise<ActivityView[]> {
    const now = Date.now();
    if (this.answer && now - this.askedAt < freshMs) return this.answer;
    this.askedAt = now;
    const answer = askActivity(this.database);
    this.answer = answer;
    answer.catch(() => {
      if (this.answer === answer) this.answer = undefined;
    });
    return answer;
  }
}

interface Row {
  cluster: string;
  /** How many minutes ago, 0 for the one that is running. */
  age: number;
  succeeded: number;
  failed: number;
}

export async function askActivity(database: Database): Promise<ActivityView[]> {
  const { rows } = await database.query<Row>(
    `SELECT cluster, floor(extract(epoch FROM now() - recorded_at) / 60)::int AS age,
            count(*) FILTER (WHERE outcome = 'succeeded')::int AS succeeded,
            count(*) FILTER (WHERE outcome IN ('failed', 'lost', 'inputs-missing'))::int AS failed
     FROM engine.outcome JOIN engine.attempt USING (run, task, ordinal)
     WHERE recorded_at > now() - interval '${activityMinutes} minutes' GROUP BY cluster, age`,
  );
  const views = new Map<string, ActivityView>();
  for (const row of rows) {
    let view = views.get(row.cluster);
    if (!view) {
      const none = () => Array.from({ length: activityMinutes }, () => 0);
      view = { cluster: row.cluster, succeeded: none(), failed: none() };
      views.set(row.cluster, view);
    }
    // A clock that was set back makes minutes that are still to come: they count as now.
    const at = activityMinutes - 1 - Math.min(activityMinutes - 1, Math.max(0, row.age));
    view.succeeded[at] = (view.succeeded[at] ?? 0) + row.succeeded;
    view.failed[at] = (view.failed[at] ?? 0) + row.failed;
  }
  return [...views.values()];
}
