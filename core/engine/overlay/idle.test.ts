import { describe, expect, it } from "vitest";
import { type CpuWatch, shouldEnd, watchCpu } from "./idle";

const rules = { idleMs: 100, quietMs: 1000, quietShare: 0.01 };

describe("a client ends itself", () => {
  it("when it has had no work for a time, unless the cluster keeps it", () => {
    const idle = { idleSince: 50, cpu: undefined, kept: false };
    expect(shouldEnd(idle, rules, 149)).toBeUndefined();
    expect(shouldEnd(idle, rules, 150)).toEqual({ code: "no-work", sinceMs: 100 });
    expect(shouldEnd({ ...idle, kept: true }, rules, 5000)).toBeUndefined();
  });

  it("when its work uses no CPU for a time, and not while files travel", () => {
    const busy = { idleSince: undefined, kept: true };
    const cpu: CpuWatch = { at: 900, cpuMs: 5, quietSince: 0 };
    expect(shouldEnd({ ...busy, cpu }, rules, 999)).toBeUndefined();
    expect(shouldEnd({ ...busy, cpu }, rules, 1000)).toEqual({ code: "no-cpu", sinceMs: 1000 });
    expect(shouldEnd({ ...busy, cpu: undefined }, rules, 1000)).toBeUndefined();
    expect(shouldEnd({ ...busy, cpu }, { ...rules, quietMs: undefined }, 1e9)).toBeUndefined();
  });
});

describe("the watch on CPU time", () => {
  const samples = (...pairs: [number, number][]) =>
    pairs.reduce<CpuWatch | undefined>((watch, [at, cpuMs]) => watchCpu(watch, at, cpuMs, rules), undefined);

  it("goes back to the last time the share was used", () => {
    expect(samples([0, 0], [100, 50], [200, 50], [300, 50])?.quietSince).toBe(100);
    expect(samples([0, 0], [100, 0.5], [200, 0.9])?.quietSince).toBe(0);
    expect(samples([0, 0], [100, 0.5], [200, 2])?.quietSince).toBe(200);
  });

  it("begins anew with other tasks and when the clock is set back", () => {
    expect(samples([0, 500], [100, 500], [200, 3])?.quietSince).toBe(200);
    expect(samples([1000, 500], [100, 500])?.quietSince).toBe(100);
  });
});
