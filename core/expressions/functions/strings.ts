/** Text: joining, cutting, comparing, splitting. */
import { ERROR, ListValue, type Value } from "../value";
import { bounded, toText } from "./convert";
import { anyNumber, type BuiltIn, exceptional, missing, ofDefined, ofValues } from "./define";

function strcat(values: readonly Value[]): Value {
  const strange = exceptional(values);
  if (strange) return strange.value;
  let text = "";
  for (const value of values) {
    const piece = toText(value);
    if (piece === undefined || text.length + piece.length > 1_000_000) return ERROR;
    text += piece;
  }
  return text;
}

/** join(separator, a, b, …), join(separator, list), join(list); undefined pieces are left out. */
function join(values: readonly Value[]): Value {
  if (values.includes(ERROR)) return ERROR;
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
  const texts: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (piece === ERROR) return ERROR;
    if (piece === undefined) continue;
    const text = toText(piece);
    length += (text?.length ?? 0) + separator.length;
    if (text === undefined || length > 1_000_000) return ERROR;
    texts.push(text);
  }
  // Nothing but undefined pieces is undefined; an empty list is empty text.
  return texts.length === 0 && pieces.length > 0 ? undefined : bounded(texts.join(separator));
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
  if (typeof text !== "string" || typeof offset !== "number") return ERROR;
  if (values.length === 3 && typeof length !== "number") return ERROR;
  const start = offset < 0 ? Math.max(0, text.length + offset) : Math.min(offset, text.length);
  let end = text.length;
  if (typeof length === "number") end = length < 0 ? text.length + length : Math.min(text.length, start + length);
  return text.slice(start, Math.max(start, end));
}

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
  const code = (text: string) => (i < text.length ? text.charCodeAt(i) : 0);
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
  return run(left) === run(right) ? byText : sign(run(left) - run(right));
}

function split([text, separators]: readonly Value[], given: number): Value {
  const characters = given > 1 ? separators : ", \t";
  return typeof text === "string" && typeof characters === "string" ? ListValue.of(splitAt(text, characters)) : ERROR;
}

/**
 * A run of one blank separates once, and so does a pair of different separators such as `, `; the same separator
 * twice has an empty piece between. At either end one separator is ignored.
 */
function splitAt(text: string, separators: string): string[] {
  const pieces: string[] = [];
  let current = "";
  for (let i = 0; i < text.length; ) {
    const separator = text[i]!;
    if (!separators.includes(separator)) {
      current += text[i++];
      continue;
    }
    pieces.push(current);
    current = "";
    i++;
    if (/\s/.test(separator)) while (text[i] === separator) i++;
    const next = text[i];
    if (next !== undefined && next !== separator && separators.includes(next)) i++;
  }
  pieces.push(current);
  if (pieces[0] === "") pieces.shift();
  if (pieces.at(-1) === "") pieces.pop();
  return pieces;
}

const atSign = (name: string, arrange: (text: string, at: number) => [string, string]) =>
  ofValues(name, 1, 1, ([text]) => (typeof text === "string" ? ListValue.of(arrange(text, text.indexOf("@"))) : ERROR));

export const strings: readonly BuiltIn[] = [
  ofValues("strcat", 0, anyNumber, strcat),
  ofValues("join", 1, anyNumber, join),
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
    const strange = missing(values);
    if (strange) return strange.value;
    const [version, low, high] = values.map(toText);
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
