/** How a built-in function is described: what it is called, how many arguments it takes, and how a call becomes code. */
import type { Expr } from "../ast";
import { type Code, ERROR, type Frame, Real, type Value } from "../value";

export interface BuiltIn {
  readonly name: string;
  readonly minimum: number;
  readonly maximum: number;
  compile(args: readonly Expr[], codes: readonly Code[]): Code;
}

export const anyNumber = Number.POSITIVE_INFINITY;

/** A function of the values of its arguments. A wrong number of them is ERROR when evaluated, as in HTCondor. */
export function ofValues(
  name: string,
  minimum: number,
  maximum: number,
  apply: (values: readonly Value[], frame: Frame) => Value,
): BuiltIn {
  return {
    name,
    minimum,
    maximum,
    compile(args, codes) {
      if (args.length < minimum || args.length > maximum) return () => ERROR;
      return (frame) => {
        const values = codes.map((code) => code(frame));
        for (const value of values) if (typeof value === "string") frame.session.stepsLeft -= value.length >> 6;
        // Handling long text is work, paid from the same purse as looking up attributes.
        return frame.session.stepsLeft < 0 ? ERROR : apply(values, frame);
      };
    },
  };
}

/** A function of one value that passes ERROR and UNDEFINED through. */
export function ofDefined(name: string, apply: (value: Exclude<Value, undefined>, frame: Frame) => Value): BuiltIn {
  return ofValues(name, 1, 1, ([value], frame) =>
    value === undefined || value === ERROR ? value : apply(value, frame),
  );
}

/** A function that decides itself which arguments to evaluate. */
export function special(
  name: string,
  minimum: number,
  maximum: number,
  compile: (codes: readonly Code[], args: readonly Expr[]) => Code,
): BuiltIn {
  return {
    name,
    minimum,
    maximum,
    compile: (args, codes) => (args.length < minimum || args.length > maximum ? () => ERROR : compile(codes, args)),
  };
}

/** ERROR if any value is, else UNDEFINED if any value is, else nothing. */
export function exceptional(values: readonly Value[]): { value: Value } | undefined {
  if (values.includes(ERROR)) return { value: ERROR };
  return values.includes(undefined) ? { value: undefined } : undefined;
}

/** The same for functions of text, where UNDEFINED wins over ERROR. */
export function missing(values: readonly Value[]): { value: Value } | undefined {
  if (values.includes(undefined)) return { value: undefined };
  return values.includes(ERROR) ? { value: ERROR } : undefined;
}

/** The number a text begins with, as C's strtod reads it. */
export function leadingNumber(text: string): { value: number; whole: string } | undefined {
  const match = /^\s*([+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?))/.exec(text.slice(0, 400));
  if (!match) return undefined;
  return { value: Number(match[1]), whole: match[1]! };
}

export const isNumeric = (value: Value): value is number | bigint | Real =>
  typeof value === "number" || typeof value === "bigint" || value instanceof Real;
