/**
 * How each state of a task looks, besides its colour: a word, an explanation and a glyph drawn in a 16×16 box.
 * The glyphs are path data, because the DOM draws them as SVG and large graphs draw them on a canvas.
 */
import { type TaskState, type TaskStateName, taskStateNames } from "@/core/engine/task-state";

export interface StateLook {
  label: string;
  meaning: string;
  glyph: string;
  /** Stroked unless filled. */
  filled: boolean;
}

export const stateLooks: Record<TaskStateName, StateLook> = {
  waiting: { label: "Waiting", meaning: "an input is not there yet", glyph: "M4 2.5h8L4 13.5h8z", filled: false },
  ready: {
    label: "Ready",
    meaning: "could run, waits for a free slot",
    glyph: "M8 2.2 13.8 8 8 13.8 2.2 8z",
    filled: false,
  },
  running: { label: "Running", meaning: "an agent has it", glyph: "M4.5 2.5v11l9-5.5z", filled: true },
  finished: {
    label: "Finished",
    meaning: "done, its outputs are safe",
    glyph: "M2.5 8.6 6.3 12.4 13.5 4.2",
    filled: false,
  },
  failed: { label: "Failed", meaning: "out of retries", glyph: "M3.6 3.6l8.8 8.8M12.4 3.6l-8.8 8.8", filled: false },
  cancelled: {
    label: "Cancelled",
    meaning: "the run was killed before it ended",
    glyph: "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM4.1 11.9l7.8-7.8",
    filled: false,
  },
  skipped: {
    label: "Skipped",
    meaning: "not on the branch that was taken",
    glyph: "M2.8 3.5 7.3 8 2.8 12.5M8.4 3.5 12.9 8 8.4 12.5",
    filled: false,
  },
  migrating: {
    label: "Migrating",
    meaning: "leaves its host to go on elsewhere",
    glyph: "M2 5.5h9M8.5 2.5l3 3-3 3M14 10.5H5M7.5 7.5l-3 3 3 3",
    filled: false,
  },
};

export function stateName(state: TaskState | number): TaskStateName {
  return taskStateNames[state] ?? "waiting";
}
