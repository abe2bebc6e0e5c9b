/**
 * GRID-ADL's `requirement` → ClassAd. It is nearly a ClassAd already (thesis, Appendix I, lines 18–38), with
 * bare words for systems and architectures (`SysOp == LINUX`) and parentheses that do not always balance.
 */
import { binary, chainOperands, type Expr, literal, type ReferenceExpr } from "../ast";
import { lex } from "../lex";
import { type Parsed, parseExpression } from "../parse";
import { gridadlAttribute } from "./attributes";

const maximumLength = 100_000;

/** The text after `requirement =`. Empty text is true. */
export function translateGridadlRequirement(text: string): Parsed<Expr> {
  if (text.trim() === "") return { ok: true, value: literal(true) };
  const parsed = parseExpression(text);
  if (parsed.ok) return { ok: true, value: translated(parsed.value) };
  const balanced = text.length <= maximumLength ? balance(text) : undefined;
  const again = balanced === undefined ? parsed : parseExpression(balanced);
  return again.ok ? { ok: true, value: translated(again.value) } : parsed;
}

/** The grammar itself closes one parenthesis too many: surplus ones are dropped at the end, missing ones added. */
function balance(text: string): string | undefined {
  let open = 0;
  let lastClose = -1;
  for (const token of lex(text).tokens) {
    if (token.kind !== "operator") continue;
    if (token.text === "(") open++;
    if (token.text === ")") {
      open--;
      lastClose = token.start;
    }
  }
  if (open > 0 && open < 100) return text + ")".repeat(open);
  if (open < 0 && text.slice(lastClose + 1).trim() === "") return text.slice(0, lastClose);
  return undefined;
}

function translated(expr: Expr): Expr {
  switch (expr.kind) {
    case "reference":
      return expr.scope ? expr : renamed(expr);
    case "unary":
      return { ...expr, operand: translated(expr.operand) };
    case "binary": {
      if (expr.operator !== "==" && expr.operator !== "!=") {
        // Taken as a chain: a requirement may have thousands of alternatives.
        return chainOperands(expr)
          .map(translated)
          .reduce((left, right) => binary(expr.operator, left, right));
      }
      // `LINUX` on the right of a comparison is text, whether quoted or not.
      const isWord = isTextAttribute(expr.left) && isBareWord(expr.right);
      const right = isWord && expr.right.kind === "reference" ? literal(expr.right.name) : translated(expr.right);
      return { ...expr, left: translated(expr.left), right };
    }
    default:
      return expr;
  }
}

const isBareWord = (expr: Expr): expr is ReferenceExpr => expr.kind === "reference" && !expr.scope;
const isTextAttribute = (expr: Expr) => isBareWord(expr) && /^(sysop|opsys|arch)$/i.test(expr.name);

function renamed(expr: ReferenceExpr): ReferenceExpr {
  return { ...expr, name: gridadlAttribute(expr.name).name };
}
