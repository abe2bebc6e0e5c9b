import { describe, expect, it } from "vitest";
import { readXml } from "./read";

const read = (text: string) => {
  const { roots, problems } = readXml(text, "x");
  return { roots, problems: problems.toArray() };
};
const codes = (text: string) => read(text).problems.map(({ code }) => code);

describe("XML", () => {
  it("gives elements with attributes, text and places; prefixes and namespaces do not count", () => {
    const { roots, problems } = read(
      '<?xml version="1.0"?>\n<!-- c --><a:B xmlns:a="u" a:Id="1 &amp; 2"><c/> x &lt;&#65;&#x42; <![CDATA[<&>]]> </a:B>',
    );
    expect(problems).toEqual([]);
    expect(roots).toHaveLength(1);
    expect(roots[0]).toMatchObject({ name: "a:B", local: "B", text: "x <AB <&>" });
    expect(roots[0]!.attributes.get("id")?.value).toBe("1 & 2");
    expect(roots[0]!.children.map(({ name }) => name)).toEqual(["c"]);
  });

  it("trims blanks as they are written, not those written as references", () => {
    expect(read("<a>\n  &#32;x&#9; \n</a>").roots[0]!.text).toBe(" x\t");
  });

  it.each([
    ["<a>1 & 2</a>", "x/bare-ampersand", "1 & 2"],
    ["<a>&bomb;</a>", "x/bare-ampersand", "&bomb;"],
    ["<a>1 < 2</a>", "x/bare-less-than", "1 < 2"],
    ["<a>T0<a>", "x/missing-slash", "T0"],
    ["<a><b>t</a>", "x/unclosed", ""],
    ["<a>t</a></b>", "x/stray-end", "t"],
    ["<a>t", "x/unclosed", "t"],
    ["<a>t</a> and more", "x/stray-text", "t"],
  ])("%s is mended with a warning", (text, code, content) => {
    const { roots, problems } = read(text);
    expect(problems.map((problem) => [problem.severity, problem.code])).toEqual([["warning", code]]);
    expect(roots[0]!.text).toBe(content);
  });

  it("an element inside another of its name is not taken for an end tag", () => {
    const { roots, problems } = read("<a><a>t</a></a>");
    expect(problems).toEqual([]);
    expect(roots[0]!.children[0]!.text).toBe("t");
  });

  it.each([
    ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "x/doctype"],
    ['<!DOCTYPE a SYSTEM "http://example.org/a.dtd"><a/>', "x/doctype"],
    ["<a b>", "x/bad-attribute"],
    ["<a b=1>", "x/bad-attribute"],
    ['<a b="1>', "x/unclosed-quote"],
    ["<a ", "x/unclosed-tag"],
    ["<a ,>", "x/bad-tag"],
    ["<!-- never closed", "x/unclosed"],
    ["<a><![CDATA[x</a>", "x/unclosed-cdata"],
    ["</", "x/bad-tag"],
  ])("%s is an error", (text, code) => {
    expect(read(text).problems.map((problem) => [problem.severity, problem.code])).toEqual([["error", code]]);
  });

  it("is bounded in depth and size", () => {
    expect(codes("<a>".repeat(100_000))).toEqual(["x/too-deep"]);
    expect(codes(" ".repeat(33 * 1024 * 1024))).toEqual(["x/too-large"]);
  });
});
