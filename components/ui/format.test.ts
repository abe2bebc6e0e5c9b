import { describe, expect, it } from "vitest";
import { ago, bytes, count, counted, duration, percent, shortHash } from "./format";

describe("numbers", () => {
  it("groups thousands and agrees with its noun", () => {
    expect(count(1234567)).toBe("1,234,567");
    expect(counted(1, "task")).toBe("1 task");
    expect(counted(0, "task")).toBe("0 tasks");
    expect(counted(2, "class", "classes")).toBe("2 classes");
  });

  it("words sizes in three figures and never shows 1000 of a unit", () => {
    expect(bytes(0)).toBe("0 B");
    expect(bytes(999)).toBe("999 B");
    expect(bytes(1234)).toBe("1.23 kB");
    expect(bytes(45_600_000)).toBe("45.6 MB");
    expect(bytes(999_999)).toBe("1.00 MB");
    expect(bytes(314_000_000_000)).toBe("314 GB");
  });

  it("rounds percentages without claiming none or all too early", () => {
    expect(percent(0, 201)).toBe("0 %");
    expect(percent(1, 100_000)).toBe("1 %");
    expect(percent(99_999, 100_000)).toBe("99 %");
    expect(percent(4, 4)).toBe("100 %");
    expect(percent(0, 0)).toBe("0 %");
  });
});

describe("times", () => {
  it("words durations by their size", () => {
    expect(duration(840)).toBe("0.8 s");
    expect(duration(9_960)).toBe("10 s");
    expect(duration(65_000)).toBe("1 min 05 s");
    expect(duration(5_400_000)).toBe("1 h 30 min");
    expect(duration(200_000_000)).toBe("2 d 7 h");
    expect(duration(-5)).toBe("0 s");
  });

  it("tells how long ago within a day and leaves older to the date", () => {
    expect(ago(1000, 3000)).toBe("just now");
    expect(ago(0, 240_000)).toBe("4 min ago");
    expect(ago(0, 3 * 3_600_000)).toBe("3 h ago");
    expect(ago(0, 90_000_000)).toBeUndefined();
  });

  it("shortens hashes", () => {
    expect(shortHash("0123456789abcdef")).toBe("0123456789");
  });
});
