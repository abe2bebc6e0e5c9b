import { expect, it } from "vitest";
import { Fifo } from "./fifo";

it("a line gives back what was put in, in order, however long it grows and shrinks", () => {
  const line = new Fifo<number>();
  let next = 0;
  let expected = 0;
  for (let round = 0; round < 500; round += 1) {
    for (let i = 0; i < round % 7; i += 1) line.push(next++);
    for (let i = 0; i < round % 5 && line.size > 0; i += 1) {
      expect(line.peek()).toBe(expected);
      expect(line.shift()).toBe(expected);
      expected += 1;
    }
    expect(line.size).toBe(next - expected);
  }
  expect([...line]).toEqual(Array.from({ length: next - expected }, (_, i) => expected + i));
  while (line.size > 0) line.shift();
  expect([line.peek(), line.shift()]).toEqual([undefined, undefined]);
});
