/**
 * What variables hold while a text is read: numbers, and strings that may have holes for the variables of loops
 * that stay folded.
 */
export type Value = NumberValue | TextValue;

export interface NumberValue {
  is: "number";
  value: number;
}

export interface TextValue {
  is: "text";
  pieces: ValuePiece[];
}

/** A stretch of text, or a hole for a loop variable. */
export type ValuePiece = string | { hole: string };

/** Longer strings are refused: `X = ${X} + ${X}` in a loop would fill the memory. */
const maxTextLength = 64 * 1024 * 1024;
const maxPieces = 10_000;

export function text(pieces: readonly ValuePiece[]): TextValue {
  return { is: "text", pieces: joinPieces(pieces) };
}

export function piecesOf(value: Value): ValuePiece[] {
  return value.is === "number" ? [String(value.value)] : value.pieces;
}

/** Neighbouring stretches of text become one; a string that only grows stays one piece. */
function joinPieces(pieces: readonly ValuePiece[]): ValuePiece[] {
  const joined: ValuePiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (typeof piece === "string" && typeof last === "string") {
      if (last.length + piece.length > maxTextLength) throw new ValueTooLong();
      joined[joined.length - 1] = last + piece;
    } else if (piece !== "") joined.push(piece);
  }
  if (joined.length > maxPieces) throw new ValueTooLong();
  return joined;
}

/** Raised while a value is being made; the statement that makes it turns it into a problem. */
export class ValueTooLong extends Error {}

/** The text of a value without holes. Loops whose variable must be known are opened, so there are none here. */
export function plainText(value: Value): string {
  return piecesOf(value)
    .map((piece) => {
      if (typeof piece !== "string") throw new Error(`the value of loop variable ${piece.hole} is not known here`);
      return piece;
    })
    .join("");
}

/** The number a value is or spells; nothing if it is other text. */
export function numberOf(value: Value): number | undefined {
  if (value.is === "number") return value.value;
  if (value.pieces.some((piece) => typeof piece !== "string")) return undefined;
  const written = plainText(value).trim();
  return /^-?\d+(\.\d+)?$/.test(written) ? Number(written) : undefined;
}

/** The value after the loop, when its variable has its last value. */
export function fillHole(value: Value, hole: string, last: Value): Value {
  if (value.is === "number" || !value.pieces.some((piece) => isHole(piece, hole))) return value;
  if (value.pieces.length === 1) return last;
  return text(value.pieces.flatMap((piece) => (isHole(piece, hole) ? piecesOf(last) : [piece])));
}

/** A loop's value: a number where it is written like one, so that one can calculate with it. */
export function loopValue(written: string): Value {
  const number = Number(written);
  return String(number) === written && Number.isFinite(number) ? { is: "number", value: number } : text([written]);
}

function isHole(piece: ValuePiece, hole: string): boolean {
  return typeof piece !== "string" && piece.hole === hole;
}
