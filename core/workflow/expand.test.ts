import { describe, expect, it } from "vitest";
import type { Piece } from "./application";
import { expandList, expandText, noBindings } from "./expand";

const bare = (text: string): Piece => ({ text, quoted: false });
const quoted = (text: string): Piece => ({ text, quoted: true });

describe("expandList", () => {
  it("splits bare text at blanks and semicolons, quoted text at semicolons only", () => {
    expect(expandList([bare("a b;c")], noBindings)).toEqual(["a", "b", "c"]);
    expect(expandList([quoted("a b;c")], noBindings)).toEqual(["a b", "c"]);
  });

  it("joins pieces across their borders", () => {
    const bindings = new Map([["n", "7"]]);
    expect(expandList([quoted("t.out."), { variable: "n", quoted: false }], bindings)).toEqual(["t.out.7"]);
    expect(expandList([bare("a;b"), quoted(" c;d")], noBindings)).toEqual(["a", "b c", "d"]);
  });

  it("splits an unquoted variable, and a quoted one only at semicolons", () => {
    const bindings = new Map([["list", "one two;three"]]);
    expect(expandList([{ variable: "list", quoted: false }], bindings)).toEqual(["one", "two", "three"]);
    expect(expandList([{ variable: "list", quoted: true }], bindings)).toEqual(["one two", "three"]);
  });

  it("drops empty names and blanks around semicolons, and keeps escaped semicolons", () => {
    expect(expandList([quoted(";a ; b;;")], noBindings)).toEqual(["a", "b"]);
    expect(expandList([quoted(String.raw`a\;b;c`)], noBindings)).toEqual(["a;b", "c"]);
    expect(expandList([], noBindings)).toEqual([]);
  });
});

describe("expandText", () => {
  it("fills the holes and splits nothing", () => {
    expect(expandText([bare("a b;"), { variable: "x", quoted: false }], new Map([["x", " y"]]))).toBe("a b; y");
  });

  it("refuses a variable that no loop gives a value", () => {
    expect(() => expandText([{ variable: "x", quoted: false }], noBindings)).toThrow("x");
  });
});
