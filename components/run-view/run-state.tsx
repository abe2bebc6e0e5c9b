/** The state of a run: one word with the glyph and colour of the task state it resembles. */

import { StateTile } from "@/components/graph/state-glyph";
import type { RunState as RunStateName, TaskStateName } from "@/core/engine/task-state";

export const runStateNames = ["queued", "running", "succeeded", "failed", "killed"] as const satisfies RunStateName[];

export function runStateLabel(state: RunStateName): string {
  return looks[state].label;
}

const looks: Record<RunStateName, { label: string; like: TaskStateName }> = {
  queued: { label: "Queued", like: "ready" },
  running: { label: "Running", like: "running" },
  succeeded: { label: "Succeeded", like: "finished" },
  failed: { label: "Failed", like: "failed" },
  killed: { label: "Killed", like: "cancelled" },
};

export function RunState({ state }: { state: RunStateName }) {
  const look = looks[state];
  return (
    <span
      className="inline-flex items-center gap-1.5 whitespace-nowrap font-medium"
      data-testid="run-state"
      data-state={state}
    >
      <StateTile state={look.like} size={17} />
      {look.label}
    </span>
  );
}
