/**
 * The values of the ClassAd language, as JavaScript values chosen so that the common case is fast:
 *   UNDEFINED → undefined, booleans and strings → themselves, integers → number (or bigint beyond 2^53),
 *   reals → `Real`, times → `AbsTime`/`RelTime`, lists → `ListValue`, records → `Ad`, ERROR → `ERROR`.
 * Integers are the plain numbers because hosts are mostly described by integers and compared with them.
 */
import { Ad } from "./ad";
import type { Expr } from "./ast";
import { AbsTime, ERROR, type ErrorValue, Real, RelTime } from "./scalars";

export { AbsTime, Ad, ERROR, Real, RelTime };

export type Value =
  | undefined
  | boolean
  | number
  | bigint
  | string
  | Real
  | AbsTime
  | RelTime
  | ListValue
  | Ad
  | ErrorValue;

/** Compiled code of an expression. */
export type Code = (frame: Frame) => Value;

/** What one evaluation may see and spend. Made anew for each evaluation, so that nothing leaks between hosts. */
export class Session {
  depth = 0;
  constructor(
    readonly my: Ad | undefined,
    public target: Ad | undefined,
    readonly surroundings: Surroundings,
    public stepsLeft: number,
    /** The compiler: attributes and texts are compiled when an evaluation first meets them. */
    readonly codeOf: (expr: Expr) => Code,
  ) {}
}

/** What the evaluation gets from outside: the clock and chance are passed in, for `core` has neither. */
export interface Surroundings {
  /** Seconds since 1970; without it `time()` is UNDEFINED. */
  now?: () => number;
  /** A number in [0, 1); without it `random()` is UNDEFINED. */
  random?: () => number;
  /** Seconds east of Greenwich for times given without a zone; 0 by default. */
  zoneOffset?: number;
  /**
   * Named records, in the order in which a bare name is looked up in them (GridBot §4.1: BOT, Job, Host, Queue).
   * They stand beside MY and TARGET and are asked after them.
   */
  scopes?: readonly NamedScope[];
}
export interface NamedScope {
  name: string;
  ad: Ad;
}

/** Where code runs: the innermost record, and on which side of a match it stands. */
export class Frame {
  constructor(
    readonly ad: Ad | undefined,
    readonly session: Session,
    /** True when MY and TARGET have changed places: we are inside an attribute of the target. */
    readonly swapped: boolean,
  ) {}
}

/** A list. As in HTCondor its elements are expressions that are evaluated when asked for. */
export class ListValue {
  private constructor(
    private readonly values: readonly Value[] | undefined,
    readonly elements: readonly Expr[] | undefined,
    private readonly codes: readonly Code[],
    private readonly frame: Frame | undefined,
  ) {}

  static of(values: readonly Value[]): ListValue {
    return new ListValue(values, undefined, [], undefined);
  }
  static lazily(elements: readonly Expr[], codes: readonly Code[], frame: Frame): ListValue {
    return new ListValue(undefined, elements, codes, frame);
  }
  get length(): number {
    return this.values ? this.values.length : this.codes.length;
  }
  at(index: number): Value {
    if (this.values) return this.values[index];
    const code = this.codes[index];
    if (!code || !this.frame) return ERROR;
    if (--this.frame.session.stepsLeft < 0) return ERROR;
    return code(this.frame);
  }
}

export type TypeName =
  | "undefined"
  | "error"
  | "boolean"
  | "integer"
  | "real"
  | "string"
  | "abstime"
  | "reltime"
  | "list"
  | "classad";

export function typeOf(value: Value): TypeName {
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "boolean":
      return "boolean";
    case "number":
    case "bigint":
      return "integer";
    case "string":
      return "string";
  }
  if (value instanceof Real) return "real";
  if (value instanceof ListValue) return "list";
  if (value instanceof Ad) return "classad";
  if (value instanceof AbsTime) return "abstime";
  if (value instanceof RelTime) return "reltime";
  return "error";
}

/** An integer as HTCondor computes it: 64 bits, wrapping around. */
export function integer(value: bigint): number | bigint {
  const wrapped = BigInt.asIntN(64, value);
  const asNumber = Number(wrapped);
  return Number.isSafeInteger(asNumber) ? asNumber : wrapped;
}

/** The integer part of a real. What fits into no 64-bit integer becomes the smallest one, as a C cast makes it. */
export function integerFromReal(value: number): number | bigint {
  const whole = Math.trunc(value);
  if (Number.isSafeInteger(whole)) return whole + 0;
  return whole >= -(2 ** 63) && whole < 2 ** 63 ? integer(BigInt(whole)) : smallestInteger;
}
export const smallestInteger = -(2n ** 63n);

/** The number a value stands for, booleans included; undefined if it stands for none. */
export function numberOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (value instanceof Real) return value.value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "bigint") return Number(value);
  return undefined;
}

/** A JavaScript value as a ClassAd value: numbers become integers where they are whole. */
export function realOrInteger(value: number): Value {
  return Number.isSafeInteger(value) ? value : new Real(value);
}
