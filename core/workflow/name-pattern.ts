/**
 * All the names a template gives over its loops, as one thing: `out${i}.dat` for a million values of i. Most of what
 * has to be known of a million names — that no two are the same, that none is the name of some other file — follows
 * from the pattern alone. Only loops over whole numbers from 0 up make patterns; whatever else there is, is unfolded.
 */
import type { Loop, TaskGroup } from "./application";
import type { Bindings } from "./expand";
import { loopSize } from "./loops";

interface Range {
  from: number;
  to: number;
  step: number;
}

/** Stand for the loop variables while a name is taken apart; characters for private use, so no name should have them. */
const firstPlaceholder = 0xe000;
const placeholders = /[\ue000-\uf8ff]/;
const maxHoles = 32;
/** The longest whole number has this many digits more than the placeholder that stands for it. */
const digitsPerHole = 15;

/** Bindings that fill every loop variable with its placeholder; nothing if the loops make no pattern. */
export function placeholderBindings(group: Pick<TaskGroup, "loops">): Bindings | undefined {
  const bindings = new Map<string, string>();
  for (const [l, { variable, values }] of group.loops.entries()) {
    if (Array.isArray(values) || l >= maxHoles || bindings.has(variable)) return undefined;
    const { from, to, step } = values;
    if (![from, to, step].every(Number.isSafeInteger) || from < 0 || step < 1) return undefined;
    bindings.set(variable, String.fromCharCode(firstPlaceholder + l));
  }
  return bindings;
}

export function hasPlaceholder(name: string): boolean {
  return placeholders.test(name);
}

export class NamePattern {
  /** Around the holes: one more than there are holes. */
  readonly literals: readonly string[];
  /** The loop whose variable fills each hole. */
  readonly holes: readonly number[];
  readonly #ranges: readonly Range[];
  readonly #loops: readonly Loop[];

  private constructor(literals: readonly string[], holes: readonly number[], loops: readonly Loop[]) {
    this.literals = literals;
    this.holes = holes;
    this.#loops = loops;
    this.#ranges = holes.map((l) => {
      const { values } = loops[l]!;
      if (Array.isArray(values)) throw new Error("a pattern is made of ranges");
      return values;
    });
  }

  /** Of a name with placeholders; nothing if two different elements of the loops could give the same name. */
  static of(name: string, loops: readonly Loop[]): NamePattern | undefined {
    const literals: string[] = [];
    const holes: number[] = [];
    let literal = "";
    for (const character of name) {
      const l = character.charCodeAt(0) - firstPlaceholder;
      if (!placeholders.test(character)) literal += character;
      else if (l >= loops.length) return undefined;
      else {
        literals.push(literal);
        holes.push(l);
        literal = "";
      }
    }
    literals.push(literal);
    // With something between two numbers that is no digit, a name can be read back in one way only.
    if (!literals.slice(1, -1).every((between) => /\D/.test(between))) return undefined;
    return new NamePattern(literals, holes, loops);
  }

  /** An upper bound on the length of the names. */
  static longest(name: string): number {
    return name.length + digitsPerHole * [...name].filter((character) => placeholders.test(character)).length;
  }

  /** How many different names it stands for. */
  get size(): number {
    let size = 1;
    for (const l of new Set(this.holes)) size *= loopSize(this.#loops[l]!);
    return size;
  }

  /** Every element of the loops gives a name of its own. */
  get isDistinct(): boolean {
    return this.#loops.every((loop, l) => loopSize(loop) === 1 || this.holes.includes(l));
  }

  /** Certainly no name of one is a name of the other. */
  isApartFrom(other: NamePattern): boolean {
    const [prefix, otherPrefix] = [this.literals[0]!, other.literals[0]!];
    if (!canStart(prefix, otherPrefix) && !canStart(otherPrefix, prefix)) return true;
    const [suffix, otherSuffix] = [this.literals.at(-1)!, other.literals.at(-1)!];
    if (!canEnd(suffix, otherSuffix) && !canEnd(otherSuffix, suffix)) return true;
    if (!this.#hasLiteralsOf(other)) return false;
    return this.#ranges.some((range, hole) => areApart(range, other.#ranges[hole]!));
  }

  /** It stands for the same names, in the same way. */
  isSameAs(other: NamePattern): boolean {
    if (!this.#hasLiteralsOf(other)) return false;
    // Which holes always have the same number matters as well: `${i}-${i}` is not `${i}-${j}`.
    const twins = (pattern: NamePattern): string => pattern.holes.map((l) => pattern.holes.indexOf(l)).join();
    if (twins(this) !== twins(other)) return false;
    return this.#ranges.every(({ from, to, step }, hole) => {
      const range = other.#ranges[hole]!;
      return from === range.from && to === range.to && step === range.step;
    });
  }

  /** The place in each loop of the first element that gives this name; nothing if none does. */
  positions(name: string): number[] | undefined {
    if (!name.startsWith(this.literals[0]!) || !name.endsWith(this.literals.at(-1)!)) return undefined;
    const positions = new Array<number>(this.#loops.length).fill(0);
    const seen = new Set<number>();
    let at = 0;
    for (const [hole, literal] of this.literals.entries()) {
      if (hole > 0) {
        const digits = this.#digitsBefore(name, at, literal, hole === this.holes.length);
        const position = digits === undefined ? undefined : positionIn(this.#ranges[hole - 1]!, digits);
        const l = this.holes[hole - 1]!;
        if (digits === undefined || position === undefined) return undefined;
        if (seen.has(l) && positions[l] !== position) return undefined;
        seen.add(l);
        positions[l] = position;
        at += digits.length;
      }
      if (!name.startsWith(literal, at)) return undefined;
      at += literal.length;
    }
    return at === name.length ? positions : undefined;
  }

  /** The digits of a hole: up to the digits that the literal behind it begins with. */
  #digitsBefore(name: string, at: number, literal: string, isLast: boolean): string | undefined {
    if (isLast) return at < name.length - literal.length ? name.slice(at, name.length - literal.length) : undefined;
    let end = at;
    while (end < name.length && isDigit(name, end)) end += 1;
    let leading = 0;
    while (isDigit(literal, leading)) leading += 1;
    return end - leading > at ? name.slice(at, end - leading) : undefined;
  }

  #hasLiteralsOf(other: NamePattern): boolean {
    const { literals } = this;
    return literals.length === other.literals.length && literals.every((text, i) => text === other.literals[i]);
  }
}

/** Whether a name can start with `longer` where the pattern has `shorter` and then a number. */
function canStart(shorter: string, longer: string): boolean {
  return longer.startsWith(shorter) && (longer.length === shorter.length || isDigit(longer, shorter.length));
}

function canEnd(shorter: string, longer: string): boolean {
  if (!longer.endsWith(shorter)) return false;
  return longer.length === shorter.length || isDigit(longer, longer.length - shorter.length - 1);
}

function areApart(a: Range, b: Range): boolean {
  if (a.to < b.from || b.to < a.from) return true;
  return a.step === b.step && (a.from - b.from) % a.step !== 0;
}

function positionIn({ from, to, step }: Range, digits: string): number | undefined {
  const value = Number(digits);
  if (String(value) !== digits || value < from || value > to) return undefined;
  return (value - from) % step === 0 ? (value - from) / step : undefined;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
