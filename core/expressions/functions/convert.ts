/** Tests of type and conversions between types. */
import { truthOf } from "../operators";
import { maximumText, unparse, unparseAbsTime, unparseRelTime } from "../unparse";
import {
  AbsTime,
  ERROR,
  integer,
  integerFromReal,
  numberOf,
  Real,
  RelTime,
  smallestInteger,
  type TypeName,
  typeOf,
  type Value,
} from "../value";
import { type BuiltIn, leadingNumber, ofDefined, ofValues } from "./define";

const typeTest = (name: string, type: TypeName) => ofValues(name, 1, 1, ([value]) => typeOf(value) === type);

export const typeTests: readonly BuiltIn[] = [
  typeTest("isUndefined", "undefined"),
  typeTest("isError", "error"),
  typeTest("isString", "string"),
  typeTest("isInteger", "integer"),
  typeTest("isReal", "real"),
  typeTest("isList", "list"),
  typeTest("isClassAd", "classad"),
  typeTest("isBoolean", "boolean"),
  typeTest("isAbstime", "abstime"),
  typeTest("isReltime", "reltime"),
];

export function toInteger(value: Value): Value {
  if (value === undefined || typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Real) return integerFromReal(value.value);
  if (value instanceof AbsTime || value instanceof RelTime) return integerFromReal(value.seconds);
  if (typeof value !== "string") return ERROR;
  const hexadecimal = /^\s*([+-]?)0[xX]([0-9a-fA-F]{1,16})/.exec(value);
  if (hexadecimal) return integer(BigInt(`0x${hexadecimal[2]}`) * (hexadecimal[1] === "-" ? -1n : 1n));
  if (namedReal(value) !== undefined) return smallestInteger;
  const number = leadingNumber(value);
  if (!number) return ERROR;
  return /^[+-]?\d{1,18}$/.test(number.whole)
    ? integer(BigInt(number.whole.replace("+", "")))
    : integerFromReal(number.value);
}

/** `nan`, `inf` and `-infinity`, as C reads them. */
function namedReal(text: string): number | undefined {
  const named = /^\s*([+-]?)(nan|inf(?:inity)?)/i.exec(text);
  if (!named) return undefined;
  const magnitude = /^nan$/i.test(named[2]!) ? Number.NaN : Number.POSITIVE_INFINITY;
  return named[1] === "-" ? -magnitude : magnitude;
}

export function toReal(value: Value): Value {
  if (value === undefined || value instanceof Real) return value;
  if (value instanceof AbsTime || value instanceof RelTime) return new Real(Math.trunc(value.seconds));
  const number = numberOf(value);
  if (number !== undefined) return new Real(number);
  if (typeof value !== "string") return ERROR;
  const named = namedReal(value);
  if (named !== undefined) return new Real(named);
  if (/^\s*[+-]?0[xX][0-9a-fA-F]/.test(value)) {
    const whole = toInteger(value);
    return typeof whole === "number" || typeof whole === "bigint" ? new Real(Number(whole)) : ERROR;
  }
  const read = leadingNumber(value);
  return read ? new Real(read.value) : ERROR;
}

/** A value as text: strings stay as they are, everything else as classad_eval would print it. */
export function toText(value: Value): string | undefined {
  if (typeof value === "string") return value;
  if (value instanceof AbsTime) return unparseAbsTime(value);
  if (value instanceof RelTime) return unparseRelTime(value.seconds);
  return unparse(value, "exponent");
}

/** Joined text, or ERROR if it grew beyond what anyone can mean. */
export function bounded(text: string): Value {
  return text.length > maximumText ? ERROR : text;
}

function toBoolean(value: Value): Value {
  if (typeof value === "string") {
    const word = value.toLowerCase();
    return word === "true" ? true : word === "false" ? false : undefined;
  }
  if (value instanceof RelTime) return Math.trunc(value.seconds) !== 0;
  return truthOf(value);
}

/** floor, ceiling and round: of an integer itself, of anything else by way of real(). */
const rounding = (name: string, round: (value: number) => number) =>
  ofValues(name, 1, 1, ([value]) => {
    if (typeof value === "number" || typeof value === "bigint") return value;
    const real = toReal(value);
    return real instanceof Real ? integerFromReal(round(real.value)) : ERROR;
  });

/** To the nearest, the even one of two equally near. */
function roundHalfEven(value: number): number {
  const below = Math.floor(value);
  const distance = value - below;
  if (distance < 0.5) return below;
  if (distance > 0.5) return below + 1;
  return below % 2 === 0 ? below : below + 1;
}

export const conversions: readonly BuiltIn[] = [
  ofDefined("int", toInteger),
  ofDefined("real", toReal),
  ofDefined("string", (value) => toText(value) ?? ERROR),
  ofDefined("bool", toBoolean),
  rounding("floor", Math.floor),
  rounding("ceiling", Math.ceil),
  rounding("ceil", Math.ceil),
  rounding("round", roundHalfEven),
];
