/**
 * LDAP search filters (RFC 4515) → ClassAd, as the requirement files of the first GridWay used them against MDS:
 * `(Mds-Memory-Ram-freeMB>=512)`. Values that look like numbers are compared as numbers, others as text without
 * regard to case, as LDAP does.
 */
import type { Problem } from "@/core/problem";
import { binary, call, type Expr, literal, not, reference } from "../ast";
import { type Parsed, spanOf } from "../parse";
import { Real } from "../value";
import { mdsAttribute } from "./attributes";

class Fault extends Error {
  constructor(
    message: string,
    readonly start: number,
  ) {
    super(message);
  }
}

const maximumLength = 100_000;
const maximumNesting = 100;

export function translateLdapFilter(text: string): Parsed<Expr> {
  const problem = (message: string, start: number): { ok: false; problem: Problem } => ({
    ok: false,
    problem: { severity: "error", code: "ldap/filter", message, at: spanOf(text, start, start + 1) },
  });
  if (text.length > maximumLength) return problem("The filter is too long.", 0);
  if (text.trim() === "") return { ok: true, value: literal(true) };
  try {
    const reader = new Reader(text);
    // People write a single comparison without its parentheses.
    const value = text.trimStart().startsWith("(") ? reader.filter(0) : reader.bare();
    reader.end();
    return { ok: true, value };
  } catch (fault) {
    if (fault instanceof Fault) return problem(fault.message, fault.start);
    throw fault;
  }
}

class Reader {
  private position = 0;
  constructor(private readonly text: string) {}

  private skip(): void {
    while (/\s/.test(this.text.charAt(this.position))) this.position++;
  }
  private expect(character: string, what: string): void {
    this.skip();
    if (this.text[this.position] !== character)
      throw new Fault(`\`${character}\` was expected ${what}.`, this.position);
    this.position++;
  }

  end(): void {
    this.skip();
    if (this.position < this.text.length)
      throw new Fault("The filter is complete here; more was not expected.", this.position);
  }

  filter(depth: number): Expr {
    if (depth > maximumNesting) throw new Fault("The filter is nested too deeply.", this.position);
    this.expect("(", "at the start of a filter");
    this.skip();
    const kind = this.text[this.position];
    let expr: Expr;
    if (kind === "&" || kind === "|") {
      this.position++;
      expr = this.joined(kind, depth);
    } else if (kind === "!") {
      this.position++;
      expr = not(this.filter(depth + 1));
    } else expr = this.comparison();
    this.expect(")", "at the end of a filter");
    return expr;
  }

  private joined(kind: "&" | "|", depth: number): Expr {
    const parts: Expr[] = [];
    for (this.skip(); this.text[this.position] === "("; this.skip()) parts.push(this.filter(depth + 1));
    // RFC 4526: `(&)` is always true, `(|)` always false.
    const [first, ...others] = parts;
    if (!first) return literal(kind === "&");
    return others.reduce<Expr>((left, right) => binary(kind === "&" ? "&&" : "||", left, right), first);
  }

  bare(): Expr {
    return this.comparison();
  }

  private comparison(): Expr {
    this.skip();
    const start = this.position;
    const match = /^([A-Za-z][A-Za-z0-9.;_-]*)\s*(>=|<=|~=|=)/.exec(this.text.slice(start, start + 300));
    if (!match) throw new Fault("A comparison such as `(name>=value)` was expected.", start);
    this.position += match[0].length;
    const valueStart = this.position;
    while (this.position < this.text.length && !/[()]/.test(this.text.charAt(this.position))) {
      this.position += this.text[this.position] === "\\" ? 3 : 1;
    }
    const raw = this.text.slice(valueStart, this.position).trim();
    return compare(match[1]!, match[2]!, raw, valueStart);
  }
}

function compare(name: string, operator: string, raw: string, at: number): Expr {
  const attribute = mdsAttribute(name);
  const plain = reference(attribute.name);
  if (operator === "=" && raw === "*") return binary("=!=", plain, literal(undefined));
  if (operator === "=" && raw.includes("*")) {
    const regex = raw
      .split("*")
      .map((piece) => unescapeValue(piece, at).replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*");
    return call("regexp", literal(`^${regex}\\z`), plain, literal("i"));
  }
  const text = unescapeValue(raw, at);
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  const value = isNumber ? literal(numberOf(text)) : literal(text);
  const left = isNumber && attribute.divisor ? binary("/", plain, literal(attribute.divisor)) : plain;
  return binary(operator === ">=" ? ">=" : operator === "<=" ? "<=" : "==", left, value);
}

function numberOf(text: string): number | Real {
  const value = Number(text);
  return Number.isSafeInteger(value) && !text.includes(".") ? value : new Real(value);
}

function unescapeValue(text: string, at: number): string {
  if (/\\(?![0-9a-fA-F]{2})/.test(text)) throw new Fault("A backslash must be followed by two hexadecimal digits.", at);
  return text.replace(/(?:\\[0-9a-fA-F]{2})+/g, (run) => {
    const bytes = run
      .slice(1)
      .split("\\")
      .map((pair) => Number.parseInt(pair, 16));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  });
}
