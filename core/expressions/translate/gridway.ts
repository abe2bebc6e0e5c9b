/**
 * GridWay's REQUIREMENTS and RANK → ClassAd. Its grammar is its own: `=`, `!=`, `<`, `>` compare, text is compared as a
 * shell pattern, and `&`, `|`, `!` share one level of precedence and are taken from the left, so that
 * `a | b & c` is `(a | b) & c`. An empty requirement is true, an empty rank 0.
 */
import type { Problem } from "@/core/problem";
import { binary, type Expr, literal, not, reference } from "../ast";
import { type Parsed, spanOf } from "../parse";
import { Real } from "../value";
import { gridwayAttribute } from "./attributes";
import { matchesShellPattern } from "./wildcard";

interface Token {
  kind: "name" | "number" | "string" | "operator" | "end";
  text: string;
  start: number;
  end: number;
}
class Fault extends Error {
  constructor(
    message: string,
    readonly token: { start: number; end: number },
  ) {
    super(message);
  }
}

const maximumLength = 100_000;
const maximumNesting = 150;

export function translateGridwayRequirement(text: string): Parsed<Expr> {
  return translate(text, (reader) => (reader.empty ? literal(true) : reader.requirement()));
}

export function translateGridwayRank(text: string): Parsed<Expr> {
  return translate(text, (reader) => (reader.empty ? literal(0) : reader.sum()));
}

function translate(text: string, read: (reader: Reader) => Expr): Parsed<Expr> {
  const problem = (message: string, start: number, end: number): { ok: false; problem: Problem } => ({
    ok: false,
    problem: { severity: "error", code: "gridway/expression", message, at: spanOf(text, start, end) },
  });
  if (text.length > maximumLength) return problem("The expression is too long.", 0, 1);
  try {
    const reader = new Reader(tokens(text));
    const value = read(reader);
    reader.end();
    return { ok: true, value };
  } catch (fault) {
    if (fault instanceof Fault) return problem(fault.message, fault.token.start, fault.token.end);
    throw fault;
  }
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  const pattern = /\s+|([A-Za-z_][A-Za-z0-9_]*)|(\d+(?:\.\d+)?)|"([^"]*)"|(!=|[=<>&|!()+\-*/;])/y;
  while (pattern.lastIndex < text.length) {
    const start = pattern.lastIndex;
    const match = pattern.exec(text);
    if (!match) {
      const unclosed = text[start] === '"';
      throw new Fault(
        unclosed
          ? 'This text is never closed: `"` is missing.'
          : `\`${text[start]}\` has no meaning in a GridWay expression.`,
        { start, end: start + 1 },
      );
    }
    const [, name, number, string, operator] = match;
    const end = pattern.lastIndex;
    if (name !== undefined) found.push({ kind: "name", text: name, start, end });
    else if (number !== undefined) found.push({ kind: "number", text: number, start, end });
    else if (string !== undefined) found.push({ kind: "string", text: string, start, end });
    else if (operator !== undefined) found.push({ kind: "operator", text: operator, start, end });
  }
  found.push({ kind: "end", text: "", start: text.length, end: text.length + 1 });
  return found;
}

class Reader {
  private position = 0;
  private nesting = 0;
  constructor(private readonly tokens: readonly Token[]) {}

  private get token(): Token {
    return this.tokens[Math.min(this.position, this.tokens.length - 1)]!;
  }
  get empty(): boolean {
    return this.token.kind === "end" || (this.token.text === ";" && this.token.kind === "operator");
  }
  private take(...operators: string[]): string | undefined {
    const { kind, text } = this.token;
    if (kind !== "operator" || !operators.includes(text)) return undefined;
    this.position++;
    return text;
  }
  private fail(expected: string): never {
    const here = this.token.kind === "end" ? "the expression ends" : `here is \`${this.token.text}\``;
    throw new Fault(`${expected} was expected, but ${here}.`, this.token);
  }
  private nested(read: () => Expr): Expr {
    if (++this.nesting > maximumNesting) throw new Fault("The expression is nested too deeply.", this.token);
    const expr = read();
    this.nesting--;
    return expr;
  }

  end(): void {
    this.take(";");
    if (this.token.kind !== "end") this.fail("The end of the expression");
  }

  requirement(): Expr {
    let left = this.condition();
    for (let operator = this.take("&", "|"); operator; operator = this.take("&", "|")) {
      left = binary(operator === "&" ? "&&" : "||", left, this.condition());
    }
    return left;
  }

  private condition(): Expr {
    if (this.take("!")) return not(this.nested(() => this.condition()));
    if (this.take("(")) {
      const inner = this.nested(() => this.requirement());
      if (!this.take(")")) this.fail("`)`");
      return inner;
    }
    const name = this.token;
    if (name.kind !== "name") this.fail("The name of an attribute");
    this.position++;
    const operator = this.take("=", "!=", "<", ">") ?? this.fail("`=`, `!=`, `<` or `>`");
    return this.comparison(name.text, operator);
  }

  private comparison(name: string, operator: string): Expr {
    const attribute = gridwayAttribute(name);
    const sign = this.take("-") ? -1 : 1;
    const value = this.token;
    if (value.kind === "string") {
      if (operator !== "=" && operator !== "!=") this.fail("A number");
      this.position++;
      const matches = matchesShellPattern(reference(attribute.name), value.text);
      return operator === "=" ? matches : not(matches);
    }
    if (value.kind !== "number") this.fail("A number or a text between double quotes");
    this.position++;
    const left = scaled(attribute);
    const right = literal(numberLiteral(value.text, sign));
    return binary(operator === "=" ? "==" : operator === "!=" ? "!=" : operator === "<" ? "<" : ">", left, right);
  }

  sum(): Expr {
    let left = this.product();
    for (let operator = this.take("+", "-"); operator; operator = this.take("+", "-")) {
      left = binary(operator === "+" ? "+" : "-", left, this.product());
    }
    return left;
  }

  private product(): Expr {
    let left = this.factor();
    for (let operator = this.take("*", "/"); operator; operator = this.take("*", "/")) {
      left = binary(operator === "*" ? "*" : "/", left, this.factor());
    }
    return left;
  }

  private factor(): Expr {
    if (this.take("-")) {
      if (this.token.kind === "number") return literal(numberLiteral(this.tokens[this.position++]!.text, -1));
      return { kind: "unary", operator: "-", operand: this.nested(() => this.factor()) };
    }
    if (this.take("(")) {
      const inner = this.nested(() => this.sum());
      if (!this.take(")")) this.fail("`)`");
      return inner;
    }
    const token = this.token;
    if (token.kind !== "number" && token.kind !== "name") this.fail("A number or the name of an attribute");
    this.position++;
    return token.kind === "number" ? literal(numberLiteral(token.text, 1)) : scaled(gridwayAttribute(token.text));
  }
}

function numberLiteral(text: string, sign: number): number | Real {
  const value = sign * Number(text);
  return text.includes(".") || !Number.isSafeInteger(value) ? new Real(value) : value + 0;
}

function scaled(attribute: { name: string; divisor?: number }): Expr {
  return attribute.divisor
    ? binary("/", reference(attribute.name), literal(attribute.divisor))
    : reference(attribute.name);
}
