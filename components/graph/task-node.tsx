"use client";
/** One task in the React Flow graph: name, program, number of files, and its state by fill, glyph and shape. */
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo, useContext, useSyncExternalStore } from "react";
import { counted } from "@/components/ui/format";
import { GraphContext } from "./graph-context";
import { nodeHeight, nodeWidth } from "./place";
import { StateGlyph } from "./state-glyph";
import { stateLooks, stateName } from "./state-look";

export type TaskNodeType = Node<
  { index: number; name: string; program: string; files: number; problem: boolean },
  "task"
>;

const nothing = () => () => {};

export const TaskNode = memo(function TaskNode({ data, selected }: NodeProps<TaskNodeType>) {
  const { states } = useContext(GraphContext);
  const read = () => (states ? states.of(data.index) : -1);
  const code = useSyncExternalStore(states ? states.subscribe : nothing, read, read);
  const state = code < 0 ? undefined : stateName(code);
  const shape =
    state === "failed"
      ? "[clip-path:polygon(9px_0,calc(100%-9px)_0,100%_9px,100%_calc(100%-9px),calc(100%-9px)_100%,9px_100%,0_calc(100%-9px),0_9px)]"
      : "rounded-md";
  const ring = selected ? "outline-2 outline-offset-2 outline-thread" : "";
  const look = state
    ? `state-fill ${state === "failed" ? "" : "border"}`
    : `border bg-surface ${data.problem ? "border-danger" : "border-rule-strong"}`;
  return (
    <div
      className={`task-node rounded-md ${ring}`}
      data-testid="task-node"
      data-task-name={data.name}
      data-state={state ?? "draft"}
      title={state ? `${data.name}: ${stateLooks[state].label.toLowerCase()}, ${stateLooks[state].meaning}` : data.name}
    >
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <div
        className={`flex items-center gap-2 overflow-hidden px-2 ${shape} ${look}`}
        data-state={state}
        style={{ width: nodeWidth, height: nodeHeight }}
      >
        {state ? (
          <span className="task-glyph">
            <StateGlyph state={state} size={16} />
          </span>
        ) : null}
        <span className="task-words min-w-0 flex-1">
          <span className="block truncate text-[13px] font-semibold leading-[17px]">{data.name}</span>
          <span className="task-detail flex gap-1 font-mono text-[10.5px] leading-[14px] opacity-90">
            <span className="min-w-0 flex-1 truncate">{data.program}</span>
            <span className="shrink-0">{counted(data.files, "file")}</span>
          </span>
        </span>
      </div>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
});
