/** Paints a large graph onto a canvas: edges, glyphs and names appear as there is room for them. */
import { taskStateNames } from "@/core/engine/task-state";
import { taskBox } from "@/core/workflow/layout";
import type { GraphModel } from "./graph-model";
import { nodeHeight, nodeWidth } from "./place";
import { stateLooks, stateName } from "./state-look";
import type { TaskStates } from "./task-states";

/** From the layout's pixels to the canvas': times `zoom`, plus (x, y). */
export interface View {
  x: number;
  y: number;
  zoom: number;
}

export function fitted(model: GraphModel, canvas: HTMLCanvasElement): View {
  const { width, height } = model.placement;
  const zoom = Math.min(1, (canvas.clientWidth - 40) / width, (canvas.clientHeight - 60) / height);
  return { zoom, x: (canvas.clientWidth - width * zoom) / 2, y: (canvas.clientHeight - 20 - height * zoom) / 2 };
}

export function draw(
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
  // Far out the gaps between boxes would only flicker: the tasks become one field of colour.
  const gap = view.zoom < 0.12 ? taskBox.gapX : 0;
  const boxWidth = Math.max(1, (nodeWidth + gap) * view.zoom - (gap > 0 ? 0.5 : 0));
  const boxHeight = Math.max(1, (nodeHeight + gap) * view.zoom - (gap > 0 ? 0.5 : 0));
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
