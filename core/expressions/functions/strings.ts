/** Text: joining, cutting, comparing, splitting. */

import { maximumText } from "../unparse";
import { ERROR, ListValue, type Value } from "../value";
import { toText } from "./convert";
import { anyNumber, type BuiltIn, missing, ofDefined, ofValues } from "./define";

function strcat(values: readonly Value[]): Value {
  let text = "";
  for (const value of values) {
    // The first that is no text decides.
    if (value === undefined || value === ERROR) return value;
    const piece = toText(value);
    if (piece === undefined || text.length + piece.length > 1_000_000) return ERROR;
    text += piece;
  }
  return text;
}

/** join(separator, a, b, …), join(separator, list), join(list); undefined pieces are left out. */
function join(values: readonly Value[]): Value {
  if (values.includes(ERROR)) return ERROR;
  if (values.length === 0) return "";
  const [first, second] = values;
  let separator = "";
  let pieces: readonly Value[];
  if (values.length === 1) {
    if (!(first instanceof ListValue)) return first === undefined ? undefined : "";
    pieces = elementsOf(first);
  } else {
    separator = first === undefined ? "" : (toText(first) ?? "");
    pieces = values.length === 2 && second instanceof ListValue ? elementsOf(second) : values.slice(1);
  }
  let joined: string | undefined;
  for (const piece of pieces) {
    if (piece === ERROR) return ERROR;
    if (piece === undefined) continue;
    const text = toText(piece);
    if (text === undefined) return ERROR;
    // Nothing is separated from what is empty so far: join(",", "", "a") is "a".
    joined = joined ? joined + separator + text : text;
    if (joined.length > maximumText) return ERROR;
  }
  // Nothing but undefined pieces is undefined; an empty list is empty text.
  return joined ?? (pieces.length > 0 ? undefined : "");
}

function elementsOf(list: ListValue): Value[] {
  const values: Value[] = [];
  for (let i = 0; i < list.length; i++) values.push(list.at(i));
  return values;
}

function substr(values: readonly Value[]): Value {
  const strange = missing(values);
  if (strange) return strange.value;
  const [text, offset, length] = values;
  if (typeof text !== "string" || !isWhole(offset)) return ERROR;
  if (values.length === 3 && !isWhole(length)) return ERROR;
  // Bytes are counted, as by size(), and offsets have 32 bits.
  const bytes = isAscii(text) ? undefined : new TextEncoder().encode(text);
  const size = bytes?.length ?? text.length;
  const from = inBits32(offset);
  const start = from < 0 ? Math.max(0, size + from) : Math.min(from, size);
  let end = size;
  if (isWhole(length)) end = inBits32(length) < 0 ? size + inBits32(length) : Math.min(size, start + inBits32(length));
  end = Math.max(start, end);
  return bytes ? new TextDecoder().decode(bytes.subarray(start, end)) : text.slice(start, end);
}

const isWhole = (value: Value): value is number | bigint => typeof value === "number" || typeof value === "bigint";
const inBits32 = (value: number | bigint) => Number(BigInt.asIntN(32, BigInt(value)));
const isAscii = (text: string) => !/\P{ASCII}/u.test(text);

const sign = (order: number) => (order < 0 ? -1 : order > 0 ? 1 : 0);
const lowerCase = (text: string) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upperCase = (text: string) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
const order = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);

/** A function of two texts; other values are turned into text first. */
function ofTwoTexts(name: string, apply: (left: string, right: string) => Value): BuiltIn {
  return ofValues(name, 2, 2, (values) => {
    const strange = missing(values);
    if (strange) return strange.value;
    const left = toText(values[0]);
    const right = toText(values[1]);
    return left === undefined || right === undefined ? ERROR : apply(left, right);
  });
}

/**
 * Order of versions, as glibc's strverscmp defines it: as text, except that where the first difference lies
 * within digits the numbers decide (7.9 before 7.10); digits after leading zeros count as a fraction, so that
 * 000, 00, 01, 010, 09, 0, 1, 9, 10 is in order.
 */
export function versionOrder(left: string, right: string): number {
  let i = 0;
  while (i < left.length && left[i] === right[i]) i++;
  if (i === left.length && i === right.length) return 0;
  const isDigit = (text: string, at: number) => /\d/.test(text.charAt(at));
  const code = (text: string) => (i < text.length ? firstByte(text, i) : 0);
  const byText = code(left) - code(right);
  let start = i;
  while (start > 0 && isDigit(left, start - 1)) start--;
  const common = left.slice(start, i);
  const digitLeft = isDigit(left, i);
  const digitRight = isDigit(right, i);
  if (/^0+$/.test(common)) return digitLeft === digitRight ? byText : digitLeft ? -1 : 1;
  if (common.startsWith("0")) return byText;
  if (common === "" && (!digitLeft || !digitRight)) return byText;
  if (common === "" && (left[i] === "0" || right[i] === "0")) return sign(byText);
  const run = (text: string) => /^\d*/.exec(text.slice(i))?.[0].length ?? 0;
  return run(left) === run(right) ? byText : run(left) - run(right);
}

/** The first byte of the letter at a place, with a sign, as C's `char` has it here. */
function firstByte(text: string, at: number): number {
  const letter = text.codePointAt(at) ?? 0;
  return letter < 128 ? letter : new TextEncoder().encode(String.fromCodePoint(letter))[0]! - 256;
}

function split([text, separators]: readonly Value[], given: number): Value {
  const characters = given > 1 ? separators : ", \t";
  return typeof text === "string" && typeof characters === "string" ? ListValue.of(splitAt(text, characters)) : ERROR;
}

/**
 * Blanks only end a piece. Of the other separators one that repeats the one before it stands for an empty piece, even
 * after a blank: HTCondor finds four pieces in `a , b , c`.
 */
function splitAt(text: string, separators: string): string[] {
  const pieces: string[] = [];
  let previous = "";
  let start = 0;
  for (let i = 0; i <= text.length; i++) {
    const character = text.charAt(i);
    if (i < text.length && !separators.includes(character)) continue;
    const piece = text.slice(start, i);
    start = i + 1;
    const isBlank = /\s/.test(character);
    if (piece !== "" || (character !== "" && !isBlank && character === previous)) pieces.push(piece);
    if (!isBlank) previous = character;
  }
  return pieces;
}

const atSign = (name: string, arrange: (text: string, at: number) => [string, string]) =>
  ofValues(name, 1, 1, ([text]) => (typeof text === "string" ? ListValue.of(arrange(text, text.indexOf("@"))) : ERROR));

export const strings: readonly BuiltIn[] = [
  ofValues("strcat", 0, anyNumber, strcat),
  ofValues("join", 0, anyNumber, join),
  ofValues("substr", 2, 3, substr),
  ofTwoTexts("strcmp", (left, right) => sign(order(left, right))),
  ofTwoTexts("stricmp", (left, right) => sign(order(lowerCase(left), lowerCase(right)))),
  ofDefined("toUpper", (value) => changedText(value, upperCase)),
  ofDefined("toLower", (value) => changedText(value, lowerCase)),
  ofTwoTexts("versioncmp", versionOrder),
  ofTwoTexts("versionGT", (left, right) => versionOrder(left, right) > 0),
  ofTwoTexts("versionGE", (left, right) => versionOrder(left, right) >= 0),
  ofTwoTexts("versionLT", (left, right) => versionOrder(left, right) < 0),
  ofTwoTexts("versionLE", (left, right) => versionOrder(left, right) <= 0),
  ofTwoTexts("versionEQ", (left, right) => versionOrder(left, right) === 0),
  ofValues("version_in_range", 3, 3, (values) => {
    const strange = missing(values.slice(1));
    if (strange) return strange.value;
    if (values[0] === ERROR) return ERROR;
    const [version, low, high] = values.map((value) => (value === undefined ? undefined : toText(value)));
    if (version === undefined || low === undefined || high === undefined) return ERROR;
    return versionOrder(low, version) <= 0 && versionOrder(version, high) <= 0;
  }),
  ofValues("split", 1, 2, (values) => split(values, values.length)),
  atSign("splitUserName", (text, at) => (at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)])),
  atSign("splitSlotName", (text, at) => (at < 0 ? ["", text] : [text.slice(0, at), text.slice(at + 1)])),
];

function changedText(value: Value, change: (text: string) => string): Value {
  const text = toText(value);
  return text === undefined ? ERROR : change(text);
}
