"use client";
/** Large graphs as one drawing: each task a box of its state's colour, repainted at most once a frame. */
import { type LucideIcon, Maximize, Minus, Plus } from "lucide-react";
import { useEffect, useRef } from "react";
import { count } from "@/components/ui/format";
import { draw, fitted, type View } from "./canvas-draw";
import { gestures, zoomAround } from "./canvas-gestures";
import type { GraphModel } from "./graph-model";
import { nodeHeight, nodeWidth } from "./place";
import type { TaskStates } from "./task-states";

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

  const zoomBy = (factor: number) => {
    const canvas = canvasRef.current;
    if (canvas && viewRef.current) zoomAround(viewRef.current, canvas.clientWidth / 2, canvas.clientHeight / 2, factor);
    repaintRef.current();
  };
  const fitAgain = () => {
    viewRef.current = undefined;
    repaintRef.current();
  };

  return (
    <>
      <canvas
        ref={canvasRef}
        className="absolute inset-0 h-full w-full cursor-grab touch-none active:cursor-grabbing"
        data-testid="canvas-graph"
      />
      <div className="absolute bottom-2 left-2 flex border bg-surface">
        <ViewButton label="Zoom in" icon={Plus} onClick={() => zoomBy(1.5)} />
        <ViewButton label="Zoom out" icon={Minus} onClick={() => zoomBy(1 / 1.5)} />
        <ViewButton label="Show the whole graph" icon={Maximize} onClick={fitAgain} />
      </div>
      <p className="pointer-events-none absolute bottom-2 right-2 max-w-[60%] bg-surface/90 px-2 py-1 text-right text-[0.82rem] text-muted">
        {count(model.workflow.taskCount)} tasks, drawn as one picture. Zoom in for names.
      </p>
    </>
  );
}

function ViewButton({ label, icon: Icon, onClick }: { label: string; icon: LucideIcon; onClick: () => void }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="flex h-[26px] w-[26px] items-center justify-center hover:bg-sunken"
    >
      <Icon size={14} aria-hidden="true" />
    </button>
  );
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
