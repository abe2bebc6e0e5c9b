/**
 * A requirement as rows: attribute, operator, value, joined by all, any or none (PO-5). Every set of rows is an
 * expression; of expressions, those made of comparisons of one attribute with one constant are rows. Any other stays text:
 * `toRows` answers nothing for it, so that nothing is lost.
 */
import { binary, call, chainOperands, type Expr, type LiteralExpr, literal, not, type ReferenceExpr } from "../ast";
import { parseExpression } from "../parse";
import { printExpression } from "../print";
import { Real } from "../value";

export type Join = "all" | "any" | "none";

export interface Rows {
  is: "rows";
  join: Join;
  items: (Row | Rows)[];
}

export interface Row {
  is: "row";
  /** A name, also with what it belongs to: `Memory`, `Host.Memory`. */
  attribute: string;
  operator: RowOperator;
  value: RowValue;
}

export type RowValue =
  | { is: "text"; text: string }
  | { is: "number"; text: string }
  | { is: "truth"; text: "true" | "false" };

const comparisons = ["==", "!=", "<", "<=", ">", ">=", "=?=", "=!="] as const;
type Comparison = (typeof comparisons)[number];
/** `matches` is a pattern (regexp), `among` a list of words with commas between them. */
export type RowOperator = Comparison | "matches" | "among";
export const rowOperators: readonly RowOperator[] = [...comparisons, "matches", "among"];

const mirrored: Readonly<Record<Comparison, Comparison>> = {
  "==": "==",
  "!=": "!=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
  "=?=": "=?=",
  "=!=": "=!=",
};

/** Deeper nesting than this is read better as text. */
const maxDepth = 6;
const maxRows = 200;

export const noRows: Rows = { is: "rows", join: "all", items: [] };

/** Undefined: it says more than rows can. */
export function toRows(expr: Expr): Rows | undefined {
  const count = { rows: 0 };
  const read = itemOf(expr, 0, count);
  if (!read) return undefined;
  return read.is === "rows" ? read : { is: "rows", join: "all", items: [read] };
}

function itemOf(expr: Expr, depth: number, count: { rows: number }): Row | Rows | undefined {
  if (depth > maxDepth) return undefined;
  if (expr.kind === "literal" && expr.value === true) return noRows;
  if (expr.kind === "binary" && (expr.operator === "&&" || expr.operator === "||")) {
    return groupOf(expr.operator === "&&" ? "all" : "any", chainOperands(expr), depth, count);
  }
  if (expr.kind === "unary" && expr.operator === "!") {
    const { operand } = expr;
    const operands = operand.kind === "binary" && operand.operator === "||" ? chainOperands(operand) : [operand];
    return groupOf("none", operands, depth, count);
  }
  count.rows += 1;
  return count.rows > maxRows ? undefined : rowOf(expr);
}

function groupOf(join: Join, operands: readonly Expr[], depth: number, count: { rows: number }): Rows | undefined {
  const items: (Row | Rows)[] = [];
  for (const operand of operands) {
    const item = itemOf(operand, depth + 1, count);
    // `true` among others would be a group of nothing, which means something else.
    if (!item || (item.is === "rows" && item.items.length === 0)) return undefined;
    items.push(item);
  }
  return { is: "rows", join, items };
}

function rowOf(expr: Expr): Row | undefined {
  if (expr.kind === "call") return callRow(expr.name, expr.arguments);
  if (expr.kind !== "binary") return undefined;
  const operator = comparisons.find((one) => one === expr.operator);
  if (!operator) return undefined;
  const { left, right } = expr;
  if (isName(left)) return comparisonRow(left, operator, right);
  return isName(right) ? comparisonRow(right, mirrored[operator], left) : undefined;
}

function comparisonRow(name: ReferenceExpr, operator: Comparison, constant: Expr): Row | undefined {
  const value = constantIn(constant);
  return value && { is: "row", attribute: printExpression(name, "spaced"), operator, value };
}

function callRow(name: string, [first, second, ...others]: readonly Expr[]): Row | undefined {
  if (!first || !second || others.length > 0) return undefined;
  const is = (known: string) => name.toLowerCase() === known;
  if (is("regexp") && isText(first) && isName(second)) return textRow(second, "matches", first.value);
  if (is("stringlistimember") && isName(first) && isText(second)) return textRow(first, "among", second.value);
  return undefined;
}

function textRow(name: ReferenceExpr, operator: "matches" | "among", text: string): Row {
  return { is: "row", attribute: printExpression(name, "spaced"), operator, value: { is: "text", text } };
}

function isText(expr: Expr): expr is LiteralExpr & { value: string } {
  return expr.kind === "literal" && typeof expr.value === "string";
}

function isName(expr: Expr): expr is ReferenceExpr {
  if (expr.kind !== "reference" || expr.absolute) return false;
  return !expr.scope || (expr.scope.kind === "reference" && !expr.scope.scope && !expr.scope.absolute);
}

function constantIn(expr: Expr): RowValue | undefined {
  if (expr.kind === "unary" && expr.operator === "-") {
    const positive = constantIn(expr.operand);
    return positive?.is === "number" && !positive.text.startsWith("-")
      ? { is: "number", text: `-${positive.text}` }
      : undefined;
  }
  if (expr.kind !== "literal") return undefined;
  const { value } = expr;
  if (typeof value === "string") return { is: "text", text: value };
  if (typeof value === "boolean") return { is: "truth", text: value ? "true" : "false" };
  const isNumber = typeof value === "number" || typeof value === "bigint" || value instanceof Real;
  return isNumber ? { is: "number", text: printExpression({ kind: "literal", value }, "spaced") } : undefined;
}

/** The expression rows stand for; rows that are not filled in yet are left out. */
export function fromRows(rows: Rows): Expr {
  return groupExpr(rows) ?? literal(true);
}

function groupExpr({ join, items }: Rows): Expr | undefined {
  const parts = items.flatMap((item) => (item.is === "row" ? rowExpr(item) : groupExpr(item)) ?? []);
  if (parts.length === 0) return undefined;
  const together = parts.reduce((left, right) => binary(join === "all" ? "&&" : "||", left, right));
  return join === "none" ? not(together) : together;
}

function rowExpr(row: Row): Expr | undefined {
  if (rowProblem(row) !== undefined) return undefined;
  const parsed = parseExpression(row.attribute);
  if (!parsed.ok) return undefined;
  const name = parsed.value;
  const { operator, value } = row;
  if (operator === "matches") return call("regexp", literal(value.text), name);
  if (operator === "among") return call("stringListIMember", name, literal(value.text));
  return binary(operator, name, constantOf(value));
}

function constantOf(value: RowValue): Expr {
  if (value.is === "text") return literal(value.text);
  if (value.is === "truth") return literal(value.text === "true");
  const parsed = parseExpression(value.text);
  return parsed.ok ? parsed.value : literal(undefined);
}

/** What keeps a row from counting: nothing, or a sentence. */
export function rowProblem({ attribute, operator, value }: Row): string | undefined {
  if (attribute.trim() === "") return "Choose an attribute.";
  const parsed = parseExpression(attribute);
  if (!parsed.ok || !isName(parsed.value)) return `“${attribute}” is not the name of an attribute.`;
  if (operator === "matches" || operator === "among") {
    if (value.is !== "text" || value.text === "") return "Say what to look for.";
    return undefined;
  }
  if (value.is !== "number") return undefined;
  const number = parseExpression(value.text);
  return number.ok && constantIn(number.value)?.is === "number" ? undefined : `“${value.text}” is not a number.`;
}

/** The value somebody typed: a number or a truth value where it reads as one, unless text is wanted. */
export function typedValue(text: string, wanted?: RowValue["is"]): RowValue {
  const plain = text.trim();
  if (wanted === "number") return { is: "number", text: plain };
  if (wanted !== "text") {
    if (/^(?:true|false)$/i.test(plain)) return { is: "truth", text: /^t/i.test(plain) ? "true" : "false" };
    if (/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(plain))
      return { is: "number", text: plain.replace(/^\+/, "") };
  }
  return { is: "text", text };
}
