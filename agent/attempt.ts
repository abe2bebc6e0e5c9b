/**
 * An attempt as the agent holds it, from its assignment until its outcome is acknowledged.
 *
 *   queued → staging → running → collecting → ended
 *
 * A verdict (cancelled, a limit, the agent stops) may come at any time before the end and then is the outcome; a discarded
 * attempt takes the same way but is forgotten at its end instead of reported.
 */
import type { AgentOutcome, Assignment, Candidate, Ended } from "@/core/protocol/agent";
import type { AdaptiveTask } from "./adaptive-watch";
import type { Slot } from "./config";
import type { TaskProcesses } from "./isolation/isolation";
import { LiveOutput } from "./live-output";

export class Attempt {
  readonly assignment: Assignment;
  readonly output: LiveOutput;
  readonly spooled: boolean;
  phase: "queued" | "staging" | "running" | "collecting" | "ended" = "queued";
  slot: Slot | undefined;
  processes: TaskProcesses | undefined;
  stagedBytes = 0;
  startedAt: number | undefined;
  endedAt: number | undefined;
  startReported = false;
  peakMemoryBytes: number | undefined;
  verdict: AgentOutcome | undefined;
  discarded = false;
  /** If it may move: what is watched of it while it runs. */
  adaptive: AdaptiveTask | undefined;
  /** Its restart files are brought to safety before it is ended. */
  leaving = false;
  /** What the user's own resource selector chose instead of this host. */
  candidates: Candidate[] | undefined;
  ended: Ended | undefined;
  /** Aborted with the verdict: whatever waits for a transfer need not wait any longer. */
  readonly #abort = new AbortController();

  /** `spoolDirectory` is absent for what is never run. */
  constructor(assignment: Assignment, spoolDirectory: string | undefined) {
    this.assignment = assignment;
    this.spooled = spoolDirectory !== undefined;
    this.output = new LiveOutput(assignment.attempt, spoolDirectory, assignment.limits.streamBytes);
  }

  get id(): Assignment["attempt"] {
    return this.assignment.attempt;
  }

  get given(): AbortSignal {
    return this.#abort.signal;
  }

  /** The first verdict stands. */
  judge(verdict: AgentOutcome): boolean {
    if (this.verdict || this.phase === "ended") return false;
    this.verdict = verdict;
    this.#abort.abort();
    return true;
  }
}
