/**
 * Tokens → tree, by precedence climbing. Input length, nesting and height of the tree are bounded, so that
 * everything that later walks the tree recursively is safe. A text gives a tree or one problem with its place.
 */
import type { Problem, Span } from "@/core/problem";
import {
  type BinaryOperator,
  childrenOf,
  conditionalPrecedence,
  type Expr,
  errorLiteral,
  type LiteralExpr,
  precedence,
  type RecordAttribute,
  type RecordExpr,
  type UnaryOperator,
} from "./ast";
import { type Dialect, lex, type Token } from "./lex";
import { Real } from "./value";

export const maximumLength = 100_000;
const maximumNesting = 200;
const maximumHeight = 600;

export interface ParseOptions {
  dialect?: Dialect;
  /** How long the text may be; files of many records may be longer than one expression. */
  maximumLength?: number;
}
export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: Problem };

class Fault extends Error {
  constructor(
    message: string,
    readonly start: number,
    readonly end: number,
  ) {
    super(message);
  }
}

const unaryOperators: ReadonlySet<string> = new Set<UnaryOperator>(["-", "+", "!", "~"]);
const reserved = new Set(["true", "false", "undefined", "error", "is", "isnt"]);
export const isReserved = (name: string): boolean => reserved.has(name.toLowerCase());

/** One expression, all of the text. */
export function parseExpression(text: string, options: ParseOptions = {}): Parsed<Expr> {
  return parseWith(text, options, (parser) => parser.expression());
}

/** One record, `[ a = 1; b = 2 ]`. */
export function parseRecord(text: string, options: ParseOptions = {}): Parsed<RecordExpr> {
  return parseWith(text, options, (parser) => parser.record());
}

/** A file of records: `[…] […]` one after the other, commas allowed, or all in one list `{ […], […] }`. */
export function parseRecords(text: string, options: ParseOptions = {}): Parsed<RecordExpr[]> {
  return parseWith(text, options, (parser) => parser.records());
}

/** A line of an old-style ad: `Name = expression`. */
export function parseAssignment(text: string): Parsed<RecordAttribute> {
  return parseWith(text, {}, (parser) => parser.attribute(), true);
}

/** Files may begin with a byte order mark; a blank in its place leaves all others where they are. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
}

function parseWith<T>(
  written: string,
  options: ParseOptions,
  read: (parser: Parser) => T,
  oldStrings = false,
): Parsed<T> {
  const text = withoutMark(written);
  const limit = options.maximumLength ?? maximumLength;
  if (text.length > limit) {
    return failure(text, `The text is too long: ${text.length} characters, ${limit} are allowed.`, 0, 1, "too-long");
  }
  const dialect = options.dialect ?? "classad";
  const { tokens, fault } = lex(text, { dialect, oldStrings });
  // A fault of the lexer is told only if the parser gets that far: what is wrong first is told first.
  const parser = new Parser(tokens, dialect);
  try {
    const value = read(parser);
    parser.expectEnd();
    if (fault) return failure(text, fault.message, fault.start, fault.end);
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (fault && error.start >= fault.start) return failure(text, fault.message, fault.start, fault.end);
    return failure(text, error.message, error.start, error.end);
  }
}

function failure(
  text: string,
  message: string,
  start: number,
  end: number,
  code = "syntax",
): { ok: false; problem: Problem } {
  return {
    ok: false,
    problem: { severity: "error", code: `expression/${code}`, message, at: spanOf(text, start, end) },
  };
}

/** Lines and columns of a stretch of text. */
export function spanOf(text: string, start: number, end: number): Span {
  const place = (offset: number) => {
    const before = text.slice(0, Math.min(offset, text.length));
    const lastNewline = before.lastIndexOf("\n");
    return { line: before.split("\n").length, column: before.length - lastNewline };
  };
  const from = place(start);
  const to = place(end);
  return { line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
}

function describe(token: Token): string {
  switch (token.kind) {
    case "end":
      return "the end of the text";
    case "name":
      return `\`${token.text}\``;
    case "operator":
      return `\`${token.text}\``;
    case "string":
      return "a string";
    case "pattern":
      return "a pattern";
    default:
      return "a number";
  }
}

class Parser {
  private position = 0;
  private nesting = 0;
  constructor(
    private readonly tokens: readonly Token[],
    private readonly dialect: Dialect,
  ) {}

  private get token(): Token {
    return this.tokens[Math.min(this.position, this.tokens.length - 1)]!;
  }
  private get previousEnd(): number {
    return this.tokens[this.position - 1]?.end ?? 0;
  }
  private is(operator: string): boolean {
    return this.token.kind === "operator" && this.token.text === operator;
  }
  private take(operator: string): boolean {
    if (!this.is(operator)) return false;
    this.position++;
    return true;
  }
  private expect(operator: string, why: string): void {
    if (!this.take(operator)) this.fail(`\`${operator}\` was expected ${why}, but here is ${describe(this.token)}.`);
  }
  private fail(message: string, token: Token = this.token): never {
    throw new Fault(message, token.start, Math.max(token.end, token.start + 1));
  }
  private deeper<T>(read: () => T): T {
    if (++this.nesting > maximumNesting) this.fail(`The expression is nested more than ${maximumNesting} levels deep.`);
    const result = read();
    this.nesting--;
    return result;
  }

  expectEnd(): void {
    if (this.token.kind === "end") return;
    if (this.is("=")) this.fail("A comparison is written `==`; `=` only gives a name to a value inside `[ … ]`.");
    this.fail(`The expression is complete here; ${describe(this.token)} was not expected.`);
  }

  expression(): Expr {
    const expr = this.conditional();
    this.checkHeight(expr);
    return expr;
  }

  private checkHeight(expr: Expr): void {
    const pending: { node: Expr; height: number }[] = [{ node: expr, height: 1 }];
    for (let item = pending.pop(); item; item = pending.pop()) {
      if (item.height > maximumHeight) {
        const at = item.node.at ?? { start: 0, end: 1 };
        throw new Fault(
          `The expression has more than ${maximumHeight} operations inside one another.`,
          at.start,
          at.end,
        );
      }
      for (const child of childrenOf(item.node)) pending.push({ node: child, height: item.height + 1 });
    }
  }

  records(): RecordExpr[] {
    const records: RecordExpr[] = [];
    const listed = this.take("{");
    while (this.is("[")) {
      records.push(this.record());
      this.take(",");
    }
    if (listed) this.expect("}", "after the last record of the list");
    return records;
  }

  record(): RecordExpr {
    const start = this.token.start;
    this.expect("[", "at the start of a record");
    const expr = this.deeper(() => this.recordBody(start));
    this.checkHeight(expr);
    return expr;
  }

  private recordBody(start: number): RecordExpr {
    const attributes = new Map<string, RecordAttribute>();
    while (!this.take("]")) {
      if (this.take(";")) continue;
      const attribute = this.attribute();
      const key = attribute.name.toLowerCase();
      // Of two attributes of one name the last value counts, under the name and in the place of the first, as in HTCondor.
      attributes.set(key, { name: attributes.get(key)?.name ?? attribute.name, value: attribute.value });
      if (!this.is("]") && !this.is(";")) {
        this.fail(
          `\`;\` or \`]\` was expected after the value of \`${attribute.name}\`, but here is ${describe(this.token)}.`,
        );
      }
    }
    return { kind: "record", attributes: [...attributes.values()], at: { start, end: this.previousEnd } };
  }

  attribute(): RecordAttribute {
    const name = this.name("The name of an attribute");
    this.expect("=", `after the name \`${name}\``);
    return { name, value: this.conditional() };
  }

  private name(what: string): string {
    const token = this.token;
    if (token.kind !== "name") this.fail(`${what} was expected, but here is ${describe(token)}.`);
    if (!token.quoted && isReserved(token.text)) {
      this.fail(`\`${token.text}\` is a word of the language; as a name it is written '${token.text}'.`);
    }
    this.position++;
    return token.text;
  }

  private conditional(): Expr {
    return this.deeper(() => {
      const test = this.binary(conditionalPrecedence + 1);
      if (!this.take("?")) return test;
      const start = test.at?.start ?? 0;
      const whenTrue = this.conditional();
      this.expect(":", "between the two answers of `?`");
      const otherwise = this.conditional();
      return { kind: "conditional", test, whenTrue, otherwise, at: { start, end: this.previousEnd } };
    });
  }

  private binaryOperator(): BinaryOperator | undefined {
    const token = this.token;
    if (token.kind === "name" && !token.quoted) {
      const word = token.text.toLowerCase();
      return word === "is" ? "=?=" : word === "isnt" ? "=!=" : undefined;
    }
    return token.kind === "operator" && isBinaryOperator(token.text) ? token.text : undefined;
  }

  private binary(lowest: number): Expr {
    let left = this.unary();
    while (true) {
      const operator = this.binaryOperator();
      if (!operator || precedence[operator] < lowest) return left;
      this.position++;
      const right = this.binary(precedence[operator] + 1);
      left = { kind: "binary", operator, left, right, at: { start: left.at?.start ?? 0, end: this.previousEnd } };
    }
  }

  private unary(): Expr {
    const token = this.token;
    if (token.kind !== "operator" || !isUnaryOperator(token.text)) return this.postfix();
    this.position++;
    const operator = token.text;
    const next = this.token;
    const operand = this.deeper(() => this.unary());
    const at = { start: token.start, end: this.previousEnd };
    // `-5` is the number minus five. `- 5` and `-(5)` stay operations, as in HTCondor, so that every tree can be written down.
    if (operator === "-" && operand.kind === "literal" && next.start === token.end) {
      const negative = negated(operand, next);
      if (negative) return { kind: "literal", value: negative.value, at };
    }
    return { kind: "unary", operator, operand, at };
  }

  private postfix(): Expr {
    let expr = this.primary();
    const start = expr.at?.start ?? 0;
    while (true) {
      if (this.take(".")) {
        const name = this.name("The name of an attribute after `.`");
        expr = { kind: "reference", scope: expr, name, at: { start, end: this.previousEnd } };
      } else if (this.take("[")) {
        const index = this.conditional();
        this.expect("]", "after the subscript");
        expr = { kind: "subscript", base: expr, index, at: { start, end: this.previousEnd } };
      } else if (this.isElvis()) {
        // HTCondor binds `a ?: b` tighter than any other operator: `Memory ?: 0 > 100` compares what `?:` gives.
        this.position += 2;
        const otherwise = this.deeper(() => this.unary());
        return { kind: "conditional", test: expr, otherwise, at: { start, end: this.previousEnd } };
      } else return expr;
    }
  }

  private isElvis(): boolean {
    const next = this.tokens[this.position + 1];
    return this.is("?") && next?.kind === "operator" && next.text === ":";
  }

  /** Whether the token before is a minus that belongs to the number, not a subtraction. */
  private followsSign(): boolean {
    const sign = this.tokens[this.position - 1];
    const before = this.tokens[this.position - 2];
    if (sign?.kind !== "operator" || sign.text !== "-" || sign.end !== this.token.start) return false;
    if (!before) return true;
    return before.kind === "operator"
      ? !/^[)\]}]$/.test(before.text)
      : before.kind === "name" && isReserved(before.text);
  }

  private primary(): Expr {
    const token = this.token;
    const at = { start: token.start, end: token.end };
    switch (token.kind) {
      case "integer":
        if (token.number === 2n ** 63n && !this.followsSign()) this.fail("This integer does not fit into 64 bits.");
        this.position++;
        return { kind: "literal", value: token.number ?? 0, at };
      case "real":
        this.position++;
        return { kind: "literal", value: new Real(Number(token.number)), at };
      case "string":
        this.position++;
        return { kind: "literal", value: token.text, at };
      case "name":
        return this.named(token);
      case "operator":
        return this.bracketed(token);
      case "pattern":
        return this.fail("A pattern between slashes may only stand as an argument of `regexp`.");
      case "end":
        return this.fail("The expression ends here, but a value is missing.");
    }
  }

  private named(token: Token): Expr {
    const at = { start: token.start, end: token.end };
    const word = token.quoted ? "" : token.text.toLowerCase();
    if (word === "is" || word === "isnt")
      this.fail(`\`${token.text}\` stands between two values; the left one is missing.`);
    this.position++;
    if (word === "true" || word === "false") return { kind: "literal", value: word === "true", at };
    if (word === "undefined") return { kind: "literal", value: undefined, at };
    if (word === "error") return { kind: "literal", value: errorLiteral, at };
    if (!token.quoted && this.take("(")) return this.call(token);
    return { kind: "reference", name: token.text, at };
  }

  private call(name: Token): Expr {
    const args: Expr[] = [];
    let pattern: Token | undefined;
    if (!this.take(")")) {
      do {
        if (this.token.kind === "pattern") {
          pattern = this.token;
          this.position++;
          args.push({
            kind: "literal",
            value: patternText(pattern.text),
            at: { start: pattern.start, end: pattern.end },
          });
        } else args.push(this.conditional());
      } while (this.take(","));
      this.expect(")", `after the arguments of \`${name.text}\``);
    }
    const swaps = this.dialect === "gridbot" && name.text.toLowerCase() === "regexp" && args.length >= 2;
    if (pattern && !swaps) this.fail("A pattern between slashes may only stand as an argument of `regexp`.", pattern);
    // GridBot writes regexp(target, pattern): turned into HTCondor's order here, once, unless it already is in it.
    if (swaps && !(isText(args[0]) && !isText(args[1]))) [args[0], args[1]] = [args[1]!, args[0]!];
    return { kind: "call", name: name.text, arguments: args, at: { start: name.start, end: this.previousEnd } };
  }

  private bracketed(token: Token): Expr {
    if (this.take("(")) {
      const inner = this.conditional();
      this.expect(")", "to close the parenthesis");
      const parentheses = (inner.parentheses ?? 0) + 1;
      return { ...inner, parentheses, at: { start: token.start, end: this.previousEnd } };
    }
    if (this.take("{")) {
      const elements: Expr[] = [];
      if (!this.take("}")) {
        do elements.push(this.conditional());
        while (this.take(","));
        this.expect("}", "to close the list");
      }
      return { kind: "list", elements, at: { start: token.start, end: this.previousEnd } };
    }
    if (this.take("[")) return this.deeper(() => this.recordBody(token.start));
    if (this.take(".")) {
      const name = this.name("The name of an attribute after `.`");
      return { kind: "reference", name, absolute: true, at: { start: token.start, end: this.previousEnd } };
    }
    if (token.text === "=") this.fail("A comparison is written `==`; `=` only gives a name to a value inside `[ … ]`.");
    return this.fail(`A value was expected, but here is ${describe(token)}.`);
  }
}

const isText = (expr: Expr | undefined) => expr?.kind === "literal" && typeof expr.value === "string";
const isUnaryOperator = (text: string): text is UnaryOperator => unaryOperators.has(text);
const isBinaryOperator = (text: string): text is BinaryOperator => Object.hasOwn(precedence, text);

function negated(operand: LiteralExpr, token: Token): { value: number | bigint | Real } | undefined {
  // Only a number that follows at once: in `--5` the operand is already negative and stays an operand.
  if (token.kind !== "integer" && token.kind !== "real") return undefined;
  const value = operand.value;
  if (typeof value === "number")
    return value > 0 ? { value: -value } : value === 0 && !Object.is(value, -0) ? { value: 0 } : undefined;
  if (typeof value === "bigint") return value > 0n ? { value: -value } : undefined;
  if (value instanceof Real)
    return Object.is(value.value, -0) || value.value < 0 ? undefined : { value: new Real(-value.value) };
  return undefined;
}

/** GridBot's Figure 3 has the pattern `*myhost*`, which is no regular expression but a shell pattern. */
function patternText(pattern: string): string {
  if (!/^[*?+]/.test(pattern)) return pattern;
  return pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/\*/g, ".*")
    .replace(/\?/g, ".");
}
