import { describe, expect, it } from "vitest";
import { notStorable, source, title, uploadName } from "./inputs";

describe("text from a browser", () => {
  it.each([
    ["a NUL", "a\0b"],
    ["half a character", "a\ud800b"],
  ])("with %s is refused with a sentence, not by the database", (_, text) => {
    for (const input of [title, source, uploadName]) {
      expect(input.safeParse(text).error?.issues[0]?.message).toBe(notStorable);
    }
  });

  it("with any whole characters is taken", () => {
    for (const input of [title, source, uploadName]) expect(input.parse("Ergebnis π 🧬 'x'.txt")).toBeDefined();
  });
});
