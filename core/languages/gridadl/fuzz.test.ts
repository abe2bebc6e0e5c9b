/** Texts nobody would write: the parser must survive them, quickly, and say where each error is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectPlaces, mutated, soup } from "@/core/languages/mutate-for-tests";
import { buildWorkflow } from "@/core/workflow/build";
import { parseGridAdl } from ".";
import { endless, fragments, repeated, texts } from "./fuzz-texts-for-tests";

describe("mutated texts", () => {
  it("are read without a crash, every problem with a place inside the text", () => {
    fc.assert(
      fc.property(mutated(texts, fragments), (text) => {
        const { application, problems } = parseGridAdl(text);
        expectPlaces(text, problems);
        expectPlaces(text, buildWorkflow(application).problems);
      }),
      { numRuns: 1500 },
    );
  }, 60_000);

  it("made only of fragments are read too", () => {
    fc.assert(
      fc.property(soup(fragments), (text) => expectPlaces(text, parseGridAdl(text).problems)),
      { numRuns: 1500 },
    );
  }, 60_000);
});

describe("a megabyte of nonsense", () => {
  it.each(endless)(
    "%s do not hang",
    (_, unit) => {
      const { problems } = parseGridAdl(repeated(unit, 1));
      expect(problems.length).toBeGreaterThan(0);
      // A hundred errors, a hundred warnings, and a note for each.
      expect(problems.length).toBeLessThanOrEqual(202);
    },
    60_000,
  );
});
