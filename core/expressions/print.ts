/**
 * Tree → text. `printExpression` gives the shortest text that parses to the same tree: only the parentheses
 * and blanks that are needed, the shorter spelling of numbers. `"spaced"` has the same parentheses with the
 * blanks people write, for messages and forms. `CondorStyle` has the blanks and spellings of HTCondor's own tools, and every
 * pair of parentheses that was written.
 */
import {
  type BinaryExpr,
  type BinaryOperator,
  chainOperands,
  conditionalPrecedence,
  type Expr,
  elvisPrecedence,
  type LiteralExpr,
  postfixPrecedence,
  precedence,
  type RecordAttribute,
  unaryPrecedence,
} from "./ast";
import { isReserved } from "./parse";
import { Real } from "./value";

/** What differs between HTCondor's tools: how reals and text are spelled, and `=?=` or `is`. */
export interface CondorStyle {
  real(value: number): string;
  text(value: string): string;
  identity: { "=?=": string; "=!=": string };
}
export type PrintStyle = "shortest" | "spaced" | CondorStyle;

export function printExpression(expr: Expr, style: PrintStyle = "shortest"): string {
  return new Printer(style !== "shortest", typeof style === "object" ? style : undefined).print(expr);
}

/** The order in which HTCondor prints the attributes of a record: short names first, those of a length by the alphabet. */
export function attributeOrder(names: readonly string[]): string[] {
  const key = (name: string) => name.toLowerCase();
  return names.toSorted((a, b) => a.length - b.length || (key(a) < key(b) ? -1 : 1));
}

/** A name as it is written: between single quotes if it is not a plain word. */
export function printName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !isReserved(name) ? name : `'${escapeText(name, "'")}'`;
}

export function printString(text: string): string {
  return `"${escapeText(text, '"')}"`;
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  "\\": "\\\\",
};

function escapeText(text: string, quote: string): string {
  let result = "";
  const characters = [...text];
  for (const [i, character] of characters.entries()) {
    const code = character.charCodeAt(0);
    if (character === quote) result += `\\${quote}`;
    else if (escapes[character]) result += escapes[character];
    else if (code < 32 || code === 127) {
      // Three octal digits are needed only if another digit follows.
      const octal = code.toString(8);
      result += `\\${/^[0-7]/.test(characters[i + 1] ?? "") ? octal.padStart(3, "0") : octal}`;
    } else result += character;
  }
  return result;
}

/** The shortest literal that reads as this real and as no integer. */
export function printReal(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "1e999";
  if (value < 0 || Object.is(value, -0)) return `-${printReal(-value)}`;
  const plain = String(value).replace("e+", "e");
  const candidates: string[] = [];
  if (plain.includes("e")) candidates.push(plain);
  else {
    candidates.push(plain.includes(".") ? plain.replace(/^0\./, ".") : value === 0 ? ".0" : `${plain}.0`);
    const zeros = /^([1-9]\d*?)(0{2,})$/.exec(plain);
    if (zeros) candidates.push(`${zeros[1]}e${zeros[2]!.length}`);
    const small = /^0\.0*([1-9]\d*)$/.exec(plain);
    if (small) candidates.push(`${small[1]}e-${plain.length - 2}`);
  }
  return candidates.reduce((best, candidate) => (candidate.length < best.length ? candidate : best));
}

class Printer {
  constructor(
    private readonly spaced: boolean,
    private readonly condor: CondorStyle | undefined,
  ) {}

  print(expr: Expr): string {
    const written = this.written(expr);
    return written === 0 ? this.bare(expr) : "(".repeat(written) + this.bare(expr) + ")".repeat(written);
  }

  /** The pairs of parentheses that are printed because they were written. */
  private written(expr: Expr): number {
    return (this.condor && expr.parentheses) || 0;
  }

  /** How tightly a part holds together as it is printed: what stands in parentheses, like a name. */
  private level(expr: Expr): number {
    return this.written(expr) > 0 ? postfixPrecedence : levelOf(expr);
  }

  private bare(expr: Expr): string {
    switch (expr.kind) {
      case "literal":
        return this.literal(expr);
      case "reference":
        if (expr.scope) return `${this.base(expr.scope)}.${printName(expr.name)}`;
        return (expr.absolute ? "." : "") + printName(expr.name);
      case "unary":
        return (this.condor ? " " : "") + expr.operator + this.unaryOperand(expr.operator, expr.operand);
      case "binary":
        return this.binary(expr);
      case "conditional":
        return this.conditional(expr);
      case "subscript":
        return `${this.base(expr.base)}[${this.print(expr.index)}]`;
      case "call":
        return `${expr.name}(${this.join(expr.arguments)})`;
      case "list":
        return this.condor ? `{ ${this.join(expr.elements)} }` : `{${this.join(expr.elements)}}`;
      case "record": {
        const attributes = this.ordered(expr.attributes).map((attribute) =>
          this.spaced
            ? `${printName(attribute.name)} = ${this.print(attribute.value)}`
            : `${printName(attribute.name)}=${this.print(attribute.value)}`,
        );
        return this.spaced ? `[ ${attributes.join("; ")} ]` : `[${attributes.join(";")}]`;
      }
    }
  }

  private ordered(attributes: readonly RecordAttribute[]): readonly RecordAttribute[] {
    if (!this.condor) return attributes;
    const byName = new Map(attributes.map((attribute) => [attribute.name, attribute]));
    return attributeOrder([...byName.keys()]).map((name) => byName.get(name)!);
  }

  private join(parts: readonly Expr[]): string {
    return parts.map((part) => this.print(part)).join(this.spaced && !this.condor ? ", " : ",");
  }

  private literal(expr: LiteralExpr): string {
    const value = expr.value;
    if (value === undefined) return "undefined";
    if (typeof value === "string") return this.condor ? this.condor.text(value) : printString(value);
    if (value instanceof Real) {
      if (this.condor) return this.condor.real(value.value);
      if (!this.spaced) return printReal(value.value);
      return printReal(value.value).replace(/^(-?)\./, "$10.");
    }
    if (typeof value === "object") return "error";
    return String(value);
  }

  /** What `.name` or `[index]` is applied to. */
  private base(expr: Expr): string {
    const text = this.print(expr);
    // `1.a` would be read as a number; a negative number is an operation as far as binding goes.
    const isNumber =
      expr.kind === "literal" &&
      (typeof expr.value === "number" || typeof expr.value === "bigint" || expr.value instanceof Real);
    const needed = isNumber ? this.written(expr) === 0 : this.level(expr) < postfixPrecedence;
    return needed ? `(${text})` : text;
  }

  private unaryOperand(operator: string, operand: Expr): string {
    const text = this.print(operand);
    // `-5` is a literal, so the minus of an operation keeps its distance from a plain number; HTCondor prints both alike.
    if (operator === "-" && !this.condor && operand.kind === "literal" && /^[\d.]/.test(text)) return ` ${text}`;
    return this.level(operand) < unaryPrecedence ? `(${text})` : text;
  }

  private binary(expr: BinaryExpr): string {
    const level = precedence[expr.operator];
    const operands = chainOperands(expr, { acrossParentheses: !this.condor });
    let text = this.operand(operands[0]!, level);
    for (let i = 1; i < operands.length; i++) {
      const right = this.operand(operands[i]!, level + 1);
      if (this.spaced) text = `${text} ${this.spelled(expr.operator)} ${right}`;
      // `is` is shorter than `=?=` only where it needs no blanks.
      else if (expr.operator === "=?=" && !/[\w.]$/.test(text) && !/^[\w.]/.test(right)) text = `${text}is${right}`;
      else if (needsBlank(expr.operator, right)) text = `${text}${expr.operator} ${right}`;
      else text = text + expr.operator + right;
    }
    return text;
  }

  private spelled(operator: BinaryOperator): string {
    return this.condor && (operator === "=?=" || operator === "=!=") ? this.condor.identity[operator] : operator;
  }

  private operand(expr: Expr, lowest: number): string {
    const text = this.print(expr);
    return this.level(expr) < lowest ? `(${text})` : text;
  }

  private conditional(expr: Extract<Expr, { kind: "conditional" }>): string {
    if (!expr.whenTrue) return this.elvis(expr.test, this.operand(expr.otherwise, unaryPrecedence));
    const test = this.operand(expr.test, conditionalPrecedence + 1);
    const otherwise = this.print(expr.otherwise);
    const then = this.print(expr.whenTrue);
    return this.spaced ? `${test} ? ${then} : ${otherwise}` : `${test}?${then}:${otherwise}`;
  }

  private elvis(left: Expr, otherwise: string): string {
    const text = this.operand(left, postfixPrecedence);
    // The minus of a negative number would apply to the whole.
    const test = left.kind === "literal" && text.startsWith("-") ? `(${text})` : text;
    return this.spaced ? `${test} ?: ${otherwise}` : `${test}?:${otherwise}`;
  }
}

/** A slash and a star or slash would start a comment. */
function needsBlank(operator: string, right: string): boolean {
  return operator === "/" && /^[/*]/.test(right);
}

function levelOf(expr: Expr): number {
  if (expr.kind === "conditional") return expr.whenTrue ? conditionalPrecedence : elvisPrecedence;
  if (expr.kind === "binary") return precedence[expr.operator];
  if (expr.kind === "unary") return unaryPrecedence;
  return postfixPrecedence;
}
