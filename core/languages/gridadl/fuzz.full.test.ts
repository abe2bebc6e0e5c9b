/** The long sweep: see fuzz.test.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectPlaces, mutated, soup } from "@/core/languages/mutate-for-tests";
import { buildWorkflow } from "@/core/workflow/build";
import { parseGridAdl } from ".";
import { endless, fragments, repeated, texts } from "./fuzz-texts-for-tests";

const count = 100_000;

/** How long a text may keep the parser. */
const maxMilliseconds = 1000;

describe("a hundred thousand mutated texts", () => {
  it("are read without a crash or a hang, every problem with a place inside the text", () => {
    fc.assert(
      fc.property(mutated(texts, fragments), (text) => {
        const started = performance.now();
        const { application, problems } = parseGridAdl(text);
        const { problems: ofTheWhole } = buildWorkflow(application);
        expect(performance.now() - started).toBeLessThan(maxMilliseconds);
        expectPlaces(text, problems);
        expectPlaces(text, ofTheWhole);
      }),
      { numRuns: count },
    );
  });

  it("made only of fragments are read too", () => {
    fc.assert(
      fc.property(soup(fragments), (text) => expectPlaces(text, parseGridAdl(text).problems)),
      { numRuns: count },
    );
  });
});

describe("five megabytes of nonsense", () => {
  it.each(endless)("%s do not hang", (_, unit) => {
    expect(parseGridAdl(repeated(unit, 5)).problems.length).toBeGreaterThan(0);
  });
});
