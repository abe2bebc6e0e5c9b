/**
 * The rows of the task table: indices of tasks, filtered and sorted. Works on columns (names, state bytes), because
 * it is done again as states change, for up to some hundred thousand tasks.
 */
import type { TaskStateName } from "@/core/engine/task-state";
import { TaskState } from "@/core/engine/task-state";

export type SortKey = "index" | "name" | "state";

export interface RowQuery {
  /** Part of a name, any case. */
  text: string;
  state: TaskStateName | "all";
  sort: SortKey;
  descending: boolean;
}

const collator = new Intl.Collator("en", { numeric: true });

export function taskRows(names: readonly string[], states: Uint8Array, query: RowQuery): Uint32Array {
  const text = query.text.trim().toLowerCase();
  const wanted = query.state === "all" ? -1 : TaskState[query.state];
  const rows: number[] = [];
  for (let task = 0; task < names.length; task += 1) {
    if (wanted >= 0 && states[task] !== wanted) continue;
    if (text !== "" && !(names[task] ?? "").toLowerCase().includes(text)) continue;
    rows.push(task);
  }
  if (query.sort === "name") rows.sort((a, b) => collator.compare(names[a] ?? "", names[b] ?? "") || a - b);
  if (query.sort === "state") rows.sort((a, b) => (states[a] ?? 0) - (states[b] ?? 0) || a - b);
  if (query.descending) rows.reverse();
  return Uint32Array.from(rows);
}

/** Which rows to put into the page for a scroll position, with some to spare on both sides. */
export function visibleRows(
  rowCount: number,
  rowHeight: number,
  scrollTop: number,
  viewHeight: number,
): { from: number; to: number } {
  const spare = 12;
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - spare);
  const to = Math.min(rowCount, Math.ceil((scrollTop + viewHeight) / rowHeight) + spare);
  return { from: Math.min(from, to), to };
}
