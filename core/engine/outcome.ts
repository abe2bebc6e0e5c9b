/**
 * How an attempt can end (GW-6): exit code 0 is success, another exit code is failure, and an exit code
 * that is not set means cancelled or lost, so the task is placed again without blame.
 */
export type Outcome =
  /** `exitCode`: where it is an answer other than 0 (GW-13). */
  | { is: "succeeded"; outputs: OutputFile[]; exitCode?: number }
  | { is: "failed"; reason: FailureReason; exitCode?: number; signal?: string; detail?: string }
  | { is: "lost"; reason: LossReason }
  /** A file another task made is no longer where it was kept: whoever made it runs again. */
  | { is: "inputs-missing"; files: string[] }
  /** `superseded`: another attempt at the same task was first. `moved-…`: it went on elsewhere, without blame. */
  | { is: "cancelled"; reason?: "superseded" | `moved-${MoveReason}` };

/** Why a task left its host (GW-7). */
export const moveReasons = [
  "asked",
  "better-host",
  "performance",
  "requirements",
  "suspended",
  "wall-time",
  "selected",
] as const;
export type MoveReason = (typeof moveReasons)[number];

/** Moving is no loss, or a task that moves often would be given up. */
export function isMove(outcome: Outcome): boolean {
  return outcome.is === "cancelled" && (outcome.reason?.startsWith("moved-") ?? false);
}

export type FailureReason =
  | "exit-code"
  | "signal"
  | "output-missing"
  | "executable-missing"
  | "time-limit"
  | "memory-limit"
  | "output-limit"
  | "staging"
  /** The tasks it handed in cannot be added to the run. */
  | "spawn-refused"
  | "agent-error";

export type LossReason =
  | "agent-silent"
  | "agent-restarted"
  | "agent-stopped"
  | "shim-vanished"
  | "deadline-passed"
  /** It waited behind a task that took long (take-back.ts). */
  | "taken-back"
  /** What the batch system did to the job that carried the agent (GW-7). */
  | JobLoss;

export type JobLoss = "job-ended" | "job-cancelled" | "job-timed-out" | "job-suspended" | "node-lost";

export interface OutputFile {
  name: string;
  sha256: string;
  size: number;
  /** Kept by the agent for later tasks of the run, not staged out. */
  transient: boolean;
}

/** What the attempt used, as the agent measured it. Times are milliseconds since the epoch, by the agent's clock. */
export interface Usage {
  startedAt?: number;
  endedAt?: number;
  peakMemoryBytes?: number;
}
