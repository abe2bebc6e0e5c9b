"use client";
/** An edge: a thread from producer to consumer, which tells its files while the pointer is on it. */
import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getBezierPath } from "@xyflow/react";
import { memo, useContext } from "react";
import { GraphContext } from "./graph-context";
import { filesOfEdge } from "./graph-model";

export const FileEdge = memo(function FileEdge({
  id,
  source,
  target,
  sourceX,
  sourceY,
  targetX,
  targetY,
  selected,
}: EdgeProps) {
  const { hovered, workflow } = useContext(GraphContext);
  const [path, labelX, labelY] = getBezierPath({ sourceX, sourceY, targetX, targetY, curvature: 0.35 });
  const active = hovered === id || selected;
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        interactionWidth={14}
        style={{ stroke: active ? "var(--thread)" : "var(--rule-strong)", strokeWidth: active ? 2 : 1.1 }}
      />
      {active && workflow ? (
        <EdgeLabelRenderer>
          <div
            className="pointer-events-none absolute z-20 max-w-72 truncate rounded-sm border border-thread bg-surface px-1.5 py-0.5 font-mono text-[11px]"
            style={{ transform: `translate(-50%, -50%) translate(${labelX}px, ${labelY}px)` }}
            data-testid="edge-label"
          >
            {shortList(filesOfEdge(workflow, Number(source), Number(target)))}
          </div>
        </EdgeLabelRenderer>
      ) : null}
    </>
  );
});

function shortList(files: string[]): string {
  return files.length <= 3 ? files.join(", ") : `${files.slice(0, 3).join(", ")} and ${files.length - 3} more`;
}
