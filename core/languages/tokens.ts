/**
 * Words, strings and signs of a small language, with their places: what the readers of languages without a grammar of
 * any size share. `//`, `#` and slash-star comments are skipped where the language has them.
 */
export interface Token {
  is: "word" | "string" | "sign" | "end";
  /** A string's content, without its quotes. */
  text: string;
  start: number;
  end: number;
}

export interface Lexicon {
  /** Signs of more than one character, longest first; every other character stands for itself. */
  signs: readonly string[];
  word: RegExp;
  comment: RegExp;
}

export interface Lexed {
  tokens: Token[];
  /** Strings that are never closed: each ends with its line. */
  unclosed: Token[];
}

const blank = /\s+/y;
const string = /"((?:[^"\\\n]|\\.)*)("?)/y;

/** `word` and `comment` must be sticky. */
export function lexTokens(text: string, { signs, word, comment }: Lexicon): Lexed {
  const tokens: Token[] = [];
  const unclosed: Token[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  while (at < text.length) {
    const skipped = lengthAt(blank, text, at) || lengthAt(comment, text, at);
    if (skipped > 0) {
      at += skipped;
      continue;
    }
    const token = tokenAt(text, at, signs, word, unclosed);
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ is: "end", text: "", start: text.length, end: text.length });
  return { tokens, unclosed };
}

function tokenAt(text: string, at: number, signs: readonly string[], word: RegExp, unclosed: Token[]): Token {
  if (text[at] === '"') {
    string.lastIndex = at;
    const [whole = '"', content = "", quote] = string.exec(text) ?? [];
    const unescaped = content.replace(/\\(["\\])/g, "$1");
    const token: Token = { is: "string", text: unescaped, start: at, end: at + whole.length };
    if (quote !== '"') unclosed.push(token);
    return token;
  }
  const length = lengthAt(word, text, at);
  if (length > 0) return { is: "word", text: text.slice(at, at + length), start: at, end: at + length };
  const sign = signs.find((one) => text.startsWith(one, at)) ?? text[at]!;
  return { is: "sign", text: sign, start: at, end: at + sign.length };
}

function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** A place in the tokens, and what a reader asks there. */
export class TokenReader {
  private place = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get next(): Token {
    return this.tokens[Math.min(this.place, this.tokens.length - 1)]!;
  }

  get atEnd(): boolean {
    return this.next.is === "end";
  }

  /** The one after the next. */
  get second(): Token {
    return this.tokens[Math.min(this.place + 1, this.tokens.length - 1)]!;
  }

  take(): Token {
    const token = this.next;
    this.place += 1;
    return token;
  }

  takeSign(...signs: string[]): Token | undefined {
    return this.next.is === "sign" && signs.includes(this.next.text) ? this.take() : undefined;
  }

  takeWord(...words: string[]): Token | undefined {
    return this.next.is === "word" && words.includes(this.next.text) ? this.take() : undefined;
  }

  /** How people see it. */
  static show({ is, text }: Token): string {
    if (is === "end") return "the end of the text";
    return is === "string" ? `"${text.slice(0, 40)}"` : `“${text.slice(0, 40)}”`;
  }
}
