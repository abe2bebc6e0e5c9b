import { describe, expect, it } from "vitest";
import { checkExpression, parseExpression, readAds, unparse } from "./index";

const shown = (text: string) => {
  const read = readAds(text);
  return read.ok
    ? read.ads.map((ad) => unparse(ad))
    : `${read.problem.at?.line}:${read.problem.at?.column} ${read.problem.message}`;
};

describe("files of hosts", () => {
  const expected = ['[ Load = 0.5; Memory = 1; Machine = "a" ]', '[ Rank = Memory * 2; Machine = "b" ]'];
  it("reads new ClassAds, one after the other or in a list", () => {
    expect(shown('[ Machine = "a"; Memory = 1; Load = 0.5 ] // first\n[ Machine = "b"; Rank = Memory * 2; ]')).toEqual(
      expected,
    );
    expect(shown('{ [ Machine = "a"; Memory = 1; Load = 0.5 ],\n[ Machine = "b"; Rank = Memory * 2 ] }')).toEqual(
      expected,
    );
  });
  it("reads old ClassAds, a blank line between hosts", () => {
    expect(shown('Machine = "a"\nMemory = 1\nLoad = 0.5\n\n\n# second\nMachine = "b"\nRank = Memory * 2\n')).toEqual(
      expected,
    );
  });
  it("reads backslashes as each notation does", () => {
    expect(shown('Bar = "ab\\"cd\\ef"')).toEqual(shown('[ Bar = "ab\\"cd\\\\ef" ]'));
  });
  it.each(["[ a = 1 ]", "a = 1\r\n", '{"a": 1}'])("reads %j after a byte order mark", (text) => {
    const read = readAds(`\uFEFF${text}`);
    expect(read.ok && read.ads.map((ad) => ad.has("a"))).toEqual([true]);
  });
  it("reads JSON, with HTCondor's way to write expressions", () => {
    expect(shown('[{"Machine":"a","Memory":1,"Load":0.5},{"Machine":"b","Rank":"/Expr(Memory * 2)/"}]')).toEqual(
      expected,
    );
  });
  it("says where a file is wrong", () => {
    expect(shown('Machine = "a"\nMemory = = 3')).toMatch(/^2:10 /);
    expect(shown("[ a = 1;\n b 2 ]")).toMatch(/^2:4 `=` was expected/);
    expect(shown('[{"a":1}\n,]')).toMatch(/not valid JSON/);
  });
});

describe("checking before any host is met", () => {
  const warnings = (text: string) => {
    const parsed = parseExpression(text);
    return parsed.ok
      ? checkExpression(parsed.value, text).map((problem) => `${problem.at?.column} ${problem.message}`)
      : [];
  };
  it("warns of unknown functions, wrong numbers of arguments and patterns that cannot be used", () => {
    expect(warnings("1 + isundef(x)")).toEqual([
      "5 There is no function `isundef`; is `isUndefined` meant? The value will be ERROR.",
    ]);
    expect(warnings("size(1, 2)")).toEqual(["1 `size` takes 1 argument, not 2. The value will be ERROR."]);
    expect(warnings('regexp("(?=a)b", Name)')).toEqual([
      "1 The pattern cannot be used: look-ahead and look-behind are not supported. The value will be ERROR.",
    ]);
    expect(warnings('strcat("a", 1) == regexp("a+", b)')).toEqual([]);
  });
});
