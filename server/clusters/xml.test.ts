import { expect, test } from "vitest";
import { childText, findAll, parseXml } from "./xml";

test("elements, attributes, text and entities are read", () => {
  const root = parseXml(
    `<?xml version='1.0'?><!-- <x> --><a n='1' m="&quot;q&apos;"><b>x &lt; y &amp;amp; &#65;&#x42;</b><c/></a>`,
  );
  expect(root?.attributes).toEqual({ n: "1", m: "\"q'" });
  expect(root && childText(root, "b")).toBe("x < y &amp; AB");
  expect(root && findAll(root, "c")).toHaveLength(1);
});

test("what is no XML is not read", () => {
  for (const text of ["", "error: x", "<a>", "<a></b>", "<a", "</a>"]) expect(parseXml(text), text).toBeUndefined();
});
