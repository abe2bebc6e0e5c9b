/** Texts nobody would write: the parser must survive them, quickly, and say where each error is. */
import { describe, expect, it } from "vitest";
import { fuzz, repeated, someThousand } from "@/core/fuzz-for-tests";
import { parseGridAdl } from ".";
import { endless, gridadlTexts } from "./fuzz-texts-for-tests";

fuzz(gridadlTexts, someThousand);

describe("a megabyte of nonsense", () => {
  it.each(endless)(
    "%s do not hang",
    (_, unit) => {
      const { problems } = parseGridAdl(repeated(unit));
      expect(problems.length).toBeGreaterThan(0);
      // A hundred errors, a hundred warnings, and a note for each.
      expect(problems.length).toBeLessThanOrEqual(202);
    },
    60_000,
  );
});
