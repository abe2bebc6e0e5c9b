/**
 * Why a host is refused, and what a rank is made of. A requirement is taken apart at `&&`, `||`, `!` and `?:`
 * into clauses; each is evaluated by itself, and those that keep the whole from being true are marked. A name
 * that stands for an expression of the job (such as `Requirements`) is opened up too.
 */
import { Computation } from "./ad";
import { chainOperands, type Expr, walk } from "./ast";
import { codeOf, type EvaluationContext, frameOf, run } from "./compile";
import { truthOf } from "./operators";
import { printExpression } from "./print";
import { find } from "./scope";
import { unparse } from "./unparse";
import { Frame, numberOf, Real, typeOf, type Value } from "./value";

export interface Clause {
  /** The clause as text. */
  text: string;
  /** How its parts are joined; a "test" has none. */
  kind: "all" | "any" | "not" | "choice" | "named" | "test";
  value: Value;
  valueText: string;
  /** True if this clause is among those that keep the whole from being true. */
  decisive: boolean;
  /** The attributes a test looks at, with what they are here. */
  facts: Fact[];
  parts: Clause[];
  /** Where it stands in the text of the expression, for the editor. */
  at?: { start: number; end: number };
}
export interface Fact {
  name: string;
  valueText: string;
}
export interface RequirementExplained {
  value: Value;
  matches: boolean;
  clause: Clause;
  /** The innermost decisive clauses: change one of these, or the host. */
  failing: Clause[];
}
export interface RankExplained {
  value: Value;
  /** What the rank counts as: HTCondor takes anything that is no number for 0. */
  rank: number;
  terms: RankTerm[];
}
export interface RankTerm {
  text: string;
  sign: 1 | -1;
  value: Value;
  valueText: string;
  /** What the term adds to the rank. */
  contribution: number;
  /** The factors of a product, the chosen branch of a choice. */
  parts: RankTerm[];
}

const maximumOpened = 8;

export function explainRequirement(expr: Expr, context: EvaluationContext): RequirementExplained {
  const frame = frameOf(context);
  const clause = clauseOf(expr, frame, 0);
  const matches = truthOf(clause.value) === true;
  const failing: Clause[] = [];
  if (!matches) mark(clause, true, failing);
  return { value: clause.value, matches, clause, failing };
}

function evaluated(expr: Expr, frame: Frame): Value {
  // Each clause has its own purse, so that one expensive clause does not make its neighbours ERROR.
  const { my, target, surroundings } = frame.session;
  const fresh = frameOf({ ...surroundings, ...(my && { my }), ...(target && { target }) });
  return run(codeOf(expr), new Frame(frame.ad, fresh.session, frame.swapped));
}

function clauseOf(expr: Expr, frame: Frame, opened: number): Clause {
  const value = evaluated(expr, frame);
  const clause: Clause = {
    text: printExpression(expr, "spaced"),
    kind: "test",
    value,
    valueText: short(value),
    decisive: false,
    facts: [],
    parts: [],
    ...(expr.at && { at: expr.at }),
  };
  const inside = (part: Expr) => clauseOf(part, frame, opened);
  if (expr.kind === "binary" && (expr.operator === "&&" || expr.operator === "||")) {
    clause.kind = expr.operator === "&&" ? "all" : "any";
    clause.parts = chainOperands(expr).map(inside);
  } else if (expr.kind === "unary" && expr.operator === "!") {
    clause.kind = "not";
    clause.parts = [inside(expr.operand)];
  } else if (expr.kind === "conditional" && expr.whenTrue) {
    clause.kind = "choice";
    const test = inside(expr.test);
    const truth = truthOf(test.value);
    clause.parts =
      truth === true ? [test, inside(expr.whenTrue)] : truth === false ? [test, inside(expr.otherwise)] : [test];
  } else if (expr.kind === "reference" && opened < maximumOpened) {
    const found = expr.scope ? undefined : find(expr.name.toLowerCase(), frame);
    if (found && found.ad.slots[found.place] instanceof Computation) {
      const swapped =
        found.ad === frame.session.target && found.ad !== frame.session.my ? !frame.swapped : frame.swapped;
      clause.kind = "named";
      clause.parts = [clauseOf(found.ad.exprAt(found.place), new Frame(found.ad, frame.session, swapped), opened + 1)];
    }
  }
  if (clause.parts.length === 0) clause.facts = factsOf(expr, frame);
  return clause;
}

/** What the attributes of a test are, each once. */
function factsOf(expr: Expr, frame: Frame): Fact[] {
  const facts = new Map<string, Fact>();
  const scopes = new Set<Expr>();
  walk(expr, (node) => {
    if (node.kind !== "reference" || scopes.has(node)) return;
    for (let scope = node.scope; scope?.kind === "reference"; scope = scope.scope) scopes.add(scope);
    const name = printExpression(node, "spaced");
    if (facts.size < 20) facts.set(name.toLowerCase(), { name, valueText: short(evaluated(node, frame)) });
  });
  return [...facts.values()];
}

/** Marks what keeps `clause` from being `wanted`, and collects the innermost of it. */
function mark(clause: Clause, wanted: boolean, failing: Clause[]): void {
  if (truthOf(clause.value) === wanted) return;
  clause.decisive = true;
  const [first, second] = clause.parts;
  switch (clause.kind) {
    case "all":
    case "any":
      for (const part of clause.parts) mark(part, wanted, failing);
      break;
    case "not":
      if (first) mark(first, !wanted, failing);
      break;
    case "choice":
      if (second) mark(second, wanted, failing);
      else if (first) mark(first, true, failing);
      break;
    case "named":
      if (first) mark(first, wanted, failing);
      break;
    case "test":
      failing.push(clause);
  }
}

const short = (value: Value): string => {
  const text = unparse(value) ?? "error";
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
};

/** A rank as HTCondor uses it: numbers and truth values count, everything else is 0. */
export function rankNumber(value: Value): number {
  const number = numberOf(value);
  return number === undefined || Number.isNaN(number) ? 0 : number;
}

export function explainRank(expr: Expr, context: EvaluationContext): RankExplained {
  const frame = frameOf(context);
  const value = evaluated(expr, frame);
  return { value, rank: rankNumber(value), terms: terms(expr, 1, frame, 0) };
}

/** The summands of a sum, with their signs. */
function terms(expr: Expr, sign: 1 | -1, frame: Frame, opened: number): RankTerm[] {
  if (expr.kind === "binary" && (expr.operator === "+" || expr.operator === "-")) {
    const [first, ...others] = chainOperands(expr);
    const opposite = sign === 1 ? -1 : 1;
    const rest = others.flatMap((operand) => terms(operand, expr.operator === "+" ? sign : opposite, frame, opened));
    return first ? [...terms(first, sign, frame, opened), ...rest] : rest;
  }
  if (expr.kind === "unary" && expr.operator === "-") return terms(expr.operand, sign === 1 ? -1 : 1, frame, opened);
  if (expr.kind === "reference" && !expr.scope && opened < maximumOpened) {
    const found = find(expr.name.toLowerCase(), frame);
    if (found && found.ad === frame.ad && found.ad.slots[found.place] instanceof Computation) {
      return terms(found.ad.exprAt(found.place), sign, frame, opened + 1);
    }
  }
  return [termOf(expr, sign, frame)];
}

function termOf(expr: Expr, sign: 1 | -1, frame: Frame): RankTerm {
  const value = evaluated(expr, frame);
  let parts: RankTerm[] = [];
  if (expr.kind === "binary" && (expr.operator === "*" || expr.operator === "/")) {
    parts = chainOperands(expr).map((factor) => termOf(factor, 1, frame));
  } else if (expr.kind === "conditional" && expr.whenTrue) {
    const truth = truthOf(evaluated(expr.test, frame));
    if (typeof truth === "boolean") parts = terms(truth ? expr.whenTrue : expr.otherwise, 1, frame, maximumOpened);
  }
  return {
    text: printExpression(expr, "spaced"),
    sign,
    value,
    valueText: short(value),
    contribution: sign * rankNumber(value) + 0,
    parts,
  };
}

/** One line a failing clause: `Memory >= 4096 is false (Memory is 2048)`. */
export function failureText(clause: Clause): string {
  const facts = clause.facts.map((fact) => `${fact.name} is ${fact.valueText}`).join(", ");
  const verdict =
    typeOf(clause.value) === "boolean" || clause.value instanceof Real ? clause.valueText : typeOf(clause.value);
  return `${clause.text} is ${verdict}${facts && clause.text !== clause.facts[0]?.name ? ` (${facts})` : ""}`;
}
