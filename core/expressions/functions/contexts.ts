/** Functions that look at expressions rather than values: ifThenElse, eval, unparse, evaluation in other records. */
import { type Expr, type ReferenceExpr, walk } from "../ast";
import { truthOf } from "../operators";
import { parseExpression } from "../parse";
import { Pattern } from "../regex";
import { find, otherSide } from "../scope";
import { unparseExpression } from "../unparse";
import { Ad, type Code, ERROR, Frame, ListValue, type Value } from "../value";
import { toText } from "./convert";
import { type BuiltIn, ofValues, special } from "./define";

const ifThenElse = special("ifThenElse", 3, 3, ([test, then, otherwise]) => (frame) => {
  const truth = truthOf(test!(frame));
  if (typeof truth !== "boolean") return truth;
  return truth ? then!(frame) : otherwise!(frame);
});

const evaluateText = ofValues("eval", 1, 1, ([value], frame) => {
  const text = value === undefined || value === ERROR ? undefined : toText(value);
  if (text === undefined) return ERROR;
  const session = frame.session;
  // Reading text is work too: it is paid from the same purse as looking up attributes.
  session.stepsLeft -= 1 + (text.length >> 2);
  if (session.stepsLeft < 0 || session.depth >= 50) return ERROR;
  const parsed = parseExpression(text);
  if (!parsed.ok) return ERROR;
  session.depth++;
  try {
    return session.codeOf(parsed.value)(frame);
  } finally {
    session.depth--;
  }
});

/** The attribute that an argument names, which must be a plain reference. */
function named(arg: Expr | undefined, frame: Frame) {
  if (arg?.kind !== "reference") return undefined;
  const key = arg.name.toLowerCase();
  if (!arg.scope) return find(key, frame);
  const scope = frame.session.codeOf(arg.scope)(frame);
  return scope instanceof Ad && scope.has(key) ? { ad: scope, place: scope.placeOf(key) } : undefined;
}

const unparseAttribute = special("unparse", 1, 1, (_, [arg]) => (frame) => {
  if (arg?.kind !== "reference") return ERROR;
  const found = named(arg, frame);
  return found ? unparseExpression(found.ad.exprAt(found.place), "exponent") : "";
});

/** The names an expression uses that its own record does not have, nor the other side where it is named. */
export function unresolvedNames(
  expr: Expr,
  has: (key: string) => boolean,
  otherHas: (key: string) => boolean = () => false,
): string[] {
  const names = new Map<string, string>();
  const ownScopes = new Set(["my", "self"]);
  const consumed = new Set<Expr>();
  walk(expr, (node) => {
    if (node.kind !== "reference" || consumed.has(node)) return;
    const root = rootScope(node, consumed);
    if (root === undefined) note(names, node.name, has);
    else if (root.name.toLowerCase() === "target") note(names, node.name, otherHas);
    else note(names, ownScopes.has(root.name.toLowerCase()) ? node.name : root.name, has);
  });
  return [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, name]) => name);
}

function note(names: Map<string, string>, name: string, has: (key: string) => boolean): void {
  if (!has(name.toLowerCase())) names.set(name.toLowerCase(), name);
}

function rootScope(node: ReferenceExpr, consumed: Set<Expr>): ReferenceExpr | undefined {
  let root: ReferenceExpr | undefined;
  for (let scope = node.scope; scope?.kind === "reference"; scope = scope.scope) {
    consumed.add(scope);
    root = scope;
  }
  return root;
}

const unresolved = special("unresolved", 1, 2, (codes, [arg]) => (frame) => {
  if (arg?.kind !== "reference") return ERROR;
  const found = named(arg, frame);
  if (!found) return undefined;
  const other = found.ad === frame.session.target ? frame.session.my : otherSide(frame);
  const names = unresolvedNames(
    found.ad.exprAt(found.place),
    (key) => found.ad.has(key),
    (key) => other?.has(key) === true,
  );
  if (codes.length === 1) return names.join(",");
  const text = codes[1]!(frame);
  if (typeof text !== "string") return text === undefined ? undefined : ERROR;
  const pattern = Pattern.compile(text, "i");
  return typeof pattern === "string" ? ERROR : names.some((name) => pattern.test(name) === true);
});

/** Evaluates `expr` inside each record of a list. */
function inEach(expr: Code, list: ListValue, frame: Frame): Value[] {
  const results: Value[] = [];
  for (let i = 0; i < list.length; i++) {
    const context = list.at(i);
    if (--frame.session.stepsLeft < 0) return [ERROR];
    if (context instanceof Ad) results.push(expr(new Frame(context, frame.session, frame.swapped)));
    else results.push(context === undefined ? undefined : ERROR);
  }
  return results;
}

const evalInEachContext = special("evalInEachContext", 2, 2, ([expr, list]) => (frame) => {
  const contexts = list!(frame);
  if (contexts === undefined) return undefined;
  return contexts instanceof ListValue ? ListValue.of(inEach(expr!, contexts, frame)) : ERROR;
});

const countMatches = special("countMatches", 2, 2, ([expr, list]) => (frame) => {
  const contexts = list!(frame);
  if (contexts === undefined) return 0;
  return contexts instanceof ListValue
    ? inEach(expr!, contexts, frame).filter((value) => truthOf(value) === true).length
    : ERROR;
});

/** HTCondor writes a trace to its log; here explain() does that work, so it only passes its value on. */
const debug = ofValues("debug", 1, 1, ([value]) => value);

export const contexts: readonly BuiltIn[] = [
  ifThenElse,
  evaluateText,
  unparseAttribute,
  unresolved,
  evalInEachContext,
  countMatches,
  debug,
];
