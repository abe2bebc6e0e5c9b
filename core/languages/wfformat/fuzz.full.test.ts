/** The long run of `fuzz.test.ts`. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { expectPlaces, mutated } from "@/core/languages/mutate-for-tests";
import { parseWfFormat } from ".";
import { fragments, texts } from "./fuzz-texts-for-tests";

it("a hundred thousand mutated instances are read, none in more than a second", () => {
  fc.assert(
    fc.property(mutated(texts, fragments), (text) => {
      const started = performance.now();
      const { problems } = parseWfFormat(text);
      expect(performance.now() - started).toBeLessThan(1000);
      expectPlaces(text, problems);
    }),
    { numRuns: 100_000 },
  );
});
