/**
 * Tree → closures. Each node becomes one function of the frame; the shapes that policies are made of (comparison
 * with a number or text, `&&`, sums and products) get their own closures so that a host is judged in well under a microsecond.
 */

import { Ad, Computation, Shape } from "./ad";
import { type BinaryOperator, chainOperands, type Expr, type LiteralExpr, type RecordExpr } from "./ast";
import { builtIn } from "./functions";
import { apply, arithmetic, compare, sameText, truthOf, unary } from "./operators";
import { lookUp, nameCode, scopedCode, select, subscript } from "./scope";
import { type Code, ERROR, Frame, ListValue, Real, Session, type Surroundings, type Value } from "./value";

/** How many attributes and list elements one evaluation may visit before it is ERROR: a bound on time, not on policies. */
const maximumSteps = 200_000;

export interface Compiled {
  readonly expr: Expr;
  readonly code: Code;
}

export function compile(expr: Expr): Compiled {
  return { expr, code: codeOf(expr) };
}

export interface EvaluationContext extends Surroundings {
  my?: Ad;
  target?: Ad;
}

const nothing: EvaluationContext = {};

/** The value of an expression; never throws. */
export function evaluate(compiled: Compiled, context: EvaluationContext = nothing): Value {
  return run(compiled.code, frameOf(context));
}

/** The frame an expression of MY is evaluated in. */
export function frameOf(context: EvaluationContext): Frame {
  return new Frame(context.my, new Session(context.my, context.target, context, maximumSteps, codeOf), false);
}

/**
 * Judges one target after the other for one side. What is set up for an evaluation is used again, unless the last
 * value was a list or record, which still needs it.
 */
export function matcher(
  compiled: Compiled,
  my: Ad | undefined,
  surroundings: Surroundings = nothing,
): (target: Ad) => Value {
  const { code } = compiled;
  let session = new Session(my, undefined, surroundings, maximumSteps, codeOf);
  let frame = new Frame(my, session, false);
  return (target) => {
    session.target = target;
    session.stepsLeft = maximumSteps;
    session.depth = 0;
    const value = run(code, frame);
    if (typeof value === "object" && (value instanceof ListValue || value instanceof Ad)) {
      session = new Session(my, undefined, surroundings, maximumSteps, codeOf);
      frame = new Frame(my, session, false);
    }
    return value;
  };
}

export function run(code: Code, frame: Frame): Value {
  try {
    return code(frame);
  } catch (error) {
    // Depth is bounded, but how much stack the caller had left is not ours to know.
    if (error instanceof RangeError) return ERROR;
    throw error;
  }
}

/** A record that stands by itself, such as a host. */
export function makeAd(record: RecordExpr, parent?: Ad): Ad {
  const { shape, slots } = layoutOf(record);
  return new Ad(shape, slots, parent);
}

function layoutOf(record: RecordExpr): { shape: Shape; slots: (Value | Computation)[] } {
  // Of two attributes whose names differ only in case the last one counts.
  const byKey = new Map(record.attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]));
  const attributes = [...byKey.values()];
  const slots = attributes.map(({ value }) =>
    value.kind === "literal" && !value.parentheses ? literalValue(value) : new Computation(value),
  );
  return { shape: Shape.of(attributes.map(({ name }) => name)), slots };
}

export function literalValue(expr: LiteralExpr): Value {
  const value = expr.value;
  return typeof value === "object" && !(value instanceof Real) ? ERROR : value;
}

export function codeOf(expr: Expr): Code {
  switch (expr.kind) {
    case "literal": {
      const value = literalValue(expr);
      return () => value;
    }
    case "reference":
      return referenceCode(expr);
    case "unary": {
      const { operator } = expr;
      const operand = codeOf(expr.operand);
      if (operator === "!") {
        return (frame) => {
          const value = operand(frame);
          return typeof value === "boolean" ? !value : unary("!", value);
        };
      }
      return (frame) => unary(operator, operand(frame));
    }
    case "binary":
      return binaryCode(expr.operator, chainOperands(expr));
    case "conditional":
      return conditionalCode(expr);
    case "subscript": {
      const base = codeOf(expr.base);
      const index = codeOf(expr.index);
      return (frame) => subscript(base(frame), index(frame), frame);
    }
    case "call":
      return builtIn(expr.name)?.compile(expr.arguments, expr.arguments.map(codeOf)) ?? (() => ERROR);
    case "list": {
      const { elements } = expr;
      const codes = elements.map(codeOf);
      return (frame) => ListValue.lazily(elements, codes, frame);
    }
    case "record": {
      const { shape, slots } = layoutOf(expr);
      return (frame) => new Ad(shape, slots, frame.ad);
    }
  }
}

function referenceCode(expr: Extract<Expr, { kind: "reference" }>): Code {
  const key = expr.name.toLowerCase();
  const { scope } = expr;
  if (scope) {
    const direct = scope.kind === "reference" && !scope.scope && !scope.absolute && scopedCode(scope.name, expr.name);
    if (direct) return direct;
    const code = codeOf(scope);
    return (frame) => select(code(frame), key, frame);
  }
  if (!expr.absolute) return nameCode(expr.name);
  return (frame) => {
    let root = frame.ad;
    while (root?.parent) root = root.parent;
    return root ? lookUp(root, key, frame) : undefined;
  };
}

function conditionalCode(expr: Extract<Expr, { kind: "conditional" }>): Code {
  const test = codeOf(expr.test);
  const otherwise = codeOf(expr.otherwise);
  if (!expr.whenTrue) {
    return (frame) => {
      const value = test(frame);
      return value === undefined ? otherwise(frame) : value;
    };
  }
  const then = codeOf(expr.whenTrue);
  return (frame) => {
    const truth = truthOf(test(frame));
    if (truth === true) return then(frame);
    return truth === false ? otherwise(frame) : truth;
  };
}

function binaryCode(operator: BinaryOperator, operands: readonly Expr[]): Code {
  const codes = operands.map(codeOf);
  if (operator === "&&") return decided(codes, false);
  if (operator === "||") return decided(codes, true);
  let code = codes[0]!;
  if (codes.length === 2) return pairCode(operator, code, codes[1]!, operands[1]!);
  // A long chain is a loop, for the call stack's sake.
  if (codes.length > 8) {
    const rest = codes.slice(1);
    const first = code;
    return (frame) => {
      let value = first(frame);
      for (const next of rest) value = apply(operator, value, next(frame));
      return value;
    };
  }
  for (let i = 1; i < codes.length; i++) code = pairCode(operator, code, codes[i]!, operands[i]!);
  return code;
}

/** `&&` and `||`: the first operand that equals `deciding` decides; an ERROR before it is the answer. */
function decided(codes: readonly Code[], deciding: boolean): Code {
  const [first, second] = codes;
  if (codes.length === 2 && first && second) {
    return (frame) => {
      const left = truthOf(first(frame));
      if (left === deciding || left === ERROR) return left;
      const right = truthOf(second(frame));
      return right === deciding || right === ERROR || left !== undefined ? right : undefined;
    };
  }
  return (frame) => {
    let value: Value = !deciding;
    for (let i = 0; i < codes.length; i++) {
      const truth = truthOf(codes[i]!(frame));
      if (truth === deciding || truth === ERROR) return truth;
      if (truth === undefined) value = undefined;
    }
    return value;
  };
}

function pairCode(operator: Exclude<BinaryOperator, "&&" | "||">, left: Code, right: Code, rightExpr: Expr): Code {
  const constant = rightExpr.kind === "literal" ? literalValue(rightExpr) : undefined;
  switch (operator) {
    case "==":
    case "!=":
      return equalityCode(operator, left, right, constant);
    case "<":
    case "<=":
    case ">":
    case ">=": {
      const limit = constant instanceof Real ? constant.value : typeof constant === "number" ? constant : undefined;
      return limit === undefined ? orderCode(operator, left, right) : limitCode(operator, left, constant, limit);
    }
    case "+":
    case "-":
    case "*":
    case "/":
      return arithmeticCode(operator, left, right);
    default:
      return (frame) => apply(operator, left(frame), right(frame));
  }
}

function equalityCode(operator: "==" | "!=", left: Code, right: Code, constant: Value): Code {
  const wanted = operator === "==";
  if (typeof constant === "string") {
    return (frame) => {
      const value = left(frame);
      return typeof value === "string" ? sameText(value, constant) === wanted : compare(operator, value, constant);
    };
  }
  return (frame) => {
    const a = left(frame);
    const b = right(frame);
    if (typeof a === "number" && typeof b === "number") return (a === b) === wanted;
    if (typeof a === "string" && typeof b === "string") return sameText(a, b) === wanted;
    return compare(operator, a, b);
  };
}

type Order = "<" | "<=" | ">" | ">=";

// One closure an operator: a switch inside the closure would be taken anew for every host.
function orderCode(operator: Order, left: Code, right: Code): Code {
  switch (operator) {
    case "<":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        return typeof a === "number" && typeof b === "number" ? a < b : compare("<", a, b);
      };
    case "<=":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        return typeof a === "number" && typeof b === "number" ? a <= b : compare("<=", a, b);
      };
    case ">":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        return typeof a === "number" && typeof b === "number" ? a > b : compare(">", a, b);
      };
    case ">=":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        return typeof a === "number" && typeof b === "number" ? a >= b : compare(">=", a, b);
      };
  }
}

/** A comparison with a number written in the expression. */
function limitCode(operator: Order, left: Code, constant: Value, limit: number): Code {
  switch (operator) {
    case "<":
      return (frame) => {
        const a = left(frame);
        if (typeof a === "number") return a < limit;
        return a instanceof Real ? a.value < limit : compare("<", a, constant);
      };
    case "<=":
      return (frame) => {
        const a = left(frame);
        if (typeof a === "number") return a <= limit;
        return a instanceof Real ? a.value <= limit : compare("<=", a, constant);
      };
    case ">":
      return (frame) => {
        const a = left(frame);
        if (typeof a === "number") return a > limit;
        return a instanceof Real ? a.value > limit : compare(">", a, constant);
      };
    case ">=":
      return (frame) => {
        const a = left(frame);
        if (typeof a === "number") return a >= limit;
        return a instanceof Real ? a.value >= limit : compare(">=", a, constant);
      };
  }
}

/** Results that a number cannot hold exactly go the long way, which knows 64-bit integers. */
function arithmeticCode(operator: "+" | "-" | "*" | "/", left: Code, right: Code): Code {
  switch (operator) {
    case "+":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        if (typeof a === "number" && typeof b === "number") {
          const sum = a + b;
          if (Number.isSafeInteger(sum)) return sum;
        }
        return arithmetic("+", a, b);
      };
    case "-":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        if (typeof a === "number" && typeof b === "number") {
          const difference = a - b;
          if (Number.isSafeInteger(difference)) return difference;
        }
        return arithmetic("-", a, b);
      };
    case "*":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        if (typeof a === "number" && typeof b === "number") {
          const product = a * b;
          if (Number.isSafeInteger(product)) return product + 0;
        }
        return arithmetic("*", a, b);
      };
    case "/":
      return (frame) => {
        const a = left(frame);
        const b = right(frame);
        if (typeof a === "number" && typeof b === "number" && b !== 0) return Math.trunc(a / b) + 0;
        return arithmetic("/", a, b);
      };
  }
}
