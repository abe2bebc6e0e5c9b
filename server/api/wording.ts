/** Rows of the journal turned into the sentences of core/engine/reasons.ts. */
import type { Outcome } from "@/core/engine/outcome";
import { describeEvent, describeOutcome, isCancelReason, isFailureReason, isLossReason } from "@/core/engine/reasons";
import type { AttemptRow } from "@/server/journal/queries/attempts-of-task";
import type { EventRow } from "@/server/journal/queries/events-of-run";

export function wordEvent(event: Pick<EventRow, "code" | "args">): string {
  return describeEvent(event.code, event.args);
}

/** Why an attempt ended; empty while it runs. */
export function wordAttempt(row: Pick<AttemptRow, "outcome" | "reason" | "exitCode" | "signal" | "detail">): string {
  const outcome = outcomeOf(row);
  return outcome ? describeOutcome(outcome) : "";
}

type Ending = Parameters<typeof wordAttempt>[0];

function outcomeOf({ outcome, reason, exitCode, signal, detail }: Ending): Outcome | undefined {
  switch (outcome) {
    case null:
      return undefined;
    case "failed":
      return {
        is: "failed",
        reason: reason !== null && isFailureReason(reason) ? reason : "agent-error",
        exitCode: exitCode ?? undefined,
        signal: signal ?? undefined,
        detail: detail ?? undefined,
      };
    case "lost":
      return { is: "lost", reason: reason !== null && isLossReason(reason) ? reason : "agent-silent" };
    case "inputs-missing":
      return { is: "inputs-missing", files: detail?.split("\n") ?? [] };
    case "succeeded":
      return { is: "succeeded", outputs: [], ...(exitCode ? { exitCode } : {}) };
    case "cancelled":
      return reason !== null && isCancelReason(reason) ? { is: "cancelled", reason } : { is: "cancelled" };
  }
}
