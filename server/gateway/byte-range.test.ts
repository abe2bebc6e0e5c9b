import { expect, test } from "vitest";
import { parseRange } from "./byte-range";

test.each([
  [undefined, undefined],
  ["bytes=0-4", { start: 0, end: 4 }],
  ["bytes=5-", { start: 5, end: 9 }],
  ["bytes=5-500", { start: 5, end: 9 }],
  ["bytes=-3", { start: 7, end: 9 }],
  ["bytes=-30", { start: 0, end: 9 }],
  ["bytes=10-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=4-2", undefined],
  ["bytes=0-1,3-4", undefined],
  ["bytes=-", undefined],
])("%s of ten bytes", (header, range) => {
  expect(parseRange(header, 10)).toEqual(range);
});
