/** Texts nobody would write, for the fuzz tests of the formats: pieces cut out, doubled, replaced by something that means something. */
import fc from "fast-check";
import { expect } from "vitest";
import type { Problem } from "@/core/problem";

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
