/** Texts nobody would write: the reader must survive them, quickly, and say where each error is. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuzz, mutated, someThousand, soup } from "@/core/fuzz-for-tests";
import { parseWfFormat } from ".";
import { fragments, instances, texts } from "./fuzz-texts-for-tests";
import { readJson } from "./json";

fuzz(instances, someThousand);

describe("mutated instances", () => {
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
