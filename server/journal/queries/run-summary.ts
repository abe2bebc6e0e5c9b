/**
 * A run as lists and pages show it, without its text and application. Shared by the queries that return one.
 */
import type { RunId } from "@/core/engine/ids";
import type { RunState } from "@/core/engine/task-state";

export interface RunSummary {
  id: RunId;
  owner: string;
  ownerAdmin: boolean;
  workflow: string | null;
  name: string;
  format: string;
  taskCount: number;
  edgeCount: number;
  state: RunState;
  /** Tasks in each state, in the order of `taskStateNames`. */
  counts: number[];
  seq: number;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}

export const runSummaryColumns = `id, owner, owner_admin AS "ownerAdmin", workflow, name, format,
  task_count AS "taskCount", edge_count AS "edgeCount", state, counts, seq::float8 AS seq,
  created_at AS "createdAt", started_at AS "startedAt", ended_at AS "endedAt"`;
