/**
 * From the layered layout (ranks and order, any unit) to pixels on the page, top to bottom. Ranks too wide to
 * read as one row, such as a bag of 200 tasks, are folded into a block of rows with a pleasant aspect, in order.
 */
export const nodeWidth = 156;
export const nodeHeight = 44;
const columnPitch = nodeWidth + 28;
const rowPitch = nodeHeight + 46;
const foldedColumnPitch = nodeWidth + 14;
const foldedRowPitch = nodeHeight + 12;
/** The widest rank that stays one row. */
const widestRow = 14;
const blockAspect = 1.8;

export interface Placement {
  /** Top left corner of each task's box. */
  x: Float32Array;
  y: Float32Array;
  width: number;
  height: number;
  /** Tasks by row as drawn, each from left to right; what the arrow keys walk. */
  rows: Uint32Array[];
}

export function place(layout: { x: ArrayLike<number>; y: ArrayLike<number> }, taskCount: number): Placement {
  const ranks = ranksOf(layout, taskCount);
  const folded = ranks.some((rank) => rank.length > widestRow);
  return folded ? placeFolded(ranks, taskCount) : placeRows(ranks, layout, taskCount);
}

function ranksOf(layout: { x: ArrayLike<number>; y: ArrayLike<number> }, taskCount: number): Uint32Array[] {
  const byY = new Map<number, number[]>();
  for (let task = 0; task < taskCount; task += 1) {
    const y = layout.y[task] ?? 0;
    const rank = byY.get(y);
    if (rank) rank.push(task);
    else byY.set(y, [task]);
  }
  return [...byY.entries()]
    .sort(([a], [b]) => a - b)
    .map(([, tasks]) => Uint32Array.from(tasks).sort((a, b) => (layout.x[a] ?? 0) - (layout.x[b] ?? 0) || a - b));
}

/** Keeps the layout's horizontal positions, stretched so that the closest neighbours do not touch. */
function placeRows(ranks: Uint32Array[], layout: { x: ArrayLike<number> }, taskCount: number): Placement {
  let closest = Number.POSITIVE_INFINITY;
  for (const rank of ranks) {
    for (let i = 1; i < rank.length; i += 1) {
      const gap = (layout.x[rank[i]!] ?? 0) - (layout.x[rank[i - 1]!] ?? 0);
      if (gap > 0) closest = Math.min(closest, gap);
    }
  }
  const scale = Number.isFinite(closest) ? columnPitch / closest : 1;
  const x = new Float32Array(taskCount);
  const y = new Float32Array(taskCount);
  let least = Number.POSITIVE_INFINITY;
  ranks.forEach((rank, row) => {
    let after = Number.NEGATIVE_INFINITY;
    for (const task of rank) {
      const wanted = (layout.x[task] ?? 0) * scale;
      x[task] = Math.max(wanted, after);
      after = x[task] + columnPitch;
      y[task] = row * rowPitch;
      least = Math.min(least, x[task]);
    }
  });
  let most = 0;
  for (let task = 0; task < taskCount; task += 1) {
    x[task] = x[task]! - least;
    most = Math.max(most, x[task]!);
  }
  return { x, y, width: most + nodeWidth, height: Math.max(0, ranks.length - 1) * rowPitch + nodeHeight, rows: ranks };
}

function placeFolded(ranks: Uint32Array[], taskCount: number): Placement {
  const columnsOf = (size: number) =>
    Math.min(size, Math.max(8, Math.ceil(Math.sqrt((blockAspect * size * foldedRowPitch) / foldedColumnPitch))));
  const widest = Math.max(...ranks.map((rank) => columnsOf(rank.length)));
  const width = widest * foldedColumnPitch - (foldedColumnPitch - nodeWidth);
  const x = new Float32Array(taskCount);
  const y = new Float32Array(taskCount);
  const rows: Uint32Array[] = [];
  let top = 0;
  for (const rank of ranks) {
    const columns = columnsOf(rank.length);
    for (let start = 0; start < rank.length; start += columns) {
      const row = rank.subarray(start, start + columns);
      const left = (width - (row.length * foldedColumnPitch - (foldedColumnPitch - nodeWidth))) / 2;
      row.forEach((task, column) => {
        x[task] = left + column * foldedColumnPitch;
        y[task] = top;
      });
      rows.push(row);
      top += foldedRowPitch;
    }
    top += rowPitch - foldedRowPitch;
  }
  return { x, y, width, height: Math.max(nodeHeight, top - (rowPitch - nodeHeight)), rows };
}
