/**
 * GRID-ADL's tokens, made on demand. The language is half shell, half expressions, and a character means
 * different things in each: `a+b.txt` is one file name after `-i` and a sum after `=`. So the parser, which knows
 * where it is, says which reading it wants:
 *
 *   words        names, options and files; only blanks, `;`, `{`, `}` and quotes end a bare piece
 *   expression   numbers, names, operators, `..`; used for assignments, conditions, ranges and statement starts
 *
 * A line end is a token, because `done` means different things at the start and at the end of a line.
 */
import type { Place, WordPiece } from "./ast";
import {
  escapeLength,
  isBareNameCharacter,
  isBlank,
  isNameCharacter,
  isWordCharacter,
  lineContinuation,
  startsBareName,
} from "./characters";

export type LexerMode = "words" | "expression";

export type TokenKind = "word" | "number" | "line-end" | "end" | "other" | Punctuation;

/** Longer ones first. */
const punctuation = [
  ...["==", "!=", ">=", "<=", "&&", "||", ".."],
  ...["{", "}", ";", "(", ")", "=", ">", "<", "+", "-", "*", "/", "^"],
] as const;
export type Punctuation = (typeof punctuation)[number];

export interface Token extends Place {
  kind: TokenKind;
  /** Of a word. */
  pieces: WordPiece[];
  /** The text of a word that is one bare piece: only such a word can be a keyword or an option. */
  bare?: string;
  /** What is wrong inside the token itself, such as a quote that is not closed. */
  flaws: Flaw[];
}

export interface Flaw extends Place {
  code: string;
  message: string;
}

/** A word with more flaws than this is nonsense up to the end of its line. */
const maxFlaws = 20;

const noPieces: WordPiece[] = [];
const noFlaws: Flaw[] = [];

const numberPattern = /\d+(?:\.\d+)?/y;
const variableName = /[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?/uy;

export class Lexer {
  readonly #text: string;
  readonly #onFlaw: (flaw: Flaw) => void;
  #position = 0;
  #cached: Token | undefined;
  #cachedMode: LexerMode = "words";

  constructor(text: string, onFlaw: (flaw: Flaw) => void) {
    this.#text = text;
    this.#onFlaw = onFlaw;
  }

  /** Where the next token's search starts. Going back to an earlier position reads the same tokens again. */
  get position(): number {
    return this.#position;
  }

  set position(position: number) {
    this.#position = position;
    this.#cached = undefined;
  }

  peek(mode: LexerMode): Token {
    if (!this.#cached || this.#cachedMode !== mode) {
      this.#cached = this.#read(mode);
      this.#cachedMode = mode;
    }
    return this.#cached;
  }

  /** Flaws are told when a token is taken, so that looking ahead tells nothing twice. */
  take(mode: LexerMode): Token {
    const token = this.peek(mode);
    this.position = token.end;
    for (const flaw of token.flaws) this.#onFlaw(flaw);
    return token;
  }

  #read(mode: LexerMode): Token {
    const start = this.#skipBlanks(this.#position);
    const text = this.#text;
    if (start >= text.length) return plain("end", start, start);
    const character = text[start]!;
    if (character === "\n") return plain("line-end", start, start + 1);
    if (mode === "words") {
      if (character === "{" || character === "}" || character === ";") return plain(character, start, start + 1);
      return this.#readWord(start, mode);
    }
    const number = this.#numberEnd(start);
    if (number !== undefined) return plain("number", start, number);
    if (character === '"' || text.startsWith("${", start) || startsBareName(text, start)) {
      return this.#readWord(start, mode);
    }
    const sign = punctuation.find((candidate) => text.startsWith(candidate, start));
    if (sign) return plain(sign, start, start + sign.length);
    return plain("other", start, start + (text.codePointAt(start)! > 0xffff ? 2 : 1));
  }

  #skipBlanks(from: number): number {
    const text = this.#text;
    let at = from;
    for (;;) {
      const character = text[at];
      if (character === "#") {
        const lineEnd = text.indexOf("\n", at);
        return lineEnd === -1 ? text.length : lineEnd;
      }
      const continued = lineContinuation(text, at);
      if (continued > 0) at += continued;
      else if (isBlank(character)) at += 1;
      else return at;
    }
  }

  /** A number ends before a range's dots or an operator; `1.txt` and `2x` are names. */
  #numberEnd(start: number): number | undefined {
    numberPattern.lastIndex = start;
    const match = numberPattern.exec(this.#text);
    if (!match) return undefined;
    const end = start + match[0].length;
    const next = this.#text[end];
    if (next === '"' || this.#text.startsWith("${", end)) return undefined;
    if (this.#text.startsWith("..", end)) return end;
    return isNameCharacter(next) ? undefined : end;
  }

  #readWord(start: number, mode: LexerMode): Token {
    const pieces: WordPiece[] = [];
    const flaws: Flaw[] = [];
    let at = start;
    for (;;) {
      const before = at;
      if (this.#text[at] === '"') at = this.#readQuoted(at, pieces, flaws);
      else if (this.#text.startsWith("${", at)) at = this.#readVariable(at, false, pieces, flaws);
      else at = this.#readBare(at, mode, pieces, flaws);
      if (at === before) break;
      if (flaws.length > maxFlaws) {
        const lineEnd = this.#text.indexOf("\n", at);
        at = lineEnd === -1 ? this.#text.length : lineEnd;
        break;
      }
    }
    const only = pieces.length === 1 ? pieces[0]! : undefined;
    const bare = only?.is === "text" && !only.quoted ? only.text : undefined;
    return { kind: "word", start, end: at, pieces, bare, flaws: flaws.length > 0 ? flaws : noFlaws };
  }

  #readBare(start: number, mode: LexerMode, pieces: WordPiece[], flaws: Flaw[]): number {
    const text = this.#text;
    let at = start;
    while (at < text.length) {
      const character = text[at]!;
      if (
        mode === "words" ? !isWordCharacter(text, at) : !isBareNameCharacter(text, at, start === at, pieces.length > 0)
      ) {
        break;
      }
      if (character === "$") {
        flaws.push({
          ...{ start: at, end: at + 1, code: "gridadl/dollar" },
          message: `A variable is written with braces, as in "\${name}"; put the text in quotes if the dollar is meant.`,
        });
      } else if (character === "“" || character === "”") {
        flaws.push({
          ...{ start: at, end: at + 1, code: "gridadl/curly-quote" },
          message: `${character} is a typographic quote; strings are put in straight ones: "…".`,
        });
      }
      at += 1;
    }
    if (at > start) appendText(pieces, text.slice(start, at), false);
    return at;
  }

  #readVariable(start: number, quoted: boolean, pieces: WordPiece[], flaws: Flaw[]): number {
    variableName.lastIndex = start + 2;
    const name = variableName.exec(this.#text)?.[0] ?? "";
    let end = start + 2 + name.length;
    if (name !== "" && this.#text[end] === "}") {
      end += 1;
      pieces.push({ is: "variable", name, quoted, start, end });
      return end;
    }
    const what = name === "" ? "a variable's name" : `"}" after "\${${name.slice(0, 40)}"`;
    flaws.push({ code: "gridadl/bad-variable", message: `Expected ${what}.`, start, end });
    if (this.#text[end] === "}") end += 1;
    appendText(pieces, this.#text.slice(start, end), quoted);
    return end;
  }

  /**
   * `\"` and `\\` stand for the character; `\${` for a literal `${`, so that a command line can use the shell's own
   * variables. Every other backslash stays, `\;` too: a file list reads it as a semicolon inside a name, a shell as its own.
   */
  #readQuoted(start: number, pieces: WordPiece[], flaws: Flaw[]): number {
    const text = this.#text;
    let at = start + 1;
    let literal = "";
    let copiedTo = at;
    const flush = (): void => {
      literal += text.slice(copiedTo, at);
      if (literal !== "") appendText(pieces, literal, true);
      literal = "";
    };
    for (;;) {
      const character = text[at];
      if (character === undefined || character === "\n") {
        flush();
        const lineEnd = at;
        flaws.push({
          ...{ start, end: lineEnd, code: "gridadl/unclosed-quote" },
          message: 'This quote is not closed; expected a " before the end of the line.',
        });
        break;
      }
      if (character === '"') {
        flush();
        at += 1;
        break;
      }
      const skipped = character === "\\" ? escapeLength(text, at) : 0;
      if (skipped > 0) {
        literal += text.slice(copiedTo, at);
        copiedTo = at + skipped;
        // What follows the backslash is copied as it is, whatever it would mean by itself.
        at = skipped > 1 ? copiedTo : copiedTo + 1;
      } else if (text.startsWith("${", at)) {
        flush();
        at = this.#readVariable(at, true, pieces, flaws);
        copiedTo = at;
      } else at += 1;
    }
    // "" is a piece too: a string that is there and empty.
    if (pieces.length === 0) appendText(pieces, "", true);
    return at;
  }
}

/** Neighbouring pieces of text become one. */
function appendText(pieces: WordPiece[], text: string, quoted: boolean): void {
  const last = pieces.at(-1);
  if (last?.is === "text" && last.quoted === quoted) last.text += text;
  else pieces.push({ is: "text", text, quoted });
}

function plain(kind: TokenKind, start: number, end: number): Token {
  return { kind, start, end, pieces: noPieces, flaws: noFlaws };
}
