/**
 * Assignments' values and conditions. `^` binds tightest, then `*` and `/`, then `+` and `-`; all but `^` from
 * the left. `&&` binds tighter than `||`. The thesis puts conditions in parentheses; they may be left out.
 */
import type { ArithmeticOperator, ChainStep, Comparison, Condition, Expression } from "./ast";
import type { TokenKind } from "./lexer";
import { expectToken, maxNesting, type ParseContext, unexpected } from "./parse-context";

const comparisons: ReadonlySet<TokenKind> = new Set<Comparison>(["==", "!=", ">=", "<=", ">", "<"]);

export function parseExpression(context: ParseContext, depth = 0): Expression | undefined {
  return parseChain(context, depth, ["+", "-"], (inner) =>
    parseChain(context, inner, ["*", "/"], (innermost) => parsePower(context, innermost)),
  );
}

function parseChain(
  context: ParseContext,
  depth: number,
  operators: readonly ArithmeticOperator[],
  parseOne: (depth: number) => Expression | undefined,
): Expression | undefined {
  const first = parseOne(depth);
  if (!first) return undefined;
  const steps: ChainStep[] = [];
  for (;;) {
    const { kind } = context.lexer.peek("expression");
    const operator = operators.find((candidate) => candidate === kind);
    if (!operator) break;
    takeOperator(context);
    const operand = parseOne(depth);
    if (!operand) return undefined;
    steps.push({ operator, operand });
  }
  const last = steps.at(-1);
  return last ? { is: "chain", first, steps, start: first.start, end: last.operand.end } : first;
}

/** From the right: `2 ^ 3 ^ 2` is `2 ^ 9`. */
function parsePower(context: ParseContext, depth: number): Expression | undefined {
  const first = parseOperand(context, depth);
  if (!first || context.lexer.peek("expression").kind !== "^") return first;
  takeOperator(context);
  if (depth >= maxNesting) return tooDeep(context);
  const operand = parsePower(context, depth + 1);
  if (!operand) return undefined;
  return { is: "chain", first, steps: [{ operator: "^", operand }], start: first.start, end: operand.end };
}

/** A line may end after an operator; the expression then goes on on the next. */
function takeOperator(context: ParseContext): void {
  context.lexer.take("expression");
  while (context.lexer.peek("expression").kind === "line-end") context.lexer.take("expression");
}

function parseOperand(context: ParseContext, depth: number): Expression | undefined {
  const { lexer } = context;
  const token = lexer.peek("expression");
  switch (token.kind) {
    case "number": {
      lexer.take("expression");
      const value = Number(context.text.slice(token.start, token.end));
      return { is: "number", value, start: token.start, end: token.end };
    }
    case "word":
      lexer.take("expression");
      return { is: "word", word: token, start: token.start, end: token.end };
    case "-": {
      lexer.take("expression");
      if (depth >= maxNesting) return tooDeep(context);
      const operand = parseOperand(context, depth + 1);
      if (!operand) return undefined;
      const first: Expression = { is: "number", value: 0, start: token.start, end: token.start };
      return { is: "chain", first, steps: [{ operator: "-", operand }], start: token.start, end: operand.end };
    }
    case "(": {
      lexer.take("expression");
      if (depth >= maxNesting) return tooDeep(context);
      const inner = parseExpression(context, depth + 1);
      if (!inner || !expectToken(context, ")", "expression", '")"')) return undefined;
      return inner;
    }
    case "..":
      return context.error(
        "gridadl/unexpected",
        'Expected a value; a name that starts with ".." goes in quotes.',
        token,
      );
    default:
      return unexpected(context, "a value (a string in quotes, a number or a variable)", "expression");
  }
}

export function parseCondition(context: ParseContext, depth = 0): Condition | undefined {
  return parseConditions(context, "||", "either", () =>
    parseConditions(context, "&&", "both", () => parseComparison(context, depth)),
  );
}

function parseConditions(
  context: ParseContext,
  separator: "||" | "&&",
  is: "either" | "both",
  parseOne: () => Condition | undefined,
): Condition | undefined {
  const parts: Condition[] = [];
  for (;;) {
    const part = parseOne();
    if (!part) return undefined;
    parts.push(part);
    if (context.lexer.peek("expression").kind !== separator) break;
    takeOperator(context);
  }
  const first = parts[0]!;
  return parts.length === 1 ? first : { is, parts, start: first.start, end: parts.at(-1)!.end };
}

function parseComparison(context: ParseContext, depth: number): Condition | undefined {
  const { lexer } = context;
  if (lexer.peek("expression").kind === "(" && !startsArithmetic(context)) {
    if (depth >= maxNesting) return tooDeep(context);
    lexer.take("expression");
    const inner = parseCondition(context, depth + 1);
    if (!inner || !expectToken(context, ")", "expression", '")"')) return undefined;
    return inner;
  }
  const left = parseExpression(context, depth);
  if (!left) return undefined;
  const { kind } = lexer.peek("expression");
  if (!isComparison(kind)) return unexpected(context, 'a comparison ("==", "!=", "<", "<=", ">", ">=")', "expression");
  takeOperator(context);
  const right = parseExpression(context, depth);
  if (!right) return undefined;
  return { is: "comparison", operator: kind, left, right, start: left.start, end: right.end };
}

/** Whether the parenthesis ahead holds a value, as in `(${a} + 1) * 2 > 4`, and not a condition. */
function startsArithmetic(context: ParseContext): boolean {
  const { lexer } = context;
  const { position } = lexer;
  let open = 0;
  let arithmetic = false;
  for (let steps = 0; steps < 1000; steps++) {
    const { kind, end } = lexer.peek("expression");
    lexer.position = end;
    if (kind === "(") open += 1;
    else if (kind === ")") open -= 1;
    else if (isComparison(kind) || kind === "&&" || kind === "||") break;
    else if (kind === "end" || kind === "line-end" || kind === "{") break;
    if (open === 0) {
      arithmetic = true;
      break;
    }
  }
  lexer.position = position;
  return arithmetic;
}

function isComparison(kind: TokenKind): kind is Comparison {
  return comparisons.has(kind);
}

function tooDeep(context: ParseContext): undefined {
  const message = "This expression is too long or nested too deeply; split it with a variable.";
  return context.error("gridadl/too-deep", message, context.lexer.peek("expression"));
}
