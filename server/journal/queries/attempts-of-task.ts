/**
 * The attempts at one task, first to last, with how each ended.
 */
import type { AgentId, ClusterId, RunId } from "@/core/engine/ids";
import type { FailureReason, LossReason, Outcome, Usage } from "@/core/engine/outcome";
import type { Placement } from "@/core/engine/ports";
import type { Database } from "../pool";

export interface AttemptRow {
  ordinal: number;
  agent: AgentId;
  cluster: ClusterId;
  host: string;
  /** Why there is this attempt. */
  because: Placement;
  /** Of its host, as the run's rank had it; null where nothing distinguished hosts. */
  rank: number | null;
  /** When it counts as lost. */
  deadlineAt: Date | null;
  sentAt: Date;
  startedAt: Date | null;
  /** Null while it is open. */
  outcome: Outcome["is"] | null;
  reason: FailureReason | LossReason | NonNullable<Extract<Outcome, { is: "cancelled" }>["reason"]> | null;
  exitCode: number | null;
  signal: string | null;
  detail: string | null;
  usage: Usage | null;
  recordedAt: Date | null;
}

export async function attemptsOfTask(database: Database, run: RunId, task: number): Promise<AttemptRow[]> {
  const { rows } = await database.query<AttemptRow>(
    `SELECT attempt.ordinal, attempt.agent, attempt.cluster, attempt.host, attempt.because,
            attempt.rank, attempt.deadline_at AS "deadlineAt", attempt.sent_at AS "sentAt",
            started.started_at AS "startedAt", ended.outcome, ended.reason, ended.exit_code AS "exitCode",
            ended.signal, ended.detail, ended.usage, ended.recorded_at AS "recordedAt"
     FROM engine.attempt
     LEFT JOIN engine.attempt_start AS started USING (run, task, ordinal)
     LEFT JOIN engine.outcome AS ended USING (run, task, ordinal)
     WHERE attempt.run = $1 AND attempt.task = $2 ORDER BY attempt.ordinal`,
    [run, task],
  );
  return rows;
}
