/** The long sweep: see fuzz.test.ts. */
import { describe, expect, it } from "vitest";
import { fuzz, hundredThousand, repeated } from "@/core/fuzz-for-tests";
import { parseGridAdl } from ".";
import { endless, gridadlTexts } from "./fuzz-texts-for-tests";

fuzz(gridadlTexts, hundredThousand);

describe("five megabytes of nonsense", () => {
  it.each(endless)("%s do not hang", (_, unit) => {
    expect(parseGridAdl(repeated(unit, 5)).problems.length).toBeGreaterThan(0);
  });
});
