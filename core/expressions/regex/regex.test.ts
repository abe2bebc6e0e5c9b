import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Pattern } from "./index";

function compiled(source: string, flags = ""): Pattern {
  const pattern = Pattern.compile(source, flags);
  if (typeof pattern === "string") throw new Error(pattern);
  return pattern;
}

const atoms = fc.constantFrom(
  "a",
  "b",
  "c",
  ".",
  "[ab]",
  "[^a]",
  "\\d",
  "\\w",
  "(a|b)",
  "(ab)",
  "(?:b|ca)",
  "(a*b)",
  "()",
);
const repeats = fc.constantFrom("", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{2,}");
const pieces = fc
  .array(
    fc.tuple(atoms, repeats).map(([atom, repeat]) => atom + repeat),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(""));
const patterns = fc
  .tuple(fc.constantFrom("", "^"), pieces, fc.constantFrom("", "", "|ab", "|c+"), fc.constantFrom("", "$", "\\b"))
  .map((parts) => parts.join(""));

describe("patterns", () => {
  it("finds what JavaScript's engine finds, groups excepted where both may differ", () => {
    fc.assert(
      fc.property(
        patterns,
        fc.string({ unit: fc.constantFrom("a", "b", "c", "1", " "), maxLength: 8 }),
        (source, text) => {
          const ours = compiled(source).match(text);
          const theirs = new RegExp(source).exec(text);
          expect(ours && [ours[0], ours[1]]).toEqual(theirs && [theirs.index, theirs.index + theirs[0].length]);
        },
      ),
      { numRuns: 3000 },
    );
  });
  it("reports groups, named ones too", () => {
    expect(compiled("(\\w+)@(?<host>\\w+)").match("mail ada@lab now")).toEqual([5, 12, 5, 8, 9, 12]);
    expect(compiled("(a)|(b)").match("b")).toEqual([0, 1, -1, -1, 0, 1]);
  });
  it.each([
    ["A+", "i", "xaAa", true],
    ["^b$", "m", "a\nb\nc", true],
    ["^b$", "", "a\nb\nc", false],
    ["b$", "", "b\n", true],
    ["a.b", "s", "a\nb", true],
    ["(?i)abc", "", "ABC", true],
    ["[[:digit:]]{3}", "", "x123", true],
    ["\\Qa.b\\E", "", "a.b", true],
    ["\\Qa.b\\E", "", "axb", false],
    ["[^[:space:]]+\\z", "", "ab", true],
    ["é.", "", "é√", true],
    ["^.$", "", "😀", true],
  ])("%s with flags %j on %j is %s", (source, flags, text, expected) =>
    expect(compiled(source, flags).test(text)).toBe(expected),
  );

  it.each([
    ["(?=a)b", "look-ahead"],
    ["(a)\\1", "references back"],
    ["(?>a)", "atomic"],
    ["a++", "possessive"],
    ["(a", "never closed"],
    ["a)", "no `(`"],
    ["[a", "never closed"],
    ["*a", "nothing before it"],
    ["a{5000}", "more than"],
    ["((a{100}){100}){100}", "too large"],
    ["\\", "backslash"],
    ["[b-a]", "wrong order"],
  ])("%s is refused with the reason", (source, reason) => expect(Pattern.compile(source)).toContain(reason));

  it("is not made to hang by patterns that make backtracking engines hang", () => {
    const text = `${"a".repeat(30_000)}b`;
    for (const source of ["(a+)+$", "^(a|a)*$", "^(a*)*$", "(.*a){5}$"])
      expect(compiled(source).test(text)).toBe(false);
  });
  it("has an answer for any text taken as a pattern", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."ab()[]{}*+?|\\^$.,-:01<>=!iPQEdwx".split("")), maxLength: 20 }),
        (source) => {
          const pattern = Pattern.compile(source);
          if (typeof pattern === "string") expect(pattern).toMatch(/^The pattern/);
          else expect(typeof pattern.test("abab")).toBe("boolean");
        },
      ),
      { numRuns: 3000 },
    );
  });
});
