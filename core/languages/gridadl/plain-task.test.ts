/** The short way of reading a task and the parser's must agree: a comment at the end of the line forces the parser's. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Problem } from "@/core/problem";
import { parseGridAdl } from ".";
import { PlainTaskReader } from "./plain-task";

const word = fc.oneof(
  fc.constantFrom("a", "b.txt", "dir/f-1.dat", "done", "-5", "--x", "x=y", "*", "Größe", "it's", "'q'", "a;b", ";"),
  fc.constantFrom('"a b"', '"done"', '"-e"', '"x;y"', '""', '"a"b', '"p > q"', '"it\'s"', '"\\"', "${x}", "$x", "}"),
);
const option = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("-e", "-i", "-o", "-a", "-c") },
  { weight: 1, arbitrary: fc.constantFrom("-x", "-e1", "-", "-é", "done", "3", "2.5", "-c 2", "-e p") },
);
const blank = fc.constantFrom(" ", " ", "  ", "\t", "\r", " ; ", "\n -o more ", "\n");
const line = fc
  .array(fc.tuple(fc.oneof(word, option), blank), { maxLength: 10 })
  .map((parts) => `task ${parts.flat().join("")}`);

describe("the short way of reading a task", () => {
  it("gives what the parser gives, or leaves it to the parser", () => {
    fc.assert(
      fc.property(line, (text) => {
        const lines = text.split("\n");
        // The comment must not end up inside a quoted text or make one word of two.
        const slowly = lines.map((one) => `${one} # slowly`).join("\n");
        fc.pre(lines.every((one) => one.split('"').length % 2 === 1 && !one.includes("\\")));
        const quick = parseGridAdl(text);
        const slow = parseGridAdl(slowly);
        expect(quick.application).toEqual(slow.application);
        // Where a line ends is further right with the comment.
        const told = (problems: Problem[]) => problems.map(({ code, at }) => `${at?.line} ${code}`);
        expect(told(quick.problems)).toEqual(told(slow.problems));
      }),
      { numRuns: 1500 },
    );
  });

  it("is taken for the lines it is made for", () => {
    const reads = (text: string): boolean => new PlainTaskReader(text).read(0) !== undefined;
    expect(reads('task t1 -e prog -a "-n 5" -i a b;c "d e" -o f -c 2.5 done\ntask')).toBe(true);
    expect(reads("\n\n  task -e p")).toBe(true);
    for (const other of ["task -e p\n\n  -o x", "task -e p # why", "task ${x} -e p", "task a", "X = 1"]) {
      expect(reads(other)).toBe(false);
    }
  });
});
