"use client";
/**
 * The graph as React Flow draws it, up to `domNodeLimit` tasks. Nodes and edges are built once per workflow;
 * states reach the nodes through GraphContext, so a running graph re-renders only what changed.
 */
import {
  Background,
  BackgroundVariant,
  Controls,
  type Edge,
  type FitViewOptions,
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { FileEdge } from "./file-edge";
import { GraphContext } from "./graph-context";
import type { GraphModel } from "./graph-model";
import { programName } from "./graph-model";
import { nodeHeight, nodeWidth } from "./place";
import { stateName } from "./state-look";
import { TaskNode, type TaskNodeType } from "./task-node";
import type { TaskStates } from "./task-states";

const nothing = () => () => {};
const nodeTypes = { task: TaskNode };
const edgeTypes = { file: FileEdge };
/** Room below for the buttons. */
const fit: FitViewOptions = { padding: { top: "24px", left: "24px", right: "24px", bottom: "48px" }, maxZoom: 1.1 };

interface FlowGraphProps {
  model: GraphModel;
  states?: TaskStates;
  selected?: number;
  problemTasks?: ReadonlySet<string>;
  onSelect: (task: number | undefined) => void;
  onOpen: (task: number) => void;
}

export function FlowGraph(props: FlowGraphProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}

function Flow({ model, states, selected, problemTasks, onSelect, onOpen }: FlowGraphProps) {
  const [hovered, setHovered] = useState<string>();
  const base = useMemo(() => nodesOf(model, problemTasks), [model, problemTasks]);
  const edges = useMemo(() => edgesOf(model), [model]);
  const nodes = useMemo(
    () =>
      selected === undefined
        ? base
        : base.map((node) => (node.data.index === selected ? { ...node, selected: true } : node)),
    [base, selected],
  );
  const shared = useMemo(() => ({ states, workflow: model.workflow, hovered }), [states, model, hovered]);
  const many = model.workflow.taskCount > 30;

  return (
    <GraphContext value={shared}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        fitView
        fitViewOptions={fit}
        minZoom={0.04}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        onlyRenderVisibleElements={model.workflow.taskCount > 400}
        onNodeClick={(_, node) => {
          onSelect(node.data.index);
          onOpen(node.data.index);
        }}
        onPaneClick={() => onSelect(undefined)}
        onEdgeMouseEnter={(_, edge) => setHovered(edge.id)}
        onEdgeMouseLeave={() => setHovered(undefined)}
        zoomOnDoubleClick={false}
      >
        <Background variant={BackgroundVariant.Dots} gap={22} size={1} />
        <Controls showInteractive={false} position="bottom-left" orientation="horizontal" />
        {many ? <Overview states={states} /> : null}
        <ZoomDetail />
        <Follow model={model} selected={selected} />
      </ReactFlow>
    </GraphContext>
  );
}

/** The minimap takes colours when it renders, so it renders again when states change. */
function Overview({ states }: { states?: TaskStates }) {
  const read = () => states?.version ?? 0;
  useSyncExternalStore(states?.subscribe ?? nothing, read, read);
  return (
    <MiniMap<TaskNodeType>
      pannable
      zoomable
      className="max-sm:hidden"
      nodeColor={(node) => (states ? `var(--state-${stateName(states.of(node.data.index))})` : "var(--rule-strong)")}
      ariaLabel="Overview of the graph"
    />
  );
}

/** Less detail when zoomed out: words go first, then the glyph grows to fill the box. */
function ZoomDetail() {
  const detail = useStore((s) => (s.transform[2] > 0.62 ? "near" : s.transform[2] > 0.36 ? "middle" : "far"));
  const element = useStore((s) => s.domNode);
  useEffect(() => {
    if (element) element.dataset.detail = detail;
  }, [element, detail]);
  return null;
}

/** Fits a new graph into view, and keeps the task selected by keyboard visible. */
function Follow({ model, selected }: { model: GraphModel; selected?: number }) {
  const flow = useReactFlow();
  const width = useStore((s) => s.width);
  const height = useStore((s) => s.height);
  useEffect(() => {
    if (model.workflow.taskCount > 0 && width > 0 && height > 0) void flow.fitView(fit);
  }, [model, width, height, flow]);
  useEffect(() => {
    if (selected === undefined) return;
    const { x: offsetX, y: offsetY, zoom } = flow.getViewport();
    const x = model.placement.x[selected]! * zoom + offsetX;
    const y = model.placement.y[selected]! * zoom + offsetY;
    const visible = x >= 0 && y >= 0 && x + nodeWidth * zoom <= width && y + nodeHeight * zoom <= height;
    if (!visible) {
      void flow.setCenter(model.placement.x[selected]! + nodeWidth / 2, model.placement.y[selected]! + nodeHeight / 2, {
        zoom,
        duration: 150,
      });
    }
  }, [model, selected, flow, width, height]);
  return null;
}

function nodesOf({ workflow, placement }: GraphModel, problemTasks?: ReadonlySet<string>): TaskNodeType[] {
  return Array.from({ length: workflow.taskCount }, (_, index) => {
    const task = workflow.task(index);
    return {
      id: String(index),
      type: "task",
      position: { x: placement.x[index]!, y: placement.y[index]! },
      width: nodeWidth,
      height: nodeHeight,
      data: {
        index,
        name: task.name,
        program: programName(task.command),
        files: task.inputs.length + task.outputs.length,
        problem: problemTasks?.has(task.name) ?? false,
      },
    };
  });
}

function edgesOf({ workflow }: GraphModel): Edge[] {
  const edges: Edge[] = [];
  const { offsets, targets } = workflow.successors;
  for (let from = 0; from < workflow.taskCount; from += 1) {
    for (const to of targets.subarray(offsets[from], offsets[from + 1])) {
      const ariaLabel = `From ${workflow.name(from)} to ${workflow.name(to)}`;
      edges.push({ id: `${from}-${to}`, source: String(from), target: String(to), type: "file", ariaLabel });
    }
  }
  return edges;
}
