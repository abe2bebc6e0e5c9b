/** Texts nobody would write: the parser must survive them, quickly, and say where each error is. */
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkWorkflow } from "@/core/workflow/check";
import { parseGridAdl } from ".";

const examples = new URL("../../../examples/", import.meta.url);
const texts = readdirSync(examples, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".gadl"))
  .map((path) => readFileSync(new URL(path, examples), "utf8"));

const fragments = [
  ...["task ", "foreach ", "in ", "1..3", "graph ", "if ", "else", "do", "done", "transient ", "requirement = ("],
  ...[
    "-e ",
    "-a ",
    "-i ",
    "-o ",
    "-c ",
    "${",
    "${T}",
    "}",
    "{",
    '"',
    "\\",
    ";",
    "(",
    ")",
    "=",
    "+",
    "^",
    "..",
    "#",
    "\n",
    "\0",
    "é",
    "😀",
  ],
];

/** A piece of the text cut out, doubled, or replaced by something that means something. */
const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat({ max: 12 }),
  insert: fc.oneof(fc.constantFrom(...fragments), fc.string({ maxLength: 4 })),
});

function mutate(text: string, { at, length, insert }: { at: number; length: number; insert: string }): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + insert + text.slice(start + length);
}

describe("mutated texts", () => {
  it("are read without a crash, every problem with a place inside the text", () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(mutation, { minLength: 1, maxLength: 6 }), (text, mutations) => {
        const mutated = mutations.reduce(mutate, text);
        const lines = mutated.split("\n");
        for (const { at, message } of checkWorkflow(mutated, "x.gadl", new Set()).problems) {
          expect(message).not.toBe("");
          expect(at?.line).toBeGreaterThan(0);
          expect(at!.line).toBeLessThanOrEqual(lines.length);
          expect(at!.column).toBeGreaterThan(0);
          expect(at!.column).toBeLessThanOrEqual(lines[at!.line - 1]!.length + 1);
        }
      }),
      { numRuns: 3000 },
    );
  }, 60_000);

  it("made only of fragments are read too", () => {
    const soup = fc.array(fc.constantFrom(...fragments), { maxLength: 60 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(soup, (text) => {
        for (const { at } of parseGridAdl(text).problems) expect(at).toBeDefined();
      }),
      { numRuns: 3000 },
    );
  }, 60_000);
});

describe("five megabytes of nonsense", () => {
  const megabytes = (unit: string): string => unit.repeat(Math.ceil((5 * 1024 * 1024) / unit.length));

  it.each([
    ["words", "lorem ipsum\n"],
    ["one line of words", "lorem "],
    ["opening braces", "{"],
    ["nested loops", "foreach i in 1..2 {\n"],
    ["nested conditions", "if (1 == 1) {\n"],
    ["nested do blocks", "foreach i in 1..2 do\n"],
    ["parentheses", "X = ((((((((((\n"],
    ["one expression of parentheses", "("],
    ["quotes", '"'],
    ["dollars", "${"],
    ["unknown variables", "task ${abc} -e ${def}\n"],
    ["a sum", "X = 1 +\n"],
    ["sets", "foreach i in {\n"],
    ["conditions", "if (((1 \n"],
    ["backslashes", "\\"],
    ["closing", "}\ndone\n"],
    ["requirements", "requirement = (((\n"],
    ["options", "task -e -e -i -o\n"],
  ])(
    "%s do not hang",
    (_, unit) => {
      const { problems } = parseGridAdl(megabytes(unit));
      expect(problems.length).toBeGreaterThan(0);
      // A hundred errors, a hundred warnings, and a note for each.
      expect(problems.length).toBeLessThanOrEqual(202);
    },
    60_000,
  );
});
