/**
 * Which loops can stay folded. A `foreach` is kept as one template with holes unless its body needs the value of
 * the loop variable, or of the iteration before, while the text is being read:
 *
 *   - a variable is read before the body has set it: it carries a value from one iteration to the next (Fig. F.9's OUTPUT);
 *   - a condition, a range, a set, a weight, a task's requirement, an order of tasks or a calculation depends on the
 *     loop variable.
 *
 * Where it cannot be known, the loop is opened: that costs memory, never correctness.
 */
import { needsItsValue } from "./adaptive";
import type { Condition, Expression, ForeachStatement, Statement, VariablePiece, Word } from "./ast";

export interface LoopFacts {
  mustOpen: boolean;
  /** Every variable set in the loop, its own included. */
  sets: ReadonlySet<string>;
}

export function examineLoop(loop: ForeachStatement): LoopFacts {
  const sets = new Set([loop.variable]);
  forEachStatement(loop.body, (statement) => {
    if (statement.is === "assignment") sets.add(statement.name);
    if (statement.is === "foreach") sets.add(statement.variable);
    if (statement.is === "broken") for (const name of statement.declares) sets.add(name);
  });
  const mustOpen =
    readsBeforeSetting(loop.body, sets, new Set([loop.variable])) || needsValue(loop.body, dependentVariables(loop));
  return { mustOpen, sets };
}

/** `set` holds what the body has certainly set so far; it is extended as the body is read. */
function readsBeforeSetting(body: readonly Statement[], assigned: ReadonlySet<string>, set: Set<string>): boolean {
  const early = (names: Iterable<string>): boolean => {
    for (const name of names) if (assigned.has(name) && !set.has(name)) return true;
    return false;
  };
  for (const statement of body) {
    if (early(ownReads(statement))) return true;
    if (statement.is === "assignment") set.add(statement.name);
    else if (statement.is === "broken") for (const name of statement.declares) set.add(name);
    else if (statement.is === "foreach") {
      set.add(statement.variable);
      if (readsBeforeSetting(statement.body, assigned, set)) return true;
    } else if (statement.is === "if") {
      const inThen = new Set(set);
      const inElse = new Set(set);
      if (readsBeforeSetting(statement.then, assigned, inThen)) return true;
      if (readsBeforeSetting(statement.otherwise, assigned, inElse)) return true;
      for (const name of inThen) if (inElse.has(name)) set.add(name);
    }
  }
  return false;
}

/** The loop variable and every variable whose value may be made from it. */
function dependentVariables(loop: ForeachStatement): Set<string> {
  const usedBy = new Map<string, string[]>();
  forEachStatement(loop.body, (statement) => {
    if (statement.is !== "assignment") return;
    for (const read of expressionReads(statement.value)) {
      const users = usedBy.get(read);
      if (users) users.push(statement.name);
      else usedBy.set(read, [statement.name]);
    }
  });
  const dependent = new Set([loop.variable]);
  for (const name of dependent) for (const user of usedBy.get(name) ?? []) dependent.add(user);
  return dependent;
}

function needsValue(body: readonly Statement[], dependent: ReadonlySet<string>): boolean {
  let needed = false;
  const need = (names: Iterable<string>): void => {
    for (const name of names) if (dependent.has(name)) needed = true;
  };
  forEachStatement(body, (statement) => {
    if (statement.is === "assignment") need(calculatedReads(statement.value));
    else if (statement.is === "if" || statement.is === "foreach") need(ownReads(statement));
    else if (statement.is === "order" || statement.is === "final") need(ownReads(statement));
    else if (statement.is === "task") {
      for (const word of [statement.weight, statement.requirement, ...statement.needs]) if (word) need(wordReads(word));
      for (const [option, words] of statement.adaptive ?? []) {
        if (needsItsValue(option)) need(words.flatMap(wordReads));
      }
    }
  });
  return needed;
}

/** Every statement, those inside blocks included. The parser bounds how deep blocks go. */
function forEachStatement(body: readonly Statement[], visit: (statement: Statement) => void): void {
  for (const statement of body) {
    visit(statement);
    if (statement.is === "foreach") forEachStatement(statement.body, visit);
    if (statement.is === "if") {
      forEachStatement(statement.then, visit);
      forEachStatement(statement.otherwise, visit);
    }
  }
}

/** Variables a statement reads itself, its blocks not counted. */
function ownReads(statement: Statement): string[] {
  switch (statement.is) {
    case "assignment":
      return expressionReads(statement.value);
    case "if":
      return conditionReads(statement.condition);
    case "foreach": {
      const { over } = statement;
      if (over.is === "set") return over.values.flatMap(wordReads);
      return [over.from, over.to, ...(over.step ? [over.step] : [])].flatMap(expressionReads);
    }
    case "task": {
      const { name, executable, weight, requirement, inputs, outputs, when, needs, spawns } = statement;
      const others = [...inputs, ...outputs, ...when, ...needs, ...[...(statement.adaptive?.values() ?? [])].flat()];
      const words = [name, executable, statement.arguments, weight, requirement, spawns, ...others];
      return words.flatMap((word) => (word ? wordReads(word) : []));
    }
    case "transient":
      return statement.files.flatMap(wordReads);
    case "order":
      return [...statement.before, ...statement.after].flatMap(wordReads);
    case "final":
      return wordReads(statement.name);
    case "graph":
    case "requirement":
    case "broken":
      return [];
  }
}

function wordReads(word: Word): string[] {
  return word.pieces.flatMap((piece) => (piece.is === "variable" ? [piece.name] : []));
}

function expressionReads(expression: Expression): string[] {
  switch (expression.is) {
    case "number":
      return [];
    case "word":
      return wordReads(expression.word);
    case "chain":
      return [expression.first, ...expression.steps.map((step) => step.operand)].flatMap(expressionReads);
  }
}

function conditionReads(condition: Condition): string[] {
  if (condition.is !== "comparison") return condition.parts.flatMap(conditionReads);
  return [...expressionReads(condition.left), ...expressionReads(condition.right)];
}

/** Variables that enter a calculation; those only joined into a text are not among them. */
function calculatedReads(expression: Expression): string[] {
  if (expression.is !== "chain") return [];
  const reads: string[] = [];
  let left = [expression.first];
  let leftIsText = isText(expression.first);
  for (const { operator, operand } of expression.steps) {
    if (operator === "+" && (leftIsText || isText(operand))) leftIsText = true;
    else {
      for (const calculated of [...left, operand]) reads.push(...expressionReads(calculated));
      left = [];
      leftIsText = false;
    }
    left.push(operand);
  }
  return [...reads, ...[expression.first, ...expression.steps.map((step) => step.operand)].flatMap(calculatedReads)];
}

/** Certainly a string, whatever its variables hold. A variable alone may hold a number. */
function isText(expression: Expression): boolean {
  switch (expression.is) {
    case "number":
      return false;
    case "word":
      return lonelyVariable(expression.word) === undefined;
    case "chain": {
      const operands = [expression.first, ...expression.steps.map((step) => step.operand)];
      return expression.steps.every((step) => step.operator === "+") && operands.some(isText);
    }
  }
}

/** `${name}` without quotes and with nothing beside it: has the variable's value, number or string. */
export function lonelyVariable(word: Word): VariablePiece | undefined {
  const only = word.pieces.length === 1 ? word.pieces[0]! : undefined;
  return only?.is === "variable" && !only.quoted ? only : undefined;
}
