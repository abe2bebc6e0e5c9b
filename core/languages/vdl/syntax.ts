/** VDL's statements as they are written: TR … and DV …, with recovery at the next of them. */
import type { Stretch, TextReports } from "@/core/languages/reports";
import { lexTokens, type Token, TokenReader } from "@/core/languages/tokens";

export type Direction = "input" | "output" | "inout" | "none";

export interface Formal extends Stretch {
  name: string;
  direction: Direction;
}

/** A piece of an argument: text, or the name of a formal parameter. */
export type Part = { text: string } | ({ formal: string } & Stretch);

export interface Transformation extends Stretch {
  name: string;
  formals: Formal[];
  program: string | undefined;
  args: ({ name: string; parts: Part[] } & Stretch)[];
}

export interface Actual extends Stretch {
  formal: string;
  values: ({ is: "file" | "text"; text: string } & Stretch)[];
}

export interface Derivation extends Stretch {
  /** `DV name->TR`; absent where only the transformation is named. */
  name?: string;
  transformation: string;
  actuals: Actual[];
}

const lexicon = {
  signs: ["->", "${", "@{"],
  word: /[A-Za-z_0-9./:-]*[A-Za-z_0-9./]/y,
  comment: /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
};
const directions: readonly string[] = ["input", "output", "inout", "none", "in", "out"];

export function readStatements(text: string, reports: TextReports) {
  const { tokens, unclosed } = lexTokens(text, lexicon);
  for (const one of unclosed) reports.error("unclosed-quote", "This string has no closing quote.", one);
  const reader = new StatementReader(new TokenReader(tokens), reports);
  reader.read();
  const { transformations, derivations, misreadAny } = reader;
  return { transformations, derivations, misreadAny };
}

/** Thrown where a statement cannot be understood; the next statement is read again. */
class Misread extends Error {}

class StatementReader {
  readonly transformations: Transformation[] = [];
  readonly derivations: Derivation[] = [];
  misreadAny = false;

  constructor(
    private readonly tokens: TokenReader,
    private readonly reports: TextReports,
  ) {}

  read(): void {
    const { tokens } = this;
    while (!tokens.atEnd && !this.reports.isFull) {
      try {
        if (tokens.takeWord("TR")) this.transformation();
        else if (tokens.takeWord("DV")) this.derivation();
        else this.misread("TR or DV");
      } catch (error) {
        if (!(error instanceof Misread)) throw error;
        this.misreadAny = true;
        tokens.take();
        while (!tokens.atEnd && !(tokens.next.is === "word" && /^(?:TR|DV)$/.test(tokens.next.text))) tokens.take();
      }
      tokens.takeSign(";");
    }
  }

  private transformation(): void {
    const name = this.word("the name of the transformation");
    const closing = this.opening();
    const formals: Formal[] = [];
    while (!this.tokens.takeSign(closing)) {
      const first = this.word("a parameter");
      const known = directions.includes(first.text) && this.tokens.next.is === "word";
      const formal = known ? this.tokens.take() : first;
      formals.push({
        name: formal.text,
        direction: known ? directionOf(first.text) : "none",
        start: first.start,
        end: formal.end,
      });
      if (this.tokens.takeSign("[")) this.sign("]");
      if (this.tokens.takeSign("=")) this.value();
      if (!this.tokens.takeSign(",") && !this.isNext(closing)) this.misread(`“,” or “${closing}”`);
    }
    const made: Transformation = {
      name: name.text,
      formals,
      program: undefined,
      args: [],
      start: name.start,
      end: name.end,
    };
    this.sign("{");
    while (!this.tokens.takeSign("}")) this.setting(made);
    this.transformations.push(made);
  }

  /** `app vanilla = "x";`, `arg stdin = ${input:a};`, `argument = "-v "${a};`, `exec = "x";` */
  private setting(made: Transformation): void {
    const kind = this.word("app or arg");
    const label = this.tokens.next.is === "word" ? this.tokens.take() : kind;
    this.sign("=");
    const parts = this.parts();
    const end = this.tokens.next.start;
    this.sign(";");
    if (kind.text === "app" || kind.text === "exec") {
      const [program] = parts;
      if (program && "text" in program) made.program = program.text;
      return;
    }
    if (kind.text === "arg" || kind.text === "argument") {
      made.args.push({ name: label === kind ? "" : label.text, parts, start: kind.start, end });
      return;
    }
    this.reports.warning(
      "not-kept",
      `“${kind.text}” of ${made.name} is not kept: nothing here corresponds to it.`,
      kind,
    );
  }

  private parts(): Part[] {
    const parts: Part[] = [];
    for (;;) {
      const { next } = this.tokens;
      if (next.is === "string") parts.push({ text: this.tokens.take().text });
      else if (this.isNext("${") || this.isNext("@{")) parts.push(this.reference());
      else if (parts.length === 0) this.misread("a string or ${…}");
      else return parts;
    }
  }

  /** `${output:a}`, `${:a}`, `${a}`; the direction written here is only a repetition, and not always right. */
  private reference(): Part {
    const { start } = this.tokens.take();
    const pieces: string[] = [];
    while (!this.isNext("}")) {
      const token = this.tokens.take();
      if (token.is === "end" || /[;{}]/.test(token.text)) this.misread("“}”");
      pieces.push(token.text);
    }
    const { end } = this.tokens.take();
    const inner = pieces.join("");
    return { formal: inner.slice(inner.lastIndexOf(":") + 1), start, end };
  }

  private derivation(): void {
    const first = this.word("the name of a derivation or transformation");
    const called = this.tokens.takeSign("->") ? this.word("the name of the transformation") : undefined;
    const closing = this.opening();
    const actuals: Actual[] = [];
    while (!this.tokens.takeSign(closing)) {
      const formal = this.word("a parameter");
      this.sign("=");
      const values = this.value();
      actuals.push({ formal: formal.text, values, start: formal.start, end: this.tokens.next.start });
      if (!this.tokens.takeSign(",") && !this.isNext(closing)) this.misread(`“,” or “${closing}”`);
    }
    this.derivations.push({
      ...(called && { name: first.text }),
      transformation: (called ?? first).text,
      actuals,
      start: first.start,
      end: (called ?? first).end,
    });
  }

  /** `@{input:f.a}`, a string, or several in brackets. */
  private value(): Actual["values"] {
    if (this.tokens.takeSign("[")) {
      const values: Actual["values"] = [];
      while (!this.tokens.takeSign("]")) {
        values.push(...this.value());
        if (!this.tokens.takeSign(",") && !this.isNext("]")) this.misread("“,” or “]”");
      }
      return values;
    }
    const { next } = this.tokens;
    if (next.is === "string") {
      const { text, start, end } = this.tokens.take();
      return [{ is: "text", text, start, end }];
    }
    if (!this.isNext("@{")) return this.misread("@{…}, a string or a list of them");
    this.tokens.take();
    const pieces: string[] = [];
    while (!this.isNext("}")) {
      const token = this.tokens.take();
      if (token.is === "end" || /[;{}]/.test(token.text)) this.misread("“}”");
      pieces.push(token.text);
    }
    const { end } = this.tokens.take();
    // `input:f.a`, also with a temporary name after it: `input:"f.a":"hint"`.
    const [, file = ""] = /^(?:input|output|inout|in|out)?:?(.*)$/s.exec(pieces.join("")) ?? [];
    return [{ is: "file", text: file, start: next.start, end }];
  }

  /** Parameters stand in parentheses; the thesis prints braces. */
  private opening(): ")" | "}" {
    if (this.tokens.takeSign("(")) return ")";
    this.sign("{");
    return "}";
  }

  private isNext(sign: string): boolean {
    return this.tokens.next.is === "sign" && this.tokens.next.text === sign;
  }

  private word(expected: string): Token {
    return this.tokens.next.is === "word" ? this.tokens.take() : this.misread(expected);
  }

  private sign(sign: string): Token {
    return this.tokens.takeSign(sign) ?? this.misread(`“${sign}”`);
  }

  private misread(expected: string): never {
    const { next } = this.tokens;
    this.reports.error("syntax", `Here should be ${expected}, not ${TokenReader.show(next)}.`, next);
    throw new Misread();
  }
}

function directionOf(word: string): Direction {
  if (word === "in" || word === "input") return "input";
  if (word === "out" || word === "output") return "output";
  return word === "inout" ? "inout" : "none";
}
