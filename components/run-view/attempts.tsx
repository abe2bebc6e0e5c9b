/** The attempts at a task, newest first: why there is each, where, when, how it ended and why. */
import { bytes } from "@/components/ui/format";
import { Elapsed, Moment } from "@/components/ui/moment";
import type { AttemptView } from "@/server/api/views";

const endings: Record<NonNullable<AttemptView["outcome"]>, string> = {
  succeeded: "Succeeded",
  failed: "Failed",
  lost: "Lost",
  "inputs-missing": "Inputs missing",
  cancelled: "Cancelled",
};

function endingOf({ outcome, moved }: AttemptView): string {
  return moved ? "Moved" : outcome ? endings[outcome] : "";
}

export function Attempts({ attempts }: { attempts: AttemptView[] }) {
  return (
    <section className="grid gap-1">
      <h3 className="label-caps">Attempts</h3>
      {attempts.length === 0 ? <p className="text-muted">None yet.</p> : null}
      <ol className="grid gap-2" data-testid="attempts">
        {[...attempts].reverse().map((attempt) => (
          <li key={attempt.ordinal} className="border-l-2 pl-2.5" data-testid="attempt">
            <p className="flex flex-wrap gap-x-2">
              <span className="font-medium">
                {attempt.ordinal}.{" "}
                {attempt.outcome ? endingOf(attempt) : attempt.startedAt ? "Running" : "Sent to the agent"}
              </span>
              {attempt.because === "replica" ? (
                <span className="border px-1 text-[0.8rem] text-muted" data-testid="replica">
                  Replica
                </span>
              ) : null}
              {attempt.exitCode !== null ? (
                <span className="font-mono text-[0.85rem]">exit code {attempt.exitCode}</span>
              ) : null}
            </p>
            {attempt.because === "first" ? null : (
              <p className="text-muted" data-testid="placed">
                {attempt.placed}
              </p>
            )}
            {attempt.reason && attempt.outcome !== "succeeded" ? <p className="break-words">{attempt.reason}</p> : null}
            <p className="num text-[0.85rem] text-muted">
              on {attempt.host} ({attempt.cluster}), <Moment at={attempt.startedAt ?? attempt.sentAt} />
              {attempt.startedAt ? (
                <>
                  , <Elapsed from={attempt.startedAt} to={attempt.endedAt} />
                </>
              ) : null}
              {attempt.rank !== null ? `, rank ${Number(attempt.rank.toPrecision(4))}` : ""}
              {attempt.deadlineAt && !attempt.outcome ? (
                <>
                  , deadline <Moment at={attempt.deadlineAt} />
                </>
              ) : null}
              {attempt.peakMemoryBytes !== null ? `, ${bytes(attempt.peakMemoryBytes)} memory` : ""}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
