import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compile, evaluate, parseExpression, unparse } from "./index";

const value = (text: string) => {
  const parsed = parseExpression(text);
  return parsed.ok ? (unparse(evaluate(compile(parsed.value))) ?? "too long") : parsed.problem.message;
};
const truths = fc.constantFrom("true", "false", "undefined");
const scalars = fc.constantFrom(
  "true",
  "false",
  "undefined",
  "error",
  "0",
  "1",
  "-7",
  "2.5",
  '"a"',
  '"A"',
  '"b"',
  "relTime(3)",
  "9223372036854775807",
);
const all = (arbitraries: fc.Arbitrary<string>, law: (a: string, b: string, c: string) => [string, string]) =>
  fc.assert(
    fc.property(arbitraries, arbitraries, arbitraries, (a, b, c) => {
      const [left, right] = law(a, b, c);
      expect(`${left}: ${value(left)}`).toBe(`${left}: ${value(right)}`);
    }),
    { numRuns: 400 },
  );

describe("laws of three-valued logic", () => {
  it("&& and || commute, associate and distribute", () => {
    all(truths, (a, b) => [`${a} && ${b}`, `${b} && ${a}`]);
    all(truths, (a, b) => [`${a} || ${b}`, `${b} || ${a}`]);
    all(scalars, (a, b, c) => [`(${a} && ${b}) && ${c}`, `${a} && (${b} && ${c})`]);
    all(scalars, (a, b, c) => [`(${a} || ${b}) || ${c}`, `${a} || (${b} || ${c})`]);
    all(truths, (a, b, c) => [`${a} && (${b} || ${c})`, `(${a} && ${b}) || (${a} && ${c})`]);
  });
  it("De Morgan holds, for error too", () => {
    all(scalars, (a, b) => [`!(${a} && ${b})`, `!${a} || !${b}`]);
    all(scalars, (a, b) => [`!(${a} || ${b})`, `!${a} && !${b}`]);
  });
  it("ifThenElse is ?:, and isnt is not is", () => {
    all(scalars, (a, b, c) => [`ifThenElse(${a}, ${b}, ${c})`, `${a} ? ${b} : ${c}`]);
    all(scalars, (a, b) => [`${a} isnt ${b}`, `!(${a} is ${b})`]);
    all(scalars, (a, b) => [`${a} ?: ${b}`, `isUndefined(${a}) ? ${b} : ${a}`]);
  });
  it("comparisons mirror each other", () => {
    all(scalars, (a, b) => [`${a} < ${b}`, `${b} > ${a}`]);
    all(scalars, (a, b) => [`${a} <= ${b}`, `${b} >= ${a}`]);
    all(scalars, (a, b) => [`${a} == ${b}`, `${b} == ${a}`]);
    all(scalars, (a, b) => [`${a} != ${b}`, `!(${a} == ${b})`]);
  });
  it("=?= is always true or false", () => {
    fc.assert(
      fc.property(scalars, scalars, (a, b) => {
        expect(["true", "false"]).toContain(value(`${a} =?= ${b}`));
      }),
    );
  });
  it("a long chain means the same as its pairs", () => {
    fc.assert(
      fc.property(
        fc.array(scalars, { minLength: 2, maxLength: 12 }),
        fc.constantFrom("&&", "||", "+", "*", "-", "=="),
        (operands, operator) => {
          const nested = operands
            .slice(1)
            .reduce<string>((left, right) => `(${left} ${operator} ${right})`, operands[0] ?? "");
          expect(value(operands.join(` ${operator} `))).toBe(value(nested));
        },
      ),
    );
  });
});

describe("integers", () => {
  it("compute as 64-bit integers do", () => {
    const int = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -100n, max: 100n }));
    fc.assert(
      fc.property(int, int, (a, b) => {
        const wrap = (result: bigint) => String(BigInt.asIntN(64, result));
        expect(value(`(${a}) + (${b})`)).toBe(wrap(a + b));
        expect(value(`(${a}) - (${b})`)).toBe(wrap(a - b));
        expect(value(`(${a}) * (${b})`)).toBe(wrap(a * b));
        expect(value(`(${a}) / (${b})`)).toBe(b === 0n ? "error" : wrap(a / b));
        expect(value(`(${a}) < (${b})`)).toBe(String(a < b));
        expect(value(`(${a}) ^ (${b})`)).toBe(wrap(a ^ b));
      }),
      { numRuns: 500 },
    );
  });
});
