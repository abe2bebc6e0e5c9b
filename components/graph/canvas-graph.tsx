"use client";
/**
 * Large graphs as one drawing: each task a box of its state's colour, repainted at most once a frame. Drag to pan,
 * wheel or pinch to zoom; edges, glyphs and names appear as there is room for them.
 */
import { useEffect, useRef } from "react";
import { count } from "@/components/ui/format";
import { taskStateNames } from "@/core/engine/task-state";
import type { GraphModel } from "./graph-model";
import { nodeHeight, nodeWidth } from "./place";
import { stateLooks, stateName } from "./state-look";
import type { TaskStates } from "./task-states";

interface View {
  x: number;
  y: number;
  zoom: number;
}

export function CanvasGraph({
  model,
  states,
  selected,
  onOpen,
}: {
  model: GraphModel;
  states?: TaskStates;
  selected?: number;
  onOpen: (task: number) => void;
}) {
  const canvasRef = useRef<HTMLCanvasElement>(null);
  const selectedRef = useRef(selected);
  const viewRef = useRef<View>(undefined);
  const repaintRef = useRef<() => void>(() => {});
  const openRef = useRef(onOpen);
  openRef.current = onOpen;

  useEffect(() => {
    const canvas = canvasRef.current;
    const context = canvas?.getContext("2d");
    if (!canvas || !context) return;
    let frame = 0;
    const paint = () => {
      frame = 0;
      viewRef.current ??= fitted(model, canvas);
      draw(context, canvas, model, states, viewRef.current, selectedRef.current);
    };
    const repaint = () => {
      if (frame === 0) frame = requestAnimationFrame(paint);
    };
    repaintRef.current = repaint;
    const resize = new ResizeObserver(() => {
      canvas.width = canvas.clientWidth * devicePixelRatio;
      canvas.height = canvas.clientHeight * devicePixelRatio;
      repaint();
    });
    resize.observe(canvas);
    const theme = new MutationObserver(repaint);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const stopStates = states?.subscribe(repaint);
    const stopGestures = gestures(canvas, viewRef, repaint, (x, y) => {
      const task = taskAt(model, x, y);
      if (task !== undefined) openRef.current(task);
    });
    return () => {
      cancelAnimationFrame(frame);
      resize.disconnect();
      theme.disconnect();
      stopStates?.();
      stopGestures();
      viewRef.current = undefined;
    };
  }, [model, states]);

  useEffect(() => {
    selectedRef.current = selected;
    const view = viewRef.current;
    const canvas = canvasRef.current;
    if (selected !== undefined && view && canvas) {
      const x = model.placement.x[selected]! * view.zoom + view.x;
      const y = model.placement.y[selected]! * view.zoom + view.y;
      if (x < 0 || y < 0 || x > canvas.clientWidth || y > canvas.clientHeight) {
        view.x += canvas.clientWidth / 2 - x;
        view.y += canvas.clientHeight / 2 - y;
      }
    }
    repaintRef.current();
  }, [selected, model]);

  return (
    <>
      <canvas
        ref={canvasRef}
        className="absolute inset-0 h-full w-full cursor-grab touch-none active:cursor-grabbing"
        data-testid="canvas-graph"
      />
      <p className="pointer-events-none absolute bottom-2 left-2 max-w-[80%] bg-surface/90 px-2 py-1 text-[0.82rem] text-muted">
        {count(model.workflow.taskCount)} tasks: drawn as one picture. Zoom in for names; the list of tasks has them
        all.
      </p>
    </>
  );
}

function fitted(model: GraphModel, canvas: HTMLCanvasElement): View {
  const { width, height } = model.placement;
  const zoom = Math.min(1, (canvas.clientWidth - 40) / width, (canvas.clientHeight - 60) / height);
  return { zoom, x: (canvas.clientWidth - width * zoom) / 2, y: (canvas.clientHeight - 20 - height * zoom) / 2 };
}

function draw(
  context: CanvasRenderingContext2D,
  canvas: HTMLCanvasElement,
  model: GraphModel,
  states: TaskStates | undefined,
  view: View,
  selected: number | undefined,
): void {
  const { placement, workflow } = model;
  const colour = colours(canvas);
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  const boxWidth = Math.max(1, nodeWidth * view.zoom);
  const boxHeight = Math.max(1, nodeHeight * view.zoom);
  const visible = (task: number) => {
    const x = placement.x[task]! * view.zoom + view.x;
    const y = placement.y[task]! * view.zoom + view.y;
    return x < canvas.clientWidth && x + boxWidth > 0 && y < canvas.clientHeight && y + boxHeight > 0;
  };
  if (view.zoom > 0.12) drawEdges(context, model, view, visible, colour.rule);
  context.font = `600 ${Math.round(13 * view.zoom)}px ${colour.font}`;
  context.textBaseline = "middle";
  for (let task = 0; task < workflow.taskCount; task += 1) {
    if (!visible(task)) continue;
    const x = placement.x[task]! * view.zoom + view.x;
    const y = placement.y[task]! * view.zoom + view.y;
    const state = states?.of(task) ?? 0;
    context.fillStyle = (states ? colour.fill[state] : undefined) ?? colour.draft;
    context.fillRect(x, y, boxWidth, boxHeight);
    context.fillStyle = (states ? colour.on[state] : undefined) ?? colour.ink;
    context.strokeStyle = context.fillStyle;
    if (states && boxHeight > 7)
      drawGlyph(context, stateLooks[stateName(state)], x + 8 * view.zoom, y + boxHeight / 2, 16 * view.zoom);
    if (view.zoom > 0.5)
      context.fillText(workflow.name(task), x + 32 * view.zoom, y + boxHeight / 2, boxWidth - 40 * view.zoom);
    if (task === selected) {
      context.strokeStyle = colour.thread;
      context.lineWidth = 3;
      context.strokeRect(x - 3, y - 3, boxWidth + 6, boxHeight + 6);
    }
  }
}

function drawEdges(
  context: CanvasRenderingContext2D,
  model: GraphModel,
  view: View,
  visible: (task: number) => boolean,
  stroke: string,
) {
  const { placement, workflow } = model;
  const { offsets, targets } = workflow.successors;
  context.strokeStyle = stroke;
  context.lineWidth = 0.6;
  context.beginPath();
  for (let from = 0; from < workflow.taskCount; from += 1) {
    const x = (placement.x[from]! + nodeWidth / 2) * view.zoom + view.x;
    const y = (placement.y[from]! + nodeHeight) * view.zoom + view.y;
    for (const to of targets.subarray(offsets[from], offsets[from + 1])) {
      if (!visible(from) && !visible(to)) continue;
      context.moveTo(x, y);
      context.lineTo((placement.x[to]! + nodeWidth / 2) * view.zoom + view.x, placement.y[to]! * view.zoom + view.y);
    }
  }
  context.stroke();
}

function drawGlyph(
  context: CanvasRenderingContext2D,
  look: { glyph: string; filled: boolean },
  x: number,
  y: number,
  size: number,
) {
  context.save();
  context.translate(x, y - size / 2);
  context.scale(size / 16, size / 16);
  context.lineWidth = 2.4;
  const path = new Path2D(look.glyph);
  if (look.filled) context.fill(path);
  else context.stroke(path);
  context.restore();
}

/** The theme's colours as the canvas needs them: custom properties are resolved by asking for a real property. */
function colours(canvas: HTMLCanvasElement) {
  const style = getComputedStyle(canvas);
  const dark =
    style.colorScheme === "dark" ||
    (style.colorScheme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  const read = (name: string) => {
    const value = style.getPropertyValue(name).trim();
    const pair = /^light-dark\(([^,]+),([^)]+)\)$/.exec(value);
    return pair ? (pair[dark ? 2 : 1] ?? value).trim() : value;
  };
  const each = (prefix: string) => taskStateNames.map((state) => read(`--${prefix}-${state}`));
  return {
    fill: each("state"),
    on: each("on"),
    rule: read("--rule-strong"),
    draft: read("--rule"),
    ink: read("--ink"),
    thread: read("--thread"),
    font: style.fontFamily,
  };
}

/** Rows are sorted by y and each row by x, so a click finds its task without a search over all of them. */
function taskAt({ placement }: GraphModel, x: number, y: number): number | undefined {
  for (const row of placement.rows) {
    const top = placement.y[row[0] ?? 0]!;
    if (y < top || y > top + nodeHeight) continue;
    for (const task of row) if (x >= placement.x[task]! && x <= placement.x[task]! + nodeWidth) return task;
  }
  return undefined;
}

function gestures(
  canvas: HTMLCanvasElement,
  viewRef: { current: View | undefined },
  repaint: () => void,
  click: (x: number, y: number) => void,
): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const pointers = new Map<number, { x: number; y: number }>();
  let travelled = 0;
  const zoomAt = (x: number, y: number, factor: number) => {
    const view = viewRef.current;
    if (!view) return;
    const zoom = Math.min(2, Math.max(0.002, view.zoom * factor));
    view.x = x - ((x - view.x) * zoom) / view.zoom;
    view.y = y - ((y - view.y) * zoom) / view.zoom;
    view.zoom = zoom;
    repaint();
  };
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoomAt(event.offsetX, event.offsetY, Math.exp(-event.deltaY * 0.0015));
    },
    { passive: false, signal },
  );
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      canvas.setPointerCapture(event.pointerId);
      if (pointers.size === 0) travelled = 0;
      pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    },
    { signal },
  );
  canvas.addEventListener(
    "pointermove",
    (event) => {
      const before = pointers.get(event.pointerId);
      const view = viewRef.current;
      if (!before || !view) return;
      const now = { x: event.offsetX, y: event.offsetY };
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      if (other) {
        const spread = (p: { x: number; y: number }) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
        zoomAt(other.x, other.y, spread(now) / spread(before));
      } else {
        view.x += now.x - before.x;
        view.y += now.y - before.y;
        repaint();
      }
      travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      pointers.set(event.pointerId, now);
    },
    { signal },
  );
  const release = (event: PointerEvent) => {
    pointers.delete(event.pointerId);
    const view = viewRef.current;
    if (event.type === "pointerup" && travelled < 5 && view) {
      click((event.offsetX - view.x) / view.zoom, (event.offsetY - view.y) / view.zoom);
    }
  };
  canvas.addEventListener("pointerup", release, { signal });
  canvas.addEventListener("pointercancel", release, { signal });
  return () => controller.abort();
}
