/**
 * Texts nobody would write, for the fuzz tests of every parser: pieces cut out, doubled, replaced by something that
 * means something. Whatever the text, it is answered within a second, and every problem says where in the text it is.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Problem } from "@/core/problem";

export interface Fuzzed {
  /** What is read, as the test's name says it: "DAGs". */
  name: string;
  /** What mutations start from. */
  texts: readonly string[];
  /** Pieces that mean something in the language. */
  fragments: readonly string[];
  /** Reads the text, and a file beside it where the language has such, and tells what is wrong in the text. */
  read(text: string, beside: string): readonly Problem[];
}

/** For `npm test`. */
export const someThousand = 3000;
/** For `npm run test:full`. */
export const hundredThousand = 100_000;

const maxMilliseconds = 1000;

/** Both kinds of texts, so many each. */
export function fuzz({ name, texts, fragments, read }: Fuzzed, runs: number): void {
  const kinds: [string, fc.Arbitrary<string>][] = [
    ["mutated", mutated(texts, fragments)],
    ["made of fragments only", soup(fragments)],
  ];
  describe(name, () => {
    it.each(kinds)(
      "%s are read without a crash or a hang, every problem with a place inside the text",
      (_, inputs) => {
        fc.assert(
          fc.property(inputs, soup(fragments), (text, beside) => {
            const started = performance.now();
            const problems = read(text, beside);
            expect(performance.now() - started).toBeLessThan(maxMilliseconds);
            expectPlaces(text, problems);
          }),
          { numRuns: runs },
        );
      },
      60_000 + runs * 30,
    );
  });
}

export function mutated(texts: readonly string[], fragments: readonly string[]): fc.Arbitrary<string> {
  const mutation = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat({ max: 12 }),
    insert: fc.oneof(fc.constantFrom(...fragments), fc.string({ maxLength: 4 })),
  });
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(mutation, { minLength: 1, maxLength: 6 }))
    .map(([text, mutations]) =>
      mutations.reduce((mutating, { at, length, insert }) => {
        const start = Math.floor(at * mutating.length);
        return mutating.slice(0, start) + insert + mutating.slice(start + length);
      }, text),
    );
}

export function soup(fragments: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...fragments), { maxLength: 60 }).map((parts) => parts.join(""));
}

/** The unit again and again, for that many megabytes. */
export function repeated(unit: string, megabytes = 1): string {
  return unit.repeat(Math.ceil((megabytes * 1024 * 1024) / unit.length));
}

/** Every problem says something, and where: inside the text. */
export function expectPlaces(text: string, problems: readonly Problem[]): void {
  const lines = text.split("\n");
  for (const { at, message } of problems) {
    expect(message).not.toBe("");
    expect(at, message).toBeDefined();
    expect(at!.line).toBeGreaterThan(0);
    expect(at!.line).toBeLessThanOrEqual(lines.length);
    expect(at!.column).toBeGreaterThan(0);
    expect(at!.column).toBeLessThanOrEqual(lines[at!.line - 1]!.length + 1);
  }
}
