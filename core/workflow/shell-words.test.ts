import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseWords, quoteWord, splitWords } from "./shell-words";

describe("splitWords", () => {
  it.each([
    ["a  b\tc\n", ["a", "b", "c"]],
    ["", []],
    ["''", [""]],
    [`'a b'c"d e"`, ["a bcd e"]],
    [String.raw`a\ b \\ \"`, ["a b", "\\", '"']],
    [String.raw`"\$x \a \"q\" \\"`, ['$x \\a "q" \\']],
    ["'$HOME' $HOME * `x`", ["$HOME", "$HOME", "*", "`x`"]],
    ["one \\\ntwo", ["one", "two"]],
  ])("%j gives %j", (text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it("says which quote is not closed", () => {
    expect(parseWords("it's").unclosed).toBe("'");
    expect(parseWords('say "hi').unclosed).toBe('"');
    expect(parseWords("end\\").unclosed).toBe("\\");
    expect(parseWords("'fine'").unclosed).toBeUndefined();
  });

  it("reads back every word that was quoted", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (words) => {
        expect(splitWords(words.map(quoteWord).join(" "))).toEqual(words);
      }),
    );
  });
});
