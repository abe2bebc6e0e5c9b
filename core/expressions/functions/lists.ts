/** Functions on lists: membership and comparison of all elements. */
import type { BinaryOperator } from "../ast";
import { apply, compare, identical } from "../operators";
import { Ad, ERROR, ListValue, type Value } from "../value";
import { type BuiltIn, ofDefined, ofValues } from "./define";

const isScalar = (value: Value) => !(value instanceof ListValue || value instanceof Ad);

/** Whether some element answers `test` with true. Elements of other types are passed over. */
function anyElement(list: ListValue, test: (element: Value) => Value): boolean {
  for (let i = 0; i < list.length; i++) if (test(list.at(i)) === true) return true;
  return false;
}

function membership(item: Value, list: Value, same: (element: Value) => Value, exceptionsCount: boolean): Value {
  if (list === undefined || (item === undefined && !exceptionsCount)) return undefined;
  if (list === ERROR || (item === ERROR && !exceptionsCount)) return ERROR;
  if (!isScalar(item) || !(list instanceof ListValue)) return ERROR;
  return anyElement(list, same);
}

type ListComparison = Exclude<BinaryOperator, "&&" | "||">;
const comparisons: Readonly<Record<string, ListComparison>> = {
  "<": "<",
  "<=": "<=",
  "==": "==",
  "!=": "!=",
  ">": ">",
  ">=": ">=",
  is: "=?=",
  isnt: "=!=",
};

function compareAll(stopAt: boolean) {
  return ([operator, list, value]: readonly Value[]): Value => {
    if (operator === undefined) return undefined;
    if (typeof operator !== "string") return ERROR;
    const comparison = Object.hasOwn(comparisons, operator.toLowerCase())
      ? comparisons[operator.toLowerCase()]
      : undefined;
    if (!comparison) return ERROR;
    if (!(list instanceof ListValue)) return list === undefined ? undefined : ERROR;
    for (let i = 0; i < list.length; i++) {
      const answer = apply(comparison, list.at(i), value);
      if (answer === ERROR) return ERROR;
      // An element that cannot be judged ends the search: HTCondor says false.
      if (answer === undefined) return false;
      if (answer === stopAt) return stopAt;
    }
    return !stopAt;
  };
}

export const lists: readonly BuiltIn[] = [
  ofValues("member", 2, 2, ([item, list]) => membership(item, list, (element) => compare("==", element, item), false)),
  ofValues("identicalMember", 2, 2, ([item, list]) =>
    membership(item, list, (element) => identical(element, item), true),
  ),
  ofValues("anyCompare", 3, 3, compareAll(true)),
  ofValues("allCompare", 3, 3, compareAll(false)),
  ofDefined("size", (value) => {
    if (typeof value === "string") return new TextEncoder().encode(value).length;
    if (value instanceof ListValue) return value.length;
    return value instanceof Ad ? value.size : ERROR;
  }),
];
