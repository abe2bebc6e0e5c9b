/** Whether two trees are the same, wherever in a text they came from. */
import { childrenOf, type Expr } from "./ast";
import { Real } from "./value";

export function sameTree(left: Expr, right: Expr): boolean {
  const pending: [Expr, Expr][] = [[left, right]];
  for (let pair = pending.pop(); pair; pair = pending.pop()) {
    const [a, b] = pair;
    if (!sameNode(a, b)) return false;
    const children = childrenOf(a);
    const others = childrenOf(b);
    if (children.length !== others.length) return false;
    for (let i = 0; i < children.length; i++) pending.push([children[i]!, others[i]!]);
  }
  return true;
}

function sameNode(a: Expr, b: Expr): boolean {
  switch (a.kind) {
    case "literal":
      return b.kind === "literal" && sameLiteral(a.value, b.value);
    case "reference":
      return b.kind === "reference" && a.name === b.name && !a.scope === !b.scope && !a.absolute === !b.absolute;
    case "unary":
      return b.kind === "unary" && a.operator === b.operator;
    case "binary":
      return b.kind === "binary" && a.operator === b.operator;
    case "conditional":
      return b.kind === "conditional" && !a.whenTrue === !b.whenTrue;
    case "call":
      return b.kind === "call" && a.name === b.name;
    case "record":
      return b.kind === "record" && a.attributes.every((attribute, i) => attribute.name === b.attributes[i]?.name);
    default:
      return a.kind === b.kind;
  }
}

type Literal = Extract<Expr, { kind: "literal" }>["value"];
function sameLiteral(a: Literal, b: Literal): boolean {
  if (a instanceof Real) return b instanceof Real && Object.is(a.value, b.value);
  if (typeof a === "object") return typeof b === "object" && !(b instanceof Real);
  return a === b;
}
