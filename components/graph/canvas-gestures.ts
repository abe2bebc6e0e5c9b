/** Drag to pan, wheel or pinch to zoom, click to open: the pointer on a drawn graph. */
import type { View } from "./canvas-draw";

export function gestures(
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
    if (viewRef.current) zoomAround(viewRef.current, x, y, factor);
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

/** Zooms so that what is at (x, y) on the canvas stays there. */
export function zoomAround(view: View, x: number, y: number, factor: number): void {
  const zoom = Math.min(2, Math.max(0.002, view.zoom * factor));
  view.x = x - ((x - view.x) * zoom) / view.zoom;
  view.y = y - ((y - view.y) * zoom) / view.zoom;
  view.zoom = zoom;
}
