import { describe, expect, it } from "vitest";
import { describeTime, ProgressView, progressBar } from "./progress";

//               waiting ready running finished failed cancelled
const halfway = [1, 1, 2, 5, 1, 0];

describe("progressBar", () => {
  it("fits into the terminal, however narrow", () => {
    for (const columns of [10, 40, 80, 200]) {
      const line = progressBar({ name: "x", counts: halfway, elapsedMs: 61_000 }, columns);
      expect(line.length).toBeLessThan(columns);
    }
  });

  it("tells finished, running and failed tasks", () => {
    const line = progressBar({ name: "x", counts: halfway, elapsedMs: 61_000 }, 120);
    expect(line).toContain("50%  5/10 finished, 2 running, 1 failed  1 min 1 s");
  });

  it("is full only when every task is finished", () => {
    expect(progressBar({ name: "x", counts: [0, 0, 1, 999, 0, 0], elapsedMs: 0 }, 80)).toContain("░");
    expect(progressBar({ name: "x", counts: [0, 0, 0, 1000, 0, 0], elapsedMs: 0 }, 80)).not.toContain("░");
  });
});

describe("ProgressView", () => {
  it("writes plain lines without control characters where there is no terminal, and not too many", () => {
    const written: string[] = [];
    const view = new ProgressView({ terminalColumns: () => undefined, stderr: (text) => written.push(text) });
    view.show({ name: "pi", counts: [9, 1, 0, 0, 0, 0], elapsedMs: 0 });
    view.show({ name: "pi", counts: [8, 1, 0, 1, 0, 0], elapsedMs: 100 });
    view.show({ name: "pi", counts: [5, 1, 0, 4, 0, 0], elapsedMs: 6000 });
    expect(written).toEqual(["pi: 0/10 finished\n", "pi: 4/10 finished\n"]);
  });

  it("redraws one line in a terminal and takes it away for a message", () => {
    const written: string[] = [];
    const view = new ProgressView({ terminalColumns: () => 80, stderr: (text) => written.push(text) });
    view.show({ name: "pi", counts: [0, 1, 0, 0, 0, 0], elapsedMs: 0 });
    view.say("hello");
    expect(written.join("").endsWith("\r\x1b[Khello\n")).toBe(true);
  });
});

it("describeTime counts up from seconds to hours", () => {
  expect([0, 59_999, 60_000, 3_660_000].map(describeTime)).toEqual(["0 s", "59 s", "1 min 0 s", "1 h 1 min"]);
});
