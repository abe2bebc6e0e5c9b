/**
 * The tree of a ClassAd expression. Parentheses only shape the tree, and the printer puts back those that are needed;
 * how many stood around a part is kept because HTCondor prints them all again. `at` (offsets into the source text) is for
 * messages and the editor. Two trees are the same when they differ only in these two.
 */
import type { Real } from "./value";

export type UnaryOperator = "-" | "+" | "!" | "~";
export type BinaryOperator =
  | "||"
  | "&&"
  | "|"
  | "^"
  | "&"
  | "=="
  | "!="
  | "=?="
  | "=!="
  | "<"
  | "<="
  | ">"
  | ">="
  | "<<"
  | ">>"
  | ">>>"
  | "+"
  | "-"
  | "*"
  | "/"
  | "%";

export interface Extent {
  start: number;
  end: number;
}

interface Written {
  at?: Extent;
  /** Pairs of parentheses around it in the text; absent for none. */
  parentheses?: number;
}

export interface LiteralExpr extends Written {
  kind: "literal";
  /** `undefined` is the ClassAd value UNDEFINED; the literal ERROR is `{ error: true }` so that a tree is plain data. */
  value: undefined | boolean | number | bigint | string | Real | { readonly error: true };
}
export interface ReferenceExpr extends Written {
  kind: "reference";
  /** `scope.name`; absent for a bare name. */
  scope?: Expr;
  /** `.name`: looked up in the outermost record only. */
  absolute?: boolean;
  name: string;
}
export interface UnaryExpr extends Written {
  kind: "unary";
  operator: UnaryOperator;
  operand: Expr;
}
export interface BinaryExpr extends Written {
  kind: "binary";
  operator: BinaryOperator;
  left: Expr;
  right: Expr;
}
export interface ConditionalExpr extends Written {
  kind: "conditional";
  test: Expr;
  /** Absent in the two-operand form `test ?: otherwise`. */
  whenTrue?: Expr;
  otherwise: Expr;
}
export interface SubscriptExpr extends Written {
  kind: "subscript";
  base: Expr;
  index: Expr;
}
export interface CallExpr extends Written {
  kind: "call";
  name: string;
  arguments: readonly Expr[];
}
export interface ListExpr extends Written {
  kind: "list";
  elements: readonly Expr[];
}
export interface RecordExpr extends Written {
  kind: "record";
  attributes: readonly RecordAttribute[];
}
export interface RecordAttribute {
  name: string;
  value: Expr;
}

export type Expr =
  | LiteralExpr
  | ReferenceExpr
  | UnaryExpr
  | BinaryExpr
  | ConditionalExpr
  | SubscriptExpr
  | CallExpr
  | ListExpr
  | RecordExpr;

/** How tightly each operator binds; the order is that of C. */
export const precedence: Readonly<Record<BinaryOperator, number>> = {
  "||": 2,
  "&&": 3,
  "|": 4,
  "^": 5,
  "&": 6,
  "==": 7,
  "!=": 7,
  "=?=": 7,
  "=!=": 7,
  "<": 8,
  "<=": 8,
  ">": 8,
  ">=": 8,
  "<<": 9,
  ">>": 9,
  ">>>": 9,
  "+": 10,
  "-": 10,
  "*": 11,
  "/": 11,
  "%": 11,
};
export const conditionalPrecedence = 1;
export const unaryPrecedence = 12;
/** `a ?: b`, which HTCondor reads like a postfix operator. */
export const elvisPrecedence = 13;
export const postfixPrecedence = 14;

export const errorLiteral = { error: true } as const;

export const reference = (name: string, scope?: Expr): ReferenceExpr =>
  scope ? { kind: "reference", scope, name } : { kind: "reference", name };
export const literal = (value: LiteralExpr["value"]): LiteralExpr => ({ kind: "literal", value });
export const binary = (operator: BinaryOperator, left: Expr, right: Expr): BinaryExpr => ({
  kind: "binary",
  operator,
  left,
  right,
});
export const not = (operand: Expr): UnaryExpr => ({ kind: "unary", operator: "!", operand });
export const call = (name: string, ...args: Expr[]): CallExpr => ({ kind: "call", name, arguments: args });

/**
 * The operands of `a op b op c …` as one list. A requirement may name thousands of hosts joined by `||`:
 * everything that walks a tree takes such a chain in a loop, so that its length costs no call stack.
 */
export function chainOperands(expr: BinaryExpr, { acrossParentheses = true } = {}): Expr[] {
  const operands: Expr[] = [expr.right];
  let left = expr.left;
  while (left.kind === "binary" && left.operator === expr.operator && (acrossParentheses || !left.parentheses)) {
    operands.push(left.right);
    left = left.left;
  }
  operands.push(left);
  return operands.reverse();
}

/** The direct sub-expressions, with chains of one operator taken as one node. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
      return [];
    case "reference":
      return expr.scope ? [expr.scope] : [];
    case "unary":
      return [expr.operand];
    case "binary":
      return chainOperands(expr);
    case "conditional":
      return expr.whenTrue ? [expr.test, expr.whenTrue, expr.otherwise] : [expr.test, expr.otherwise];
    case "subscript":
      return [expr.base, expr.index];
    case "call":
      return expr.arguments;
    case "list":
      return expr.elements;
    case "record":
      return expr.attributes.map((attribute) => attribute.value);
  }
}

/** Visits every node once, parents first. */
export function walk(expr: Expr, visit: (node: Expr) => void): void {
  const pending: Expr[] = [expr];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    visit(node);
    const children = childrenOf(node);
    for (let i = children.length - 1; i >= 0; i--) pending.push(children[i]!);
  }
}
