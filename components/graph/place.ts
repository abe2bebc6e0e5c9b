/** The layout in pixels, with its rows: what the arrow keys walk and where a click on a drawing lands. */
import { type Layout, taskBox } from "@/core/workflow/layout";

export const nodeWidth = taskBox.width;
export const nodeHeight = taskBox.height;

export interface Placement extends Layout {
  /** Tasks by row as drawn, top to bottom, each from left to right. */
  rows: Uint32Array[];
}

export function place(layout: Layout): Placement {
  const byY = new Map<number, number[]>();
  layout.y.forEach((y, task) => {
    const row = byY.get(y);
    if (row) row.push(task);
    else byY.set(y, [task]);
  });
  const rows = [...byY.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, tasks]) => Uint32Array.from(tasks).sort((a, b) => layout.x[a]! - layout.x[b]!));
  return { ...layout, rows };
}
