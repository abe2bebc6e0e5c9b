import { expect, it } from "vitest";
import { maximumClusterGranularity, maximumTasks } from "./granularity";

const manager = { cpu: 2000, cpuShare: 0.5, cpuPerTask: 4, memory: 1024, memoryShare: 0.25, memoryPerTask: 2 };

it("a manager takes as many tasks as the scarcer of processor and memory allows", () => {
  // Processor: 2000 · 0.5 / 4 = 250; memory: 1024 · 0.25 / 2 = 128.
  expect(maximumTasks(manager)).toBe(128);
  // Processor: 2000 · 0.1 / 4 = 50.
  expect(maximumTasks({ ...manager, cpuShare: 0.1 })).toBe(50);
});

it("a manager takes whole tasks", () => {
  // 1024 · 0.25 / 3 = 85.33
  expect(maximumTasks({ ...manager, memoryPerTask: 3 })).toBe(85);
});

it("what a manager already has is not there for others", () => {
  expect(maximumClusterGranularity(manager, 100)).toBe(28);
  expect(maximumClusterGranularity(manager, 128)).toBe(0);
  expect(maximumClusterGranularity(manager, 200)).toBe(0);
});

it("a resource that a task does not use does not limit", () => {
  expect(maximumTasks({ ...manager, memoryPerTask: 0 })).toBe(250);
});

it("a capacity below zero is refused", () => {
  expect(() => maximumTasks({ ...manager, memory: -1 })).toThrow("memory = -1");
});
