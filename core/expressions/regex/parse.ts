/**
 * The part of PCRE that can be matched without backtracking: characters, classes, groups, alternatives,
 * greedy and lazy repetition, anchors. What cannot (look-around, back references, atomic groups) is refused by name.
 */
export type Node =
  | { is: "empty" }
  | { is: "set"; set: CharacterSet }
  | { is: "sequence"; parts: Node[] }
  | { is: "choice"; options: Node[] }
  | { is: "repeat"; body: Node; minimum: number; maximum: number; lazy: boolean }
  | { is: "group"; body: Node; index: number }
  | { is: "assert"; what: Assertion };

export type Assertion =
  | "line-start"
  | "line-end"
  | "text-start"
  | "text-end"
  | "last-line-end"
  | "word-edge"
  | "no-word-edge";

/** Ranges of code points, both ends included. */
export interface CharacterSet {
  ranges: readonly (readonly [number, number])[];
  negated: boolean;
}

export interface Flags {
  ignoreCase: boolean;
  multiline: boolean;
  dotAll: boolean;
  /** Blanks in the pattern are for the reader, and `#` starts a comment. */
  extended: boolean;
}

export interface ParsedPattern {
  node: Node;
  groups: number;
}

export class PatternFault extends Error {}

type Range = readonly [number, number];
const digit: Range[] = [[48, 57]];
const word: Range[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const space: Range[] = [
  [9, 13],
  [32, 32],
];
const posix: Readonly<Record<string, readonly Range[]>> = {
  alpha: [
    [65, 90],
    [97, 122],
  ],
  digit,
  alnum: [
    [48, 57],
    [65, 90],
    [97, 122],
  ],
  upper: [[65, 90]],
  lower: [[97, 122]],
  space,
  blank: [
    [9, 9],
    [32, 32],
  ],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  print: [[32, 126]],
  graph: [[33, 126]],
  xdigit: [
    [48, 57],
    [65, 70],
    [97, 102],
  ],
  word,
};
const controls: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, e: 27, a: 7 };
const lastCodePoint = 0x10ffff;
const maximumNesting = 100;
const maximumRepeat = 1000;

export function parsePattern(source: string, flags: Flags): ParsedPattern {
  const parser = new PatternParser(source, { ...flags });
  const node = parser.alternatives();
  if (!parser.atEnd) throw new PatternFault("a `)` has no `(`");
  return { node, groups: parser.groups };
}

class PatternParser {
  groups = 0;
  private position = 0;
  private nesting = 0;
  constructor(
    private readonly source: string,
    private flags: Flags,
  ) {}

  get atEnd(): boolean {
    return this.position >= this.source.length;
  }
  private get rest(): string {
    return this.source.slice(this.position, this.position + 40);
  }
  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.position)) return false;
    this.position += text.length;
    return true;
  }

  alternatives(): Node {
    if (++this.nesting > maximumNesting) throw new PatternFault("its groups are nested too deeply");
    const options = [this.sequence()];
    while (this.take("|")) options.push(this.sequence());
    this.nesting--;
    return options.length === 1 ? options[0]! : { is: "choice", options };
  }

  private skipBlanks(): void {
    while (this.flags.extended && /[\s#]/.test(this.source.charAt(this.position))) {
      const end = this.source[this.position] === "#" ? this.source.indexOf("\n", this.position) : this.position;
      this.position = end < 0 ? this.source.length : end + 1;
    }
  }

  private sequence(): Node {
    const parts: Node[] = [];
    this.skipBlanks();
    while (!this.atEnd && this.source[this.position] !== "|" && this.source[this.position] !== ")") {
      const atom = this.atom();
      if (atom) parts.push(this.repeated(atom));
      this.skipBlanks();
    }
    return parts.length === 1 ? parts[0]! : parts.length === 0 ? { is: "empty" } : { is: "sequence", parts };
  }

  private repeated(body: Node): Node {
    let node = body;
    for (let count = 0; ; count++) {
      this.skipBlanks();
      const bounds = this.bounds();
      if (!bounds) return node;
      if (count > 0) throw new PatternFault("a repetition is repeated");
      if (body.is === "assert") throw new PatternFault("an anchor cannot be repeated");
      if (this.take("+")) throw new PatternFault("possessive repetition is not supported");
      node = { is: "repeat", body, ...bounds, lazy: this.take("?") };
    }
  }

  private bounds(): { minimum: number; maximum: number } | undefined {
    if (this.take("*")) return { minimum: 0, maximum: Number.POSITIVE_INFINITY };
    if (this.take("+")) return { minimum: 1, maximum: Number.POSITIVE_INFINITY };
    if (this.take("?")) return { minimum: 0, maximum: 1 };
    const braces = /^\{(\d{1,5})(?:(,)(\d{0,5}))?\}/.exec(this.rest);
    if (!braces) return undefined;
    this.position += braces[0].length;
    const minimum = Number(braces[1]);
    const maximum = braces[2] ? (braces[3] ? Number(braces[3]) : Number.POSITIVE_INFINITY) : minimum;
    if (maximum < minimum) throw new PatternFault("a repetition has its bounds in the wrong order");
    if (minimum > maximumRepeat || (maximum !== Number.POSITIVE_INFINITY && maximum > maximumRepeat)) {
      throw new PatternFault(`a repetition is asked for more than ${maximumRepeat} times`);
    }
    return { minimum, maximum };
  }

  private atom(): Node | undefined {
    const character = String.fromCodePoint(this.source.codePointAt(this.position) ?? 0);
    if (/^[*+?]/.test(character)) throw new PatternFault(`\`${character}\` has nothing before it to repeat`);
    this.position += character.length;
    switch (character) {
      case ".":
        return this.set(
          this.flags.dotAll
            ? [[0, lastCodePoint]]
            : [
                [0, 9],
                [11, lastCodePoint],
              ],
        );
      case "^":
        return { is: "assert", what: this.flags.multiline ? "line-start" : "text-start" };
      case "$":
        return { is: "assert", what: this.flags.multiline ? "line-end" : "last-line-end" };
      case "(":
        return this.group();
      case "[":
        return this.bracket();
      case "\\":
        return this.escape();
      default:
        return this.single(character.codePointAt(0) ?? 0);
    }
  }

  private group(): Node | undefined {
    let index: number | undefined;
    const outer = { ...this.flags };
    if (this.take("?")) {
      const inline = /^([imsx]*)(?:-([imsx]+))?([:)])/.exec(this.rest);
      const named = /^P?<([A-Za-z_]\w*)>/.exec(this.rest);
      if (inline) {
        this.position += inline[0].length;
        this.setFlags(inline[1] ?? "", true);
        this.setFlags(inline[2] ?? "", false);
        // `(?i)` holds to the end of the group it stands in.
        if (inline[3] === ")") return undefined;
      } else if (named) {
        this.position += named[0].length;
        index = ++this.groups;
      } else if (/^<?[=!]/.test(this.rest)) throw new PatternFault("look-ahead and look-behind are not supported");
      else if (this.rest.startsWith(">")) throw new PatternFault("atomic groups are not supported");
      else throw new PatternFault(`\`(?${this.rest.charAt(0)}\` is not supported`);
    } else index = ++this.groups;
    if (index !== undefined && index > 99) throw new PatternFault("it has more than 99 groups");
    const body = this.alternatives();
    if (!this.take(")")) throw new PatternFault("a `(` is never closed");
    this.flags = outer;
    return index === undefined ? body : { is: "group", body, index };
  }

  private setFlags(letters: string, on: boolean): void {
    this.flags = {
      ignoreCase: letters.includes("i") ? on : this.flags.ignoreCase,
      multiline: letters.includes("m") ? on : this.flags.multiline,
      dotAll: letters.includes("s") ? on : this.flags.dotAll,
      extended: letters.includes("x") ? on : this.flags.extended,
    };
  }

  private escape(): Node {
    const assertions: Readonly<Record<string, Assertion>> = {
      b: "word-edge",
      B: "no-word-edge",
      A: "text-start",
      z: "text-end",
      Z: "last-line-end",
    };
    const letter = this.source[this.position] ?? "";
    if (Object.hasOwn(assertions, letter)) {
      this.position++;
      return { is: "assert", what: assertions[letter]! };
    }
    if (/^[1-9]/.test(letter)) throw new PatternFault("references back to a group are not supported");
    if (this.take("Q")) {
      const close = this.source.indexOf("\\E", this.position);
      const text = this.source.slice(this.position, close < 0 ? undefined : close);
      this.position = close < 0 ? this.source.length : close + 2;
      return { is: "sequence", parts: [...text].map((character) => this.single(character.codePointAt(0) ?? 0)) };
    }
    const escaped = this.escapedSet();
    return typeof escaped === "number" ? this.single(escaped) : { is: "set", set: escaped };
  }

  /** A class such as `\d`, or the code point of one escaped character. */
  private escapedSet(): CharacterSet | number {
    if (this.atEnd) throw new PatternFault("it ends with a backslash");
    const letter = String.fromCodePoint(this.source.codePointAt(this.position) ?? 0);
    this.position += letter.length;
    const classes: Readonly<Record<string, readonly Range[]>> = {
      d: digit,
      w: word,
      s: space,
      h: [
        [9, 9],
        [32, 32],
      ],
      v: [[10, 13]],
    };
    const lower = letter.toLowerCase();
    if (Object.hasOwn(classes, lower)) return { ranges: classes[lower]!, negated: letter !== lower };
    if (letter === "N") return { ranges: [[10, 10]], negated: true };
    if (Object.hasOwn(controls, letter)) return controls[letter]!;
    if (letter === "x") {
      const hexadecimal = /^\{([0-9a-fA-F]{1,6})\}|^([0-9a-fA-F]{1,2})/.exec(this.rest);
      this.position += hexadecimal?.[0].length ?? 0;
      const code = Number.parseInt(hexadecimal?.[1] ?? hexadecimal?.[2] ?? "0", 16);
      if (code > lastCodePoint) throw new PatternFault("a `\\x` names no character");
      return code;
    }
    if (letter === "0") {
      const octal = /^[0-7]{0,2}/.exec(this.rest)?.[0] ?? "";
      this.position += octal.length;
      return Number.parseInt(`0${octal}`, 8);
    }
    if (/^[A-Za-z]$/.test(letter)) throw new PatternFault(`\`\\${letter}\` is not supported`);
    return letter.codePointAt(0) ?? 0;
  }

  private bracket(): Node {
    const negated = this.take("^");
    const ranges: Range[] = [];
    for (let first = true; first || this.source[this.position] !== "]"; first = false) {
      if (this.atEnd) throw new PatternFault("a `[` is never closed");
      const named = /^\[:(\^?)([a-z]+):\]/.exec(this.rest);
      if (named) {
        const known = Object.hasOwn(posix, named[2]!) ? posix[named[2]!] : undefined;
        if (!known) throw new PatternFault(`\`[:${named[2]}:]\` is not a class of characters`);
        this.position += named[0].length;
        ranges.push(...(named[1] ? complement(known) : known));
        continue;
      }
      const low = this.bracketItem();
      if (typeof low !== "number") {
        ranges.push(...(low.negated ? complement(low.ranges) : low.ranges));
        continue;
      }
      if (
        this.source[this.position] === "-" &&
        this.source[this.position + 1] !== "]" &&
        this.position + 1 < this.source.length
      ) {
        this.position++;
        const high = this.bracketItem();
        if (typeof high !== "number") throw new PatternFault("a range of characters ends in a class");
        if (high < low) throw new PatternFault("a range of characters is in the wrong order");
        ranges.push([low, high]);
      } else ranges.push([low, low]);
    }
    this.position++;
    return this.set(ranges, negated);
  }

  private bracketItem(): CharacterSet | number {
    if (this.source[this.position] === "\\") {
      this.position++;
      if (this.take("b")) return 8;
      return this.escapedSet();
    }
    const code = this.source.codePointAt(this.position) ?? 0;
    this.position += code > 0xffff ? 2 : 1;
    return code;
  }

  private single(code: number): Node {
    return this.set([[code, code]]);
  }

  private set(ranges: readonly Range[], negated = false): Node {
    return { is: "set", set: { ranges: this.flags.ignoreCase ? bothCases(ranges) : ranges, negated } };
  }
}

function complement(ranges: readonly Range[]): Range[] {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const result: Range[] = [];
  let next = 0;
  for (const [low, high] of sorted) {
    if (low > next) result.push([next, low - 1]);
    next = Math.max(next, high + 1);
  }
  if (next <= lastCodePoint) result.push([next, lastCodePoint]);
  return result;
}

function bothCases(ranges: readonly Range[]): Range[] {
  const result: Range[] = [...ranges];
  const add = (low: number, high: number, from: number, to: number, shift: number) => {
    const first = Math.max(low, from);
    const last = Math.min(high, to);
    if (first <= last) result.push([first + shift, last + shift]);
  };
  for (const [low, high] of ranges) {
    add(low, high, 65, 90, 32);
    add(low, high, 97, 122, -32);
  }
  return result;
}
