import { describe, expect, it } from "vitest";
import { heldBack, isOver, progressSegments, progressWords } from "./progress";

describe("progress of a run", () => {
  it("puts what is over on the left and leaves out states without tasks", () => {
    const segments = progressSegments([10, 0, 5, 80, 5, 0]);
    expect(segments.map((segment) => segment.state)).toEqual(["finished", "failed", "running", "waiting"]);
    expect(segments.reduce((sum, segment) => sum + segment.share, 0)).toBeCloseTo(1);
    expect(segments[0]?.share).toBeCloseTo(0.8);
  });

  it("shows one failed task among a million", () => {
    const failed = progressSegments([0, 0, 0, 999_999, 1, 0]).find((segment) => segment.state === "failed");
    expect(failed?.share).toBeGreaterThan(0.005);
  });

  it("is empty before the first task is known", () => {
    expect(progressSegments([0, 0, 0, 0, 0, 0])).toEqual([]);
  });

  it("is told in words for screen readers", () => {
    expect(progressWords([1, 0, 0, 3, 0, 0])).toBe("3 finished, 1 waiting");
  });

  it("counts what failed tasks hold back only when nothing moves any more", () => {
    expect(heldBack([7, 0, 0, 2, 1, 0])).toBe(7);
    expect(heldBack([7, 1, 0, 2, 1, 0])).toBe(0);
    expect(heldBack([7, 0, 0, 2, 0, 0])).toBe(0);
  });

  it("knows which states of a run are final", () => {
    expect(["queued", "running"].some((state) => isOver(state as "queued" | "running"))).toBe(false);
    expect(isOver("killed")).toBe(true);
  });
});
