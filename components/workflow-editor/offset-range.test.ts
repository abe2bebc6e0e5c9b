import { Text } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { offsetRange } from "./offset-range";

const doc = Text.of(["graph x", "task A -e sort"]);

describe("a problem's place in the editor", () => {
  it("counts lines and columns from 1", () => {
    expect(offsetRange(doc, { line: 2, column: 6, endLine: 2, endColumn: 7 })).toEqual({ from: 13, to: 14 });
  });

  it("stays inside a text that has become shorter", () => {
    expect(offsetRange(doc, { line: 9, column: 90, endLine: 9, endColumn: 99 })).toEqual({ from: 22, to: 22 });
    expect(offsetRange(Text.of([""]), { line: 1, column: 4, endLine: 3, endColumn: 1 })).toEqual({ from: 0, to: 0 });
  });
});
