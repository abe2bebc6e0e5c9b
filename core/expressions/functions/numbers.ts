/** Arithmetic functions, and sum, average, minimum and maximum of a list. */
import { arithmetic, compare } from "../operators";
import { ERROR, integer, integerFromReal, ListValue, numberOf, Real, type Value } from "../value";
import { toReal } from "./convert";
import { type BuiltIn, isNumeric, ofValues } from "./define";

const isWhole = (value: Value): value is number | bigint => typeof value === "number" || typeof value === "bigint";

function pow([base, exponent]: readonly Value[]): Value {
  const a = toReal(base);
  const b = toReal(exponent);
  if (!(a instanceof Real) || !(b instanceof Real)) return ERROR;
  const power = a.value ** b.value;
  const whole = isWhole(base) && isWhole(exponent) && b.value >= 0;
  // Computed in reals even for integers, as HTCondor does.
  return whole ? integerFromReal(power) : new Real(power);
}

/** The smallest multiple of `step` that is at least `value`; a whole number only if both are. */
function multiple(value: Value, step: Value): Value {
  if (isWhole(value) && isWhole(step)) {
    const [a, b] = [BigInt(value), BigInt(step)];
    return b === 0n ? value : integer(((a + b - 1n) / b) * b);
  }
  const a = toReal(value);
  const b = toReal(step);
  if (!(a instanceof Real) || !(b instanceof Real)) return ERROR;
  return b.value === 0 ? value : new Real(Math.ceil(a.value / b.value) * b.value);
}

function quantize([value, step]: readonly Value[]): Value {
  if (!(toReal(value) instanceof Real)) return ERROR;
  if (!(step instanceof ListValue)) return multiple(value, step);
  let last: Value = 0;
  for (let i = 0; i < step.length; i++) {
    last = step.at(i);
    if (!isNumeric(last)) return ERROR;
    if (compare(">=", last, value) === true) return last;
  }
  return step.length === 0 ? value : multiple(value, last);
}

function random([limit]: readonly Value[], chance: (() => number) | undefined): Value {
  if (!chance) return limit === undefined || isNumeric(limit) ? undefined : ERROR;
  if (limit instanceof Real) return new Real(chance() * limit.value);
  if (typeof limit !== "number" && typeof limit !== "bigint") return ERROR;
  return limit > 0 ? integerFromReal(Math.floor(chance() * Number(limit))) : ERROR;
}

/** The numbers of a list without its undefined elements; ERROR if anything else is in it. */
function numbersOf(list: Value): (number | bigint | Real)[] | { value: Value } {
  if (list === undefined) return { value: undefined };
  if (!(list instanceof ListValue)) return { value: ERROR };
  const numbers: (number | bigint | Real)[] = [];
  for (let i = 0; i < list.length; i++) {
    const value = list.at(i);
    if (isNumeric(value)) numbers.push(value);
    else if (typeof value === "boolean") numbers.push(value ? 1 : 0);
    else if (value !== undefined) return { value: ERROR };
  }
  return numbers;
}

function sumOf(numbers: readonly (number | bigint | Real)[]): Value {
  return numbers.reduce<Value>((sum, value) => arithmetic("+", sum, value), 0);
}

function extreme(operator: "<" | ">", list: Value): Value {
  const numbers = numbersOf(list);
  if ("value" in numbers) return numbers.value;
  let best: Value;
  for (const number of numbers) if (best === undefined || compare(operator, number, best) === true) best = number;
  const anyReal = numbers.some((number) => number instanceof Real);
  return anyReal && best !== undefined && !(best instanceof Real) ? new Real(Number(numberOf(best))) : best;
}

export const numbers: readonly BuiltIn[] = [
  ofValues("pow", 2, 2, pow),
  ofValues("quantize", 2, 2, quantize),
  ofValues("random", 0, 1, (values, frame) =>
    random(values.length === 0 ? [new Real(1)] : values, frame.session.surroundings.random),
  ),
  ofValues("sum", 1, 1, ([list]) => {
    const found = numbersOf(list);
    return "value" in found ? found.value : sumOf(found);
  }),
  ofValues("avg", 1, 1, ([list]) => {
    const found = numbersOf(list);
    if ("value" in found) return found.value;
    if (found.length === 0) return 0;
    const sum = numberOf(sumOf(found));
    return sum === undefined ? ERROR : new Real(sum / found.length);
  }),
  ofValues("min", 1, 1, ([list]) => extreme("<", list)),
  ofValues("max", 1, 1, ([list]) => extreme(">", list)),
];
