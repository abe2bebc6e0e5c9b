/**
 * Values → text, as HTCondor's tools print them. `condor_status -af:r` and `-long` write reals with up to 16
 * digits (`0.35`, `1.0`) and letters as they are; `classad_eval` and the functions string(), strcat(), join() and
 * unparse() write reals with an exponent (`3.500000000000000E-01`), `is` for `=?=`, and the bytes of letters that are
 * not ASCII in octal. Records and lists print their expressions, not their values.
 */
import type { Expr } from "./ast";
import { attributeOrder, type CondorStyle, printExpression, printName, printString } from "./print";
import { AbsTime, Ad, ListValue, Real, RelTime, type Value } from "./value";

export type RealStyle = "digits" | "exponent";

/** Texts longer than this are refused: lists that hold lists that hold lists can stand for astronomically long ones. */
export const maximumText = 1_000_000;

/** The text of a value, or undefined if it would be longer than `maximumText`. */
export function unparse(value: Value, reals: RealStyle = "digits"): string | undefined {
  const writer = new Writer(reals);
  writer.value(value);
  return writer.length > maximumText ? undefined : writer.parts.join("");
}

export function unparseReal(value: number, style: RealStyle): string {
  if (Number.isNaN(value)) return 'real("NaN")';
  if (value === Number.POSITIVE_INFINITY) return 'real("INF")';
  if (value === Number.NEGATIVE_INFINITY) return 'real("-INF")';
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  if (style === "exponent") {
    return value
      .toExponential(15)
      .replace(/e([+-])(\d)$/, "e$10$2")
      .replace("e", "E");
  }
  // C's %.16G: sixteen significant digits, trailing zeros dropped, an exponent only for very large or small numbers.
  const exponent = Number(value.toExponential(15).split("e")[1]);
  if (exponent < -4 || exponent >= 16) {
    const [digits, power] = value.toExponential(15).split("e");
    const shortened = digits!.replace(/\.?0+$/, "");
    return `${shortened}E${power!.replace(/^([+-])(\d)$/, "$10$2")}`;
  }
  const fixed = value.toFixed(Math.max(0, Math.min(100, 15 - exponent)));
  const shortened = fixed.includes(".") ? fixed.replace(/\.?0+$/, "") : fixed;
  return shortened.includes(".") ? shortened : `${shortened}.0`;
}

/** Text between quotes with the bytes of everything that is not ASCII in octal: é is \303\251. */
function quotedAscii(text: string): string {
  return printString(text).replace(/\P{ASCII}+/gu, (letters) =>
    [...new TextEncoder().encode(letters)].map((byte) => `\\${byte.toString(8)}`).join(""),
  );
}

const styles: Readonly<Record<RealStyle, CondorStyle>> = {
  digits: {
    real: (value) => unparseReal(value, "digits"),
    text: printString,
    identity: { "=?=": "=?=", "=!=": "=!=" },
  },
  exponent: {
    real: (value) => unparseReal(value, "exponent"),
    text: quotedAscii,
    identity: { "=?=": "is", "=!=": "isnt" },
  },
};

/** An expression as HTCondor's tools print it; parentheses that are not needed are left out. */
export function unparseExpression(expr: Expr, reals: RealStyle): string {
  return printExpression(expr, styles[reals]);
}

const two = (value: number) => String(value).padStart(2, "0");

export function unparseAbsTime(time: AbsTime): string {
  const shown = new Date((time.seconds + time.offset) * 1000);
  if (Number.isNaN(shown.getTime())) return "invalid";
  const minutes = Math.floor(Math.abs(time.offset) / 60);
  // HTCondor writes Greenwich itself as -00:00.
  const zone = `${time.offset > 0 ? "+" : "-"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${shown.toISOString().slice(0, 19)}${zone}`;
}

export function unparseRelTime(seconds: number): string {
  const whole = Math.trunc(Math.abs(seconds));
  const days = Math.floor(whole / 86400);
  const hours = Math.floor(whole / 3600) % 24;
  const minutes = Math.floor(whole / 60) % 60;
  const rest = two(whole % 60);
  const sign = seconds < 0 && whole > 0 ? "-" : "";
  if (days > 0) return `${sign}${days}+${two(hours)}:${two(minutes)}:${rest}`;
  if (hours > 0) return `${sign}${two(hours)}:${two(minutes)}:${rest}`;
  return minutes > 0 ? `${sign}${two(minutes)}:${rest}` : sign + rest;
}

class Writer {
  readonly parts: string[] = [];
  length = 0;
  readonly #style: CondorStyle;
  constructor(private readonly reals: RealStyle) {
    this.#style = styles[reals];
  }

  private write(text: string): void {
    this.length += text.length;
    if (this.length <= maximumText) this.parts.push(text);
  }

  value(value: Value): void {
    if (this.length > maximumText) return;
    if (value === undefined) this.write("undefined");
    else if (typeof value === "string") this.write(this.#style.text(value));
    else if (typeof value !== "object") this.write(String(value));
    else if (value instanceof Real) this.write(this.#style.real(value.value));
    else if (value instanceof AbsTime) this.write(`absTime("${unparseAbsTime(value)}")`);
    else if (value instanceof RelTime) this.write(`relTime("${unparseRelTime(value.seconds)}")`);
    else if (value instanceof ListValue) this.list(value);
    else if (value instanceof Ad) {
      this.write("[ ");
      for (const [i, name] of attributeOrder(value.shape.names).entries()) {
        this.write(`${i > 0 ? "; " : ""}${printName(name)} = `);
        this.write(unparseExpression(value.exprAt(value.placeOf(name.toLowerCase())), this.reals));
      }
      this.write(" ]");
    } else this.write("error");
  }

  private list(list: ListValue): void {
    this.write("{ ");
    for (let i = 0; i < list.length && this.length <= maximumText; i++) {
      if (i > 0) this.write(",");
      const element = list.elements?.[i];
      if (element) this.write(unparseExpression(element, this.reals));
      else this.value(list.at(i));
    }
    this.write(" }");
  }
}
