import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BinaryOperator, type Expr, errorLiteral, precedence, type UnaryOperator } from "./ast";
import { sameTree } from "./equal";
import { parseExpression } from "./parse";
import { printExpression } from "./print";
import { Real } from "./value";

const shortest = (text: string) => {
  const parsed = parseExpression(text);
  return parsed.ok ? printExpression(parsed.value) : parsed.problem.message;
};

const names = fc.constantFrom("a", "Memory", "MY", "x1", "a b", "is", "true", "é", "it's");
const strings = fc
  .oneof(fc.string({ maxLength: 8 }), fc.constantFrom('"', "\\", "\n\t\r", "\x07\x01", "é√", "'", ""))
  .map((text) => text.replaceAll("\0", ""));
const literals: fc.Arbitrary<Expr> = fc
  .oneof(
    fc.integer(),
    fc.constantFrom(0, 1, 100, 123456789012345678n, -(2n ** 63n), 2n ** 63n - 1n),
    fc.double({ noNaN: true }).map((value) => new Real(value)),
    fc.constantFrom(0, 100, 1000, 0.001, 0.5, 1e21, 1e300, 12300).map((value) => new Real(value)),
    strings,
    fc.boolean(),
    fc.constant(undefined),
    fc.constant(errorLiteral),
  )
  .map((value): Expr => ({ kind: "literal", value: Object.is(value, -0) ? 0 : value }));
const binaryOperators = fc
  .constantFrom(...Object.keys(precedence))
  .filter((key): key is BinaryOperator => key in precedence);
const unaryOperators = fc.constantFrom<UnaryOperator>("-", "+", "!", "~");

const trees: fc.Arbitrary<Expr> = fc.letrec<{ expr: Expr }>((tie) => ({
  expr: fc.oneof(
    { maxDepth: 5, depthSize: "small", withCrossShrink: true },
    literals,
    names.map((name): Expr => ({ kind: "reference", name })),
    names.map((name): Expr => ({ kind: "reference", name, absolute: true })),
    fc.tuple(tie("expr"), names).map(([scope, name]): Expr => ({ kind: "reference", scope, name })),
    fc.tuple(unaryOperators, tie("expr")).map(([operator, operand]): Expr => ({ kind: "unary", operator, operand })),
    fc
      .tuple(binaryOperators, tie("expr"), tie("expr"))
      .map(([operator, left, right]): Expr => ({ kind: "binary", operator, left, right })),
    fc
      .tuple(tie("expr"), tie("expr"), tie("expr"))
      .map(([test, whenTrue, otherwise]): Expr => ({ kind: "conditional", test, whenTrue, otherwise })),
    fc.tuple(tie("expr"), tie("expr")).map(([test, otherwise]): Expr => ({ kind: "conditional", test, otherwise })),
    fc.tuple(tie("expr"), tie("expr")).map(([base, index]): Expr => ({ kind: "subscript", base, index })),
    fc
      .tuple(fc.constantFrom("f", "strcat", "ifThenElse"), fc.array(tie("expr"), { maxLength: 3 }))
      .map(([name, args]): Expr => ({ kind: "call", name, arguments: args })),
    fc.array(tie("expr"), { maxLength: 3 }).map((elements): Expr => ({ kind: "list", elements })),
    fc
      .uniqueArray(fc.tuple(names, tie("expr")), { maxLength: 3, selector: ([name]) => name.toLowerCase() })
      .map((pairs): Expr => ({ kind: "record", attributes: pairs.map(([name, value]) => ({ name, value })) })),
  ),
})).expr;

describe("parsing and printing", () => {
  it.each(["shortest", "spaced"] as const)("the %s text of any tree parses to the same tree", (style) => {
    fc.assert(
      fc.property(trees, (tree) => {
        const text = printExpression(tree, style);
        const parsed = parseExpression(text);
        if (!parsed.ok) throw new Error(`${text}: ${parsed.problem.message}`);
        if (!sameTree(parsed.value, tree)) throw new Error(`${text} became ${printExpression(parsed.value, style)}`);
      }),
      { numRuns: 3000 },
    );
  });
  it("leaving out any one character of the shortest text changes the tree or breaks it", () => {
    fc.assert(
      fc.property(trees, (tree) => {
        const text = printExpression(tree);
        for (let i = 0; i < text.length; i++) {
          const parsed = parseExpression(text.slice(0, i) + text.slice(i + 1));
          if (parsed.ok && sameTree(parsed.value, tree)) throw new Error(`${text} is longer than needed at ${i}`);
        }
      }),
      { numRuns: 500 },
    );
  });
  it.each([
    ["( a + b ) * c", "(a+b)*c"],
    ["a + (b * c)", "a+b*c"],
    ["(a && b) && c", "a&&b&&c"],
    ["a && (b && c)", "a&&(b&&c)"],
    ["a is b", "a=?=b"],
    ['"a" is "b"', '"a"is"b"'],
    ["- (5)", "- 5"],
    ["-5", "-5"],
    ["a - -5", "a--5"],
    ["100000.0", "1e5"],
    ["0.25", ".25"],
    ["1.0", "1.0"],
    ["(1).a", "(1).a"],
    ["a ? (b ? 1 : 2) : 3", "a?b?1:2:3"],
    ["(a ? b : c) ? d : e", "(a?b:c)?d:e"],
    ["a / /* why */ b", "a/b"],
    ['"x" "y"', '"xy"'],
  ])("%s prints as %s", (text, expected) => expect(shortest(text)).toBe(expected));

  it.each([
    ["1 +", 1, 4, "a value is missing"],
    ["(1", 1, 3, "`)` was expected"],
    ["a = 1", 1, 3, "`==`"],
    ["1 2", 1, 3, "not expected"],
    ["a &&\n  && b", 2, 3, "A value was expected"],
    ['"abc', 1, 1, "never closed"],
    ["a $ b", 1, 3, "`$`"],
    ["Memory > 2G", 1, 10, "2 * 1024"],
    ["9223372036854775808", 1, 1, "64 bits"],
    ["08", 1, 1, "octal"],
    ["a.true", 1, 3, "'true'"],
    ["{1,}", 1, 4, "A value was expected"],
    ["/* x", 1, 1, "never closed"],
    ["1.", 1, 1, "after its point"],
    ["", 1, 1, "a value is missing"],
  ])("%j is refused at line %i column %i", (text, line, column, words) => {
    const parsed = parseExpression(text);
    if (parsed.ok) throw new Error("it parsed");
    expect(parsed.problem.at).toMatchObject({ line, column });
    expect(parsed.problem.message).toContain(words);
  });

  it("refuses what is too deep or too long with a place, not with a crash", () => {
    for (const text of [
      "(".repeat(50_000),
      "-".repeat(50_000),
      "[a=".repeat(20_000),
      "a?b:".repeat(20_000),
      "!".repeat(99_999),
      "x".repeat(100_001),
      `${"a-b+".repeat(10_000)}c`,
      `a${".b".repeat(20_000)}`,
      "{".repeat(99_000),
    ]) {
      const parsed = parseExpression(text);
      if (parsed.ok) throw new Error(`${text.slice(0, 10)}… parsed`);
      expect(parsed.problem.at?.line).toBe(1);
    }
  });
});
