import { describe, expect, it } from "vitest";
import { navigate } from "./navigate";
import { place } from "./place";

/** The diamond: A → B, A → C, B → D, C → D. */
const diamond = {
  taskCount: 4,
  successors: { offsets: Uint32Array.of(0, 2, 3, 4, 4), targets: Uint32Array.of(1, 2, 3, 3) },
  predecessors: { offsets: Uint32Array.of(0, 0, 1, 2, 4), targets: Uint32Array.of(0, 0, 1, 2) },
};
const diamondPlacement = place({
  x: Float32Array.of(90, 0, 180, 90),
  y: Float32Array.of(0, 100, 100, 200),
  width: 340,
  height: 256,
});
const press = (from: number | undefined, key: string) => navigate(diamond, diamondPlacement, from, key);

describe("arrow keys on a graph", () => {
  it("begin at the first task", () => {
    expect(press(undefined, "ArrowDown")).toBe(0);
    expect(press(undefined, "x")).toBeUndefined();
  });

  it("follow edges down and up", () => {
    expect(press(0, "ArrowDown")).toBe(1);
    expect(press(2, "ArrowDown")).toBe(3);
    expect(press(2, "ArrowUp")).toBe(0);
    expect(press(3, "ArrowDown")).toBeUndefined();
  });

  it("walk rows and pass on to the next row at the end", () => {
    expect(press(1, "ArrowRight")).toBe(2);
    expect(press(2, "ArrowLeft")).toBe(1);
    expect(press(2, "ArrowRight")).toBe(3);
    expect(press(1, "ArrowLeft")).toBe(0);
    expect(press(3, "ArrowRight")).toBeUndefined();
  });

  it("jump to both ends", () => {
    expect(press(2, "Home")).toBe(0);
    expect(press(0, "End")).toBe(3);
  });
});
