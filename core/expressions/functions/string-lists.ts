/** Lists kept inside one string, such as "intel, amd": by default pieces are separated by commas and blanks. */
import { arithmetic, compare, compareText } from "../operators";
import { ERROR, Real, type Value } from "../value";
import { toReal } from "./convert";
import { type BuiltIn, exceptional, ofValues } from "./define";

/** The pieces between delimiters, blanks around them cut off, empty ones left out. */
export function pieces(list: string, delimiters = " ,"): string[] {
  const found: string[] = [];
  let current = "";
  for (const character of list) {
    if (delimiters.includes(character)) {
      if (current.trim() !== "") found.push(current.trim());
      current = "";
    } else current += character;
  }
  if (current.trim() !== "") found.push(current.trim());
  return found;
}

const given = (delimiters: Value): string | undefined | typeof ERROR =>
  delimiters === undefined || typeof delimiters === "string" ? delimiters : ERROR;

/** A function of the numbers of a string list: ERROR if a piece is no number. */
function ofNumbers(name: string, apply: (numbers: readonly Value[]) => Value): BuiltIn {
  return ofValues(name, 1, 2, (values) => {
    const [list] = values;
    const delimiters = values.length > 1 ? values[1] : " ,";
    if (typeof list !== "string" || typeof delimiters !== "string") return ERROR;
    const numbers: Value[] = [];
    for (const piece of pieces(list, delimiters)) {
      // What a piece begins with counts; a piece that is more than a whole number makes it real, as in HTCondor.
      const number = /^[+-]?\d{1,15}$/.test(piece) ? Number(piece) : toReal(piece);
      if (number === ERROR) return ERROR;
      numbers.push(number);
    }
    return apply(numbers);
  });
}

const sumOf = (numbers: readonly Value[]) => numbers.reduce<Value>((sum, number) => arithmetic("+", sum, number), 0);

function extreme(operator: "<" | ">", numbers: readonly Value[]): Value {
  let best: Value;
  for (const number of numbers) if (best === undefined || compare(operator, number, best) === true) best = number;
  const anyReal = numbers.some((number) => number instanceof Real);
  return anyReal && typeof best === "number" ? new Real(best) : best;
}

const sameLetters = (left: string, right: string) => left === right;
const anyCase = (left: string, right: string) => compareText(left, right) === 0;

function member(same: (left: string, right: string) => boolean) {
  return (values: readonly Value[]): Value => {
    const [item, list] = values;
    const delimiters = given(values[2]);
    if (delimiters === ERROR) return ERROR;
    if (item === undefined && list === undefined) return undefined;
    // Nothing is in a list that is not there, and what is not there is in no list.
    if (item === undefined || list === undefined) {
      return typeof (item ?? "") === "string" && typeof (list ?? "") === "string" ? false : ERROR;
    }
    if (typeof item !== "string" || typeof list !== "string" || typeof delimiters === "object") return ERROR;
    return pieces(list, delimiters).some((piece) => same(piece, item));
  };
}

function subset(same: (left: string, right: string) => boolean) {
  return (values: readonly Value[]): Value => {
    const [part, whole] = values;
    const delimiters = given(values[2]);
    const strange = (value: Value) => value !== undefined && typeof value !== "string";
    if (typeof delimiters === "object" || strange(part) || strange(whole)) return ERROR;
    if (part === undefined && whole === undefined) return undefined;
    if (part === undefined) return true;
    if (typeof part !== "string" || typeof whole !== "string") return false;
    const all = pieces(whole, delimiters);
    return pieces(part, delimiters).every((piece) => all.some((other) => same(piece, other)));
  };
}

export const stringLists: readonly BuiltIn[] = [
  ofValues("stringListSize", 1, 2, (values) => {
    const [list] = values;
    const delimiters = values.length > 1 ? values[1] : " ,";
    return typeof list === "string" && typeof delimiters === "string" ? pieces(list, delimiters).length : ERROR;
  }),
  ofNumbers("stringListSum", (numbers) => (numbers.length === 0 ? new Real(0) : sumOf(numbers))),
  // The average of whole numbers is a whole number, the rest cut off: the manual says real, HTCondor does this.
  ofNumbers("stringListAvg", (numbers) =>
    numbers.length === 0 ? new Real(0) : arithmetic("/", sumOf(numbers), numbers.length),
  ),
  ofNumbers("stringListMin", (numbers) => extreme("<", numbers)),
  ofNumbers("stringListMax", (numbers) => extreme(">", numbers)),
  ofValues("stringListMember", 2, 3, member(sameLetters)),
  ofValues("stringListIMember", 2, 3, member(anyCase)),
  ofValues("stringListsIntersect", 2, 3, (values) => {
    const [left, right] = values;
    const delimiters = values[2];
    const strange = exceptional(values);
    if (strange) return strange.value;
    if (typeof left !== "string" || typeof right !== "string") return ERROR;
    if (delimiters !== undefined && typeof delimiters !== "string") return ERROR;
    const others = new Set(pieces(right, delimiters));
    return pieces(left, delimiters).some((piece) => others.has(piece));
  }),
  ofValues("stringListSubsetMatch", 2, 3, subset(sameLetters)),
  ofValues("stringListISubsetMatch", 2, 3, subset(anyCase)),
];
