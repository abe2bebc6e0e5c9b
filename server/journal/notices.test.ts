import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RunNotices } from "./notices";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the first change is told at once, those after it together at the end of the interval", () => {
  const due: string[] = [];
  const notices = new RunNotices(250, (run) => due.push(run));
  expect(notices.mayTell("a", Date.now())).toBe(true);
  vi.advanceTimersByTime(10);
  expect(notices.mayTell("a", Date.now())).toBe(false);
  expect(notices.mayTell("b", Date.now())).toBe(true);
  vi.advanceTimersByTime(100);
  expect(notices.mayTell("a", Date.now())).toBe(false);
  expect(due).toEqual([]);
  vi.advanceTimersByTime(140);
  expect(due).toEqual(["a"]);
  vi.advanceTimersByTime(1000);
  expect(due).toEqual(["a"]);
  expect(notices.mayTell("a", Date.now())).toBe(true);
});

test("a run that ended is not told again", () => {
  const due: string[] = [];
  const notices = new RunNotices(250, (run) => due.push(run));
  notices.mayTell("a", Date.now());
  notices.mayTell("a", Date.now());
  notices.forget("a");
  vi.advanceTimersByTime(1000);
  expect(due).toEqual([]);
});
