/** A workflow as a small drawing, from its real layout; for lists and samples. */
import type { GraphModel } from "./graph-model";
import { nodeHeight, nodeWidth } from "./place";

export function Thumbnail({ model, width = 132, height = 76 }: { model: GraphModel; width?: number; height?: number }) {
  const { placement, workflow } = model;
  const pad = 3;
  const scale = Math.min((width - 2 * pad) / placement.width, (height - 2 * pad) / placement.height, 0.24);
  const left = (width - placement.width * scale) / 2;
  const top = (height - placement.height * scale) / 2;
  const gap = workflow.taskCount > 40 ? 1.14 : 1;
  const boxes: string[] = [];
  const threads: string[] = [];
  const { offsets, targets } = workflow.successors;
  const at = (n: number) => n.toFixed(1);
  for (let task = 0; task < workflow.taskCount; task += 1) {
    const x = left + placement.x[task]! * scale;
    const y = top + placement.y[task]! * scale;
    boxes.push(
      `M${at(x)} ${at(y)}h${at(nodeWidth * scale * gap * 0.94)}v${at(nodeHeight * scale)}h${at(-nodeWidth * scale * gap * 0.94)}z`,
    );
    for (const to of targets.subarray(offsets[task], offsets[task + 1])) {
      const toX = left + (placement.x[to]! + nodeWidth / 2) * scale;
      threads.push(
        `M${at(x + (nodeWidth * scale) / 2)} ${at(y + nodeHeight * scale)}L${at(toX)} ${at(top + placement.y[to]! * scale)}`,
      );
    }
  }
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" className="shrink-0">
      <path
        d={threads.join("")}
        stroke="var(--rule-strong)"
        strokeWidth={workflow.taskCount > 40 ? 0.25 : 1}
        fill="none"
      />
      <path d={boxes.join("")} fill="var(--state-finished)" />
    </svg>
  );
}
