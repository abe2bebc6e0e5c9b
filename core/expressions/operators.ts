/**
 * What the operators mean, for operands of every type. Nearly all are strict: ERROR wins over UNDEFINED,
 * UNDEFINED over any value. `&&` and `||` are not: `false && x` is false and `true || x` is true whatever x is,
 * and they look at their left operand first, so an ERROR on the left stays one. The compiler has fast paths for
 * numbers; this is the whole truth. Where the manual is silent it follows what HTCondor 25's library computes.
 */
import type { BinaryOperator, UnaryOperator } from "./ast";
import { AbsTime, Ad, ERROR, integer, ListValue, numberOf, Real, RelTime, smallestInteger, type Value } from "./value";

/** A value as a truth value: numbers count (zero is false), text does not. */
export function truthOf(value: Value): boolean | undefined | typeof ERROR {
  if (typeof value === "boolean" || value === undefined) return value;
  if (typeof value === "number") return value !== 0;
  if (typeof value === "bigint") return true;
  if (value instanceof Real) return value.value !== 0;
  return ERROR;
}

/** Compares text as `==` and `<` do: the letters A–Z and a–z are the same. */
export function compareText(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let i = 0; i < shorter; i++) {
    let a = left.charCodeAt(i);
    let b = right.charCodeAt(i);
    if (a === b) continue;
    if (a >= 65 && a <= 90) a += 32;
    if (b >= 65 && b <= 90) b += 32;
    if (a !== b) return a - b;
  }
  return left.length - right.length;
}

export function sameText(left: string, right: string): boolean {
  return left === right || (left.length === right.length && compareText(left, right) === 0);
}

export type Comparison = "==" | "!=" | "<" | "<=" | ">" | ">=";

const decide = (operator: Comparison, order: number): boolean => {
  switch (operator) {
    case "==":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
};

export function compare(operator: Comparison, left: Value, right: Value): Value {
  if (left === ERROR || right === ERROR) return ERROR;
  if (left === undefined || right === undefined) return undefined;
  if (typeof left === "string") {
    return typeof right === "string" ? decide(operator, compareText(left, right)) : ERROR;
  }
  if (typeof left === "bigint" || typeof right === "bigint") {
    const a = bigOf(left);
    const b = bigOf(right);
    if (a !== undefined && b !== undefined) return decide(operator, a < b ? -1 : a > b ? 1 : 0);
  }
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) {
    // Nothing is less than, equal to or greater than NaN.
    if (Number.isNaN(a) || Number.isNaN(b)) return operator === "!=";
    return decide(operator, a < b ? -1 : a > b ? 1 : 0);
  }
  if (left instanceof AbsTime && right instanceof AbsTime) return decide(operator, left.seconds - right.seconds);
  if (left instanceof RelTime && right instanceof RelTime) return decide(operator, left.seconds - right.seconds);
  return ERROR;
}

function bigOf(value: Value): bigint | undefined {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return BigInt(value);
  if (typeof value === "boolean") return value ? 1n : 0n;
  return undefined;
}

/** `=?=`: same type and same value, and never UNDEFINED. Two lists or two records cannot be compared. */
export function identical(left: Value, right: Value): boolean | typeof ERROR {
  if (left === right) return !(left instanceof ListValue || left instanceof Ad) || ERROR;
  if (left instanceof Real) return right instanceof Real && left.value === right.value;
  if (left instanceof RelTime) return right instanceof RelTime && left.seconds === right.seconds;
  if (left instanceof AbsTime) {
    return right instanceof AbsTime && left.seconds === right.seconds && left.offset === right.offset;
  }
  if (left instanceof ListValue) return right instanceof ListValue && ERROR;
  if (left instanceof Ad) return right instanceof Ad && ERROR;
  return false;
}

/** A real result; HTCondor gives ERROR when it overflows upwards. */
export function real(value: number): Value {
  return value === Number.POSITIVE_INFINITY ? ERROR : new Real(value);
}

type Arithmetic = "+" | "-" | "*" | "/" | "%";

export function arithmetic(operator: Arithmetic, left: Value, right: Value): Value {
  if (left === ERROR || right === ERROR) return ERROR;
  if (left === undefined || right === undefined) return undefined;
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) {
    if (left instanceof Real || right instanceof Real) return realArithmetic(operator, a, b);
    return integerArithmetic(operator, bigOf(left) ?? 0n, bigOf(right) ?? 0n);
  }
  return timeArithmetic(operator, left, right, a, b);
}

function realArithmetic(operator: Arithmetic, a: number, b: number): Value {
  switch (operator) {
    case "+":
      return real(a + b);
    case "-":
      return real(a - b);
    case "*":
      return real(a * b);
    case "/":
      // By zero too: only what grows beyond all bounds upwards is ERROR in HTCondor, -1.0/0 is minus infinity.
      return real(a / b);
    case "%":
      return ERROR;
  }
}

function integerArithmetic(operator: Arithmetic, a: bigint, b: bigint): Value {
  switch (operator) {
    case "+":
      return integer(a + b);
    case "-":
      return integer(a - b);
    case "*":
      return integer(a * b);
    case "/":
      // The one quotient that does not fit is cut to the largest integer, not wrapped around.
      if (a === smallestInteger && b === -1n) return -(smallestInteger + 1n);
      return b === 0n ? ERROR : integer(a / b);
    case "%":
      return b === 0n ? ERROR : integer(a % b);
  }
}

function timeArithmetic(
  operator: Arithmetic,
  left: Value,
  right: Value,
  a: number | undefined,
  b: number | undefined,
): Value {
  if (left instanceof AbsTime) {
    if (operator === "-" && right instanceof AbsTime) return new RelTime(left.seconds - right.seconds);
    if (operator === "+" && right instanceof RelTime)
      return new AbsTime(left.seconds + Math.trunc(right.seconds), left.offset);
    if (operator === "-" && right instanceof RelTime)
      return new AbsTime(left.seconds - Math.trunc(right.seconds), left.offset);
  }
  if (left instanceof RelTime) {
    if (operator === "+" && right instanceof AbsTime)
      return new AbsTime(right.seconds + Math.trunc(left.seconds), right.offset);
    if (operator === "+" && right instanceof RelTime) return new RelTime(left.seconds + right.seconds);
    if (operator === "-" && right instanceof RelTime) return new RelTime(left.seconds - right.seconds);
    if (operator === "*" && b !== undefined && typeof right !== "boolean") return span(left.seconds * b);
    if (operator === "/" && b !== undefined && typeof right !== "boolean") return span(left.seconds / b);
  }
  if (right instanceof RelTime && operator === "*" && a !== undefined && typeof left !== "boolean")
    return span(a * right.seconds);
  return ERROR;
}

const span = (seconds: number): Value => (Number.isFinite(seconds) ? new RelTime(seconds) : ERROR);

type Bitwise = "&" | "|" | "^" | "<<" | ">>" | ">>>";

export function bitwise(operator: Bitwise, left: Value, right: Value): Value {
  if (left === ERROR || right === ERROR) return ERROR;
  if (left === undefined || right === undefined) return undefined;
  if (typeof left !== "number" && typeof left !== "bigint") return ERROR;
  if (typeof right !== "number" && typeof right !== "bigint") return ERROR;
  const a = BigInt(left);
  const b = BigInt(right);
  switch (operator) {
    case "&":
      return integer(a & b);
    case "|":
      return integer(a | b);
    case "^":
      return integer(a ^ b);
    case "<<":
      return integer(a << BigInt.asUintN(6, b));
    case ">>":
      return integer(a >> BigInt.asUintN(6, b));
    case ">>>":
      return integer(BigInt.asUintN(64, a) >> BigInt.asUintN(6, b));
  }
}

export function unary(operator: UnaryOperator, value: Value): Value {
  if (value === ERROR || value === undefined) return value;
  switch (operator) {
    case "!": {
      const truth = truthOf(value);
      return typeof truth === "boolean" ? !truth : truth;
    }
    case "-":
      if (typeof value === "number") return value === 0 ? 0 : -value;
      if (typeof value === "bigint") return integer(-value);
      if (value instanceof Real) return new Real(-value.value);
      return value instanceof RelTime ? new RelTime(-value.seconds) : ERROR;
    case "+":
      return typeof value === "number" || typeof value === "bigint" || value instanceof Real || value instanceof RelTime
        ? value
        : ERROR;
    case "~":
      return typeof value === "number" || typeof value === "bigint" ? integer(~BigInt(value)) : ERROR;
  }
}

/** Every binary operator but `&&` and `||`, whose right operand may never be looked at. */
export function apply(operator: Exclude<BinaryOperator, "&&" | "||">, left: Value, right: Value): Value {
  switch (operator) {
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return compare(operator, left, right);
    case "=?=":
      return identical(left, right);
    case "=!=": {
      const same = identical(left, right);
      return typeof same === "boolean" ? !same : same;
    }
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return arithmetic(operator, left, right);
    default:
      return bitwise(operator, left, right);
  }
}
