/**
 * A regular expression matcher whose time is at most (length of pattern) × (length of text): all ways to match are
 * followed at once, none is tried and given up (Thompson 1968; with groups, Pike 1987). So a pattern such as
 * `(a+)+$` that makes a backtracking matcher run for ever is harmless here. Of several matches the one that Perl would
 * find first is reported.
 */
import { type Assertion, type CharacterSet, type Node, PatternFault, parsePattern } from "./parse";

type Instruction =
  | { is: "set"; set: CharacterSet }
  | { is: "assert"; what: Assertion }
  | { is: "split"; first: number; second: number }
  | { is: "jump"; to: number }
  | { is: "save"; slot: number }
  | { is: "match" };

const maximumInstructions = 10_000;
const maximumPatternLength = 10_000;
/** What searching may still cost: one unit for each way followed past each character. */
export interface Work {
  left: number;
}
const maximumWork = 30_000_000;

export class Pattern {
  private constructor(
    private readonly program: readonly Instruction[],
    readonly groups: number,
  ) {}

  /** The pattern, or a sentence about what is wrong with it. Flags are any of i, m, s, x. */
  static compile(source: string, flags = ""): Pattern | string {
    if (source.length > maximumPatternLength) return "The pattern is too long.";
    try {
      const { node, groups } = parsePattern(source, {
        ignoreCase: flags.includes("i"),
        multiline: flags.includes("m"),
        dotAll: flags.includes("s"),
        extended: flags.includes("x"),
      });
      const program: Instruction[] = [];
      emit({ is: "group", body: node, index: 0 }, program);
      program.push({ is: "match" });
      return new Pattern(program, groups);
    } catch (fault) {
      if (fault instanceof PatternFault) return `The pattern cannot be used: ${fault.message}.`;
      throw fault;
    }
  }

  /** Whether the pattern occurs in the text; undefined for too much work. */
  test(text: string, work: Work = { left: maximumWork }): boolean | undefined {
    const found = this.search(text, 0, 0, work);
    return found === undefined ? undefined : found !== null;
  }

  /** Start and end of the match and of each group (-1 where a group took no part), null for none, undefined for too much work. */
  match(text: string, from = 0, work: Work = { left: maximumWork }): number[] | null | undefined {
    return this.search(text, from, 2 * (this.groups + 1), work);
  }

  private search(text: string, from: number, slots: number, work: Work): number[] | null | undefined {
    const size = this.program.length;
    work.left -= size;
    let current: number[] = [];
    let currentSlots: number[][] = [];
    let next: number[] = [];
    let nextSlots: number[][] = [];
    // When a thread was last added at a position: each instruction runs at most once per character.
    const seen = new Int32Array(size).fill(-1);
    let best: number[] | null = null;
    for (let position = from; ; ) {
      if (best === null) {
        this.follow(
          0,
          position,
          text,
          slots === 0 ? none : new Array<number>(slots).fill(-1),
          current,
          currentSlots,
          seen,
        );
      }
      if (current.length === 0 && (best !== null || position >= text.length)) return best;
      // Setting captures aside is part of following a way.
      work.left -= 1 + current.length * (1 + slots);
      if (work.left < 0) return undefined;
      const code = position < text.length ? (text.codePointAt(position) ?? 0) : -1;
      const after = position + (code > 0xffff ? 2 : 1);
      for (let i = 0; i < current.length; i++) {
        const instruction = this.program[current[i]!]!;
        if (instruction.is === "match") {
          best = currentSlots[i]!;
          if (slots === 0) return best;
          // Threads behind this one have lower priority.
          break;
        }
        if (instruction.is === "set" && code >= 0 && contains(instruction.set, code)) {
          this.follow(current[i]! + 1, after, text, currentSlots[i]!, next, nextSlots, seen);
        }
      }
      if (position >= text.length) return best;
      [current, next] = [next, current];
      [currentSlots, nextSlots] = [nextSlots, currentSlots];
      next.length = 0;
      nextSlots.length = 0;
      position = after;
    }
  }

  /** Adds the threads that can be reached without reading a character, in order of priority. */
  private follow(
    start: number,
    position: number,
    text: string,
    startSlots: number[],
    list: number[],
    listSlots: number[][],
    seen: Int32Array,
  ): void {
    const stack: { at: number; slots: number[] }[] = [{ at: start, slots: startSlots }];
    for (let thread = stack.pop(); thread; thread = stack.pop()) {
      const { at, slots } = thread;
      if (seen[at] === position) continue;
      seen[at] = position;
      const instruction = this.program[at]!;
      switch (instruction.is) {
        case "jump":
          stack.push({ at: instruction.to, slots });
          break;
        case "split":
          stack.push({ at: instruction.second, slots }, { at: instruction.first, slots });
          break;
        case "save": {
          let saved = slots;
          if (instruction.slot < slots.length) {
            saved = slots.slice();
            saved[instruction.slot] = position;
          }
          stack.push({ at: at + 1, slots: saved });
          break;
        }
        case "assert":
          if (holds(instruction.what, text, position)) stack.push({ at: at + 1, slots });
          break;
        default:
          list.push(at);
          listSlots.push(slots);
      }
    }
  }
}

const none: number[] = [];

function contains(set: CharacterSet, code: number): boolean {
  for (const [low, high] of set.ranges) if (code >= low && code <= high) return !set.negated;
  return set.negated;
}

const isWord = (text: string, position: number) => /\w/.test(text.charAt(position));

function holds(what: Assertion, text: string, position: number): boolean {
  const atEnd = position === text.length;
  switch (what) {
    case "text-start":
      return position === 0;
    case "text-end":
      return atEnd;
    case "last-line-end":
      return atEnd || (position === text.length - 1 && text[position] === "\n");
    case "line-start":
      return position === 0 || (text[position - 1] === "\n" && !atEnd);
    case "line-end":
      return atEnd || text[position] === "\n";
    case "word-edge":
      return isWord(text, position - 1) !== isWord(text, position);
    case "no-word-edge":
      return isWord(text, position - 1) === isWord(text, position);
  }
}

function emit(node: Node, program: Instruction[]): void {
  if (program.length > maximumInstructions) throw new PatternFault("its repetitions make it too large");
  switch (node.is) {
    case "empty":
      return;
    case "set":
      program.push({ is: "set", set: node.set });
      return;
    case "assert":
      program.push({ is: "assert", what: node.what });
      return;
    case "sequence":
      for (const part of node.parts) emit(part, program);
      return;
    case "group":
      program.push({ is: "save", slot: node.index * 2 });
      emit(node.body, program);
      program.push({ is: "save", slot: node.index * 2 + 1 });
      return;
    case "choice":
      emitChoice(node.options, program);
      return;
    case "repeat":
      emitRepeat(node, program);
  }
}

/** A split whose preferred way is `first`, unless lazy. */
const split = (into: number, out: number, lazy: boolean): Instruction =>
  lazy ? { is: "split", first: out, second: into } : { is: "split", first: into, second: out };

function emitChoice(options: readonly Node[], program: Instruction[]): void {
  const exits: number[] = [];
  options.forEach((option, i) => {
    if (i === options.length - 1) {
      emit(option, program);
      return;
    }
    const fork = program.length;
    program.push({ is: "jump", to: fork });
    emit(option, program);
    exits.push(program.length);
    program.push({ is: "jump", to: program.length });
    program[fork] = split(fork + 1, program.length, false);
  });
  for (const exit of exits) program[exit] = { is: "jump", to: program.length };
}

function emitRepeat(node: Extract<Node, { is: "repeat" }>, program: Instruction[]): void {
  for (let i = 0; i < node.minimum; i++) emit(node.body, program);
  if (node.maximum === Number.POSITIVE_INFINITY) {
    // `e*` as `(?:e+)?`: a turn that takes no character still ends the loop by way of e, and sets its groups, as in Perl.
    const fork = program.length;
    program.push({ is: "jump", to: fork });
    emit(node.body, program);
    program.push(split(fork + 1, program.length + 1, node.lazy));
    program[fork] = split(fork + 1, program.length, node.lazy);
    return;
  }
  const forks: number[] = [];
  for (let i = node.minimum; i < node.maximum; i++) {
    forks.push(program.length);
    program.push({ is: "jump", to: program.length });
    emit(node.body, program);
  }
  for (const fork of forks) program[fork] = split(fork + 1, program.length, node.lazy);
}
