/** Texts nobody would write: the reader must survive them, quickly, and say where each error is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectPlaces, mutated, soup } from "@/core/languages/mutate-for-tests";
import { buildWorkflow } from "@/core/workflow/build";
import { fragments, read, texts } from "./fuzz-texts-for-tests";

describe("mutated job templates", () => {
  it("are read without a crash, every problem with a place inside the text", () => {
    fc.assert(
      fc.property(mutated(texts, fragments), (text) => {
        const { application, problems } = read(text);
        expectPlaces(text, problems);
        const [group] = application.groups;
        if (
          application.groups.length < 100 &&
          group?.loops.every(({ values }) => !Array.isArray(values) && values.to < 1000)
        ) {
          buildWorkflow(application);
        }
      }),
      { numRuns: 3000 },
    );
  }, 60_000);

  it("made only of fragments are read too", () => {
    fc.assert(
      fc.property(soup(fragments), (text) => expectPlaces(text, read(text).problems)),
      { numRuns: 2000 },
    );
  }, 60_000);
});

it.each(["EXECUTABLE = x\n", "A", "ENVIRONMENT = A=1,", "${", "${X}", '"', " ", "INPUT_FILES = ,", "a b "])(
  "a megabyte of %j does not hang",
  (unit) => {
    const text = `EXECUTABLE = x\nARGUMENTS = ${unit.repeat(Math.floor(1_000_000 / unit.length))}`;
    expect(read(text).problems.length).toBeLessThanOrEqual(202);
    expect(read(text.replace("ARGUMENTS", "ENVIRONMENT")).problems.length).toBeLessThanOrEqual(202);
    expect(read(text.replace("ARGUMENTS", "INPUT_FILES")).problems.length).toBeLessThanOrEqual(202);
  },
  60_000,
);
