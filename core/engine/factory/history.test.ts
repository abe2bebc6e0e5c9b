import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agentAsked, agentEnded, agentStarted, fitnessOf, forget, restoreHistory, storeHistory } from ".";
import { defaultFactory } from "./factory";
import { backOffUntil, type History } from "./history";

const settings = { ...defaultFactory, windowMs: 1000, backOffMs: 10, longestBackOffMs: 100, steadyMs: 50 };

function history(events: (history: History) => void): History {
  const made: History = new Map();
  events(made);
  return made;
}

function ran(into: History, agent: string, well: boolean, at: number, forMs = 0): void {
  agentAsked(into, "c", agent, at - forMs);
  agentStarted(into, "c", agent, at - forMs);
  agentEnded(into, "c", agent, well, at, settings);
}

describe("fitness", () => {
  it("is (running + completed) / total (equation 4.1)", () => {
    const made = history((h) => {
      for (const agent of ["p1", "p2", "r1"]) agentAsked(h, "c", agent, 0);
      agentStarted(h, "c", "r1", 0);
      ran(h, "good", true, 0);
      ran(h, "bad", false, 0);
    });
    expect(fitnessOf(made.get("c"), 0, 1000)).toBe(2 / 5);
  });

  it("is 0 while all agents queue or all have failed, and unknown for a cluster never tried", () => {
    const queued = history((h) => agentAsked(h, "c", "a", 0));
    const failed = history((h) => ran(h, "a", false, 0));
    expect(fitnessOf(queued.get("c"), 0, 1000)).toBe(0);
    expect(fitnessOf(failed.get("c"), 0, 1000)).toBe(0);
    expect(fitnessOf(undefined, 0, 1000)).toBeUndefined();
  });

  it("believes recent data more, and in the end forgets the old", () => {
    const made = history((h) => {
      ran(h, "old", false, 0);
      ran(h, "new", true, 500);
    });
    expect(fitnessOf(made.get("c"), 500, 1000)).toBeCloseTo(1 / 1.5);
    forget(made, 1200, settings);
    expect(fitnessOf(made.get("c"), 1200, 1000)).toBe(1);
    forget(made, 90_000, settings);
    expect(made.size).toBe(0);
  });

  it("lies between 0 and 1 whatever happens, and is not changed by being stored", () => {
    const event = fc.record({
      what: fc.constantFrom("asked", "started", "well", "badly", "forget"),
      agent: fc.constantFrom("a", "b", "c", "d"),
      at: fc.integer({ min: 0, max: 5000 }),
    });
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const made: History = new Map();
        for (const { what, agent, at } of events) {
          if (what === "asked") agentAsked(made, "c", agent, at);
          else if (what === "started") agentStarted(made, "c", agent, at);
          else if (what === "forget") forget(made, at, settings);
          else agentEnded(made, "c", agent, what === "well", at, settings);
          const fitness = fitnessOf(made.get("c"), at, 1000) ?? 0;
          expect(fitness).toBeGreaterThanOrEqual(0);
          expect(fitness).toBeLessThanOrEqual(1);
        }
        expect(restoreHistory(JSON.parse(JSON.stringify(storeHistory(made))))).toEqual(made);
      }),
    );
  });
});

describe("back-off", () => {
  const until = (made: History) => backOffUntil(made.get("c")!, settings);

  it("doubles with each set-back, up to the longest", () => {
    const made: History = new Map();
    const times: number[] = [];
    let at = 0;
    for (let i = 0; i < 6; i++) {
      ran(made, `a${i}`, false, at);
      times.push(until(made) - at);
      at = until(made);
    }
    expect(times).toEqual([10, 20, 40, 80, 100, 100]);
  });

  it("takes twenty agents that fail together for one set-back", () => {
    const made = history((h) => {
      for (let i = 0; i < 20; i++) ran(h, `a${i}`, false, i % 5);
    });
    expect(until(made)).toBe(10);
  });

  it("does not blame a cluster for an agent that had run for a while", () => {
    expect(until(history((h) => ran(h, "a", false, 100, 60)))).toBe(Number.NEGATIVE_INFINITY);
    expect(until(history((h) => ran(h, "a", false, 100, 40)))).toBe(110);
  });

  it("ends when an agent ends well, or has run for a while", () => {
    const ended = history((h) => {
      ran(h, "a", false, 0);
      ran(h, "b", true, 10);
    });
    expect(until(ended)).toBe(Number.NEGATIVE_INFINITY);
    const steady = history((h) => {
      ran(h, "a", false, 0);
      agentStarted(h, "c", "b", 10);
    });
    forget(steady, 59, settings);
    expect(until(steady)).toBe(10);
    forget(steady, 60, settings);
    expect(until(steady)).toBe(Number.NEGATIVE_INFINITY);
  });

  it("does not last for ever when the clock is set back", () => {
    const made = history((h) => ran(h, "a", false, 90_000));
    forget(made, 50, settings);
    expect(until(made)).toBe(60);
    expect(made.get("c")!.asked).toEqual([50]);
  });

  it("an agent withdrawn from the queue says nothing about the cluster", () => {
    const made = history((h) => {
      ran(h, "a", false, 0);
      agentAsked(h, "c", "b", 10);
      agentEnded(h, "c", "b", true, 20, settings);
    });
    expect(until(made)).toBe(10);
  });
});
