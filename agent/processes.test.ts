import { describe, expect, it } from "vitest";
import { descendantsOf, listProcesses, parseStatus, startOf, youngestPid } from "./processes";

describe("processes", () => {
  it("reads owner, parent and memory from status, whatever the process calls itself", () => {
    const status =
      "Name:\tevil\\nUid:\t0\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t7\nPid:\t7\nPPid:\t3\nUid:\t1001\t1001\t1001\t1001\nVmRSS:\t    5000 kB\nRssAnon:\t 3000 kB\nRssFile:\t    2000 kB\n";
    expect(parseStatus(7, status)).toEqual({ pid: 7, parent: 3, uid: 1001, memoryBytes: 3000 * 1024 });
  });

  it("does not count a zombie", () => {
    expect(parseStatus(7, "Name:\tx\nState:\tZ (zombie)\nPPid:\t1\nUid:\t0\t0\t0\t0\n")).toBeUndefined();
  });

  it("counts a process whose first thread has ended while others go on", () => {
    const status = "Name:\tx\nState:\tZ (zombie)\nPPid:\t1\nUid:\t5\t5\t5\t5\nThreads:\t2\n";
    expect(parseStatus(7, status)).toMatchObject({ pid: 7, uid: 5 });
    expect(parseStatus(7, status.replace("Threads:\t2", "Threads:\t1"))).toBeUndefined();
  });

  it("finds descendants over generations", () => {
    const process = (pid: number, parent: number) => ({ pid, parent, uid: 0, memoryBytes: 0 });
    const all = [process(2, 1), process(3, 2), process(4, 3), process(5, 1)];
    expect(descendantsOf(2, all).map(({ pid }) => pid)).toEqual([3, 4]);
  });

  it("sees this very process", async () => {
    expect((await listProcesses()).some(({ pid }) => pid === process.pid)).toBe(true);
    expect(startOf(process.pid)).toMatch(/\/\d+$/);
    expect(startOf(2 ** 22 + 1)).toBeUndefined();
    expect(youngestPid()).toBeGreaterThan(0);
  });
});
