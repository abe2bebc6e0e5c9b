import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Ended } from "@/core/protocol/agent";
import { OutcomeJournal } from "./outcome-journal";

const run = "01234567-89ab-cdef-0123-456789abcdef";
const ended = (task: number): Ended => ({
  attempt: `${run}.${task}.1`,
  epoch: 1,
  outcome: { is: "succeeded", outputs: [] },
  usage: {},
});

describe("the outcome journal", () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "gridloom-journal-"));
    path = join(directory, "outcomes");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it("remembers outcomes over a restart", async () => {
    const before = new OutcomeJournal(path);
    await Promise.all([before.record(ended(1)), before.record(ended(2)), before.record(ended(3))]);
    const after = new OutcomeJournal(path);
    expect(after.outcomeOf(`${run}.2.1`)).toEqual(ended(2));
    expect(after.knows(`${run}.4.1`)).toBe(false);
  });

  it("knows a forgotten attempt, without its outcome", async () => {
    const before = new OutcomeJournal(path);
    await before.record(ended(1));
    await before.forget(`${run}.1.1`);
    await before.forget(`${run}.9.1`);
    expect(before.outcomeOf(`${run}.1.1`)).toBeUndefined();
    const after = new OutcomeJournal(path);
    after.settle(new Set());
    for (const attempt of [`${run}.1.1`, `${run}.9.1`]) {
      expect(after.knows(attempt)).toBe(true);
      expect(after.outcomeOf(attempt)).toBeUndefined();
    }
  });

  it("still has the outcome of an attempt whose spool directory is gone, for whoever asks again", async () => {
    await new OutcomeJournal(path).record(ended(1));
    const after = new OutcomeJournal(path);
    after.settle(new Set());
    expect(after.untoldOutcomeOf(`${run}.1.1`)).toEqual(ended(1));
    expect(after.untoldOutcomeOf(`${run}.2.1`)).toBeUndefined();
  });

  it("goes on recording when the file cannot be rewritten", async () => {
    const journal = new OutcomeJournal(path, { remembered: 1, rewriteAtBytes: 1000 });
    mkdirSync(`${path}.new`);
    for (let task = 1; task <= 30; task++) await journal.record(ended(task));
    expect(new OutcomeJournal(path).outcomeOf(`${run}.30.1`)).toEqual(ended(30));
  });

  it("drops a line torn by a power failure and goes on after it", async () => {
    const before = new OutcomeJournal(path);
    await before.record(ended(1));
    appendFileSync(path, JSON.stringify(ended(2)).slice(0, 40));
    const torn = new OutcomeJournal(path);
    expect(torn.knows(`${run}.2.1`)).toBe(false);
    await torn.record(ended(3));
    const after = new OutcomeJournal(path);
    expect(after.knows(`${run}.1.1`)).toBe(true);
    expect(after.knows(`${run}.3.1`)).toBe(true);
  });

  it("stays bounded: a grown file is rewritten, what is held stays in it", async () => {
    const journal = new OutcomeJournal(path, { remembered: 50, rewriteAtBytes: 20_000 });
    await journal.record(ended(0));
    for (let task = 1; task <= 300; task++) {
      await journal.record(ended(task));
      await journal.forget(`${run}.${task}.1`);
    }
    expect(readFileSync(path).length).toBeLessThan(25_000);
    const after = new OutcomeJournal(path);
    expect(after.outcomeOf(`${run}.0.1`)).toEqual(ended(0));
    expect(after.knows(`${run}.300.1`)).toBe(true);
    expect(after.knows(`${run}.1.1`)).toBe(false);
  });
});
