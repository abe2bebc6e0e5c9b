/**
 * The arrow keys on a graph: down follows an edge to a successor, up to a predecessor (each time to the one drawn
 * nearest), left and right walk the row, Home and End go to the first and last task.
 */
import type { Workflow } from "@/core/workflow/workflow";
import type { Placement } from "./place";

type Edges = Pick<Workflow, "successors" | "predecessors" | "taskCount">;

export function navigate(
  graph: Edges,
  placement: Placement,
  from: number | undefined,
  key: string,
): number | undefined {
  const first = placement.rows[0]?.[0];
  if (from === undefined) return key.startsWith("Arrow") || key === "Home" ? first : undefined;
  switch (key) {
    case "ArrowDown":
      return nearest(placement, from, graph.successors);
    case "ArrowUp":
      return nearest(placement, from, graph.predecessors);
    case "ArrowLeft":
      return beside(placement, from, -1);
    case "ArrowRight":
      return beside(placement, from, 1);
    case "Home":
      return first;
    case "End":
      return placement.rows.at(-1)?.at(-1);
    default:
      return undefined;
  }
}

function nearest(placement: Placement, from: number, edges: Workflow["successors"]): number | undefined {
  let best: number | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const task of edges.targets.subarray(edges.offsets[from], edges.offsets[from + 1])) {
    const dx = placement.x[task]! - placement.x[from]!;
    const dy = placement.y[task]! - placement.y[from]!;
    const distance = dx * dx + dy * dy;
    if (distance < bestDistance) {
      best = task;
      bestDistance = distance;
    }
  }
  return best;
}

function beside(placement: Placement, from: number, step: -1 | 1): number | undefined {
  const rowIndex = placement.rows.findIndex((row) => row.length > 0 && placement.y[row[0]!] === placement.y[from]);
  const row = placement.rows[rowIndex];
  if (!row) return undefined;
  const column = row.indexOf(from) + step;
  if (column >= 0 && column < row.length) return row[column];
  const next = placement.rows[rowIndex + step];
  return step === 1 ? next?.[0] : next?.at(-1);
}
