/** Texts nobody would write: the reader must survive them, quickly, and say where each error is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectPlaces, mutated, soup } from "@/core/languages/mutate-for-tests";
import { buildWorkflow } from "@/core/workflow/build";
import { parseWfFormat } from ".";
import { fragments, texts } from "./fuzz-texts-for-tests";
import { readJson } from "./json";

describe("mutated instances", () => {
  it("are read without a crash, every problem with a place inside the text", () => {
    fc.assert(
      fc.property(mutated(texts, fragments), (text) => {
        const { application, problems } = parseWfFormat(text);
        expectPlaces(text, problems);
        buildWorkflow(application);
      }),
      { numRuns: 3000 },
    );
  }, 60_000);

  it("made only of fragments are read too", () => {
    fc.assert(
      fc.property(soup(fragments), (text) => expectPlaces(text, parseWfFormat(text).problems)),
      { numRuns: 2000 },
    );
  }, 60_000);

  it("are JSON here exactly if they are JSON to everybody", () => {
    const isJson = (text: string): boolean => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.oneof(mutated(texts, fragments), soup(fragments), fc.json()), (text) => {
        expect(readJson(text).fault === undefined).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  }, 60_000);
});

it.each([["["], ["{"], ['{"a":'], ['"'], ["[1,"], ["\\"], [" "], ['"\\"'], ["-"]])(
  "a megabyte of %j does not hang",
  (unit) => {
    const { problems } = parseWfFormat(unit.repeat(1024 * 1024));
    expect(problems).toHaveLength(1);
  },
);
