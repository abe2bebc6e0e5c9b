/**
 * Values of words, expressions and conditions. Whatever cannot be evaluated is reported once, by the innermost
 * part that fails; the answer is then nothing, and everything made of it is nothing too.
 */
import type { Suggest } from "@/core/languages/did-you-mean";
import type { Piece, Template } from "@/core/workflow/application";
import { isRunTimeVariable } from "@/core/workflow/run-time-variables";
import type { ArithmeticOperator, Comparison, Condition, Expression, Place, Word } from "./ast";
import { lonelyVariable } from "./loops";
import { numberOf, piecesOf, plainText, text, type Value, ValueTooLong } from "./values";

const maxTemplatePieces = 100_000;

export class Evaluator {
  /** A name with no value was declared by a statement that is wrong, which is already reported. */
  readonly variables = new Map<string, Value | undefined>();
  readonly #report: (code: string, message: string, place: Place) => void;
  readonly #suggest: Suggest;
  /** Where an unknown variable was found before: an opened loop comes by again and again. */
  readonly #unknownAt = new Set<number>();

  constructor(report: (code: string, message: string, place: Place) => void, suggest: Suggest) {
    this.#report = report;
    this.#suggest = suggest;
  }

  /** The word with its variables filled in, except those of folded loops. */
  template(word: Word): Template | undefined {
    const template: Template = [];
    for (const piece of word.pieces) {
      if (piece.is === "text") {
        append(template, { text: piece.text, quoted: piece.quoted });
        continue;
      }
      const value = this.#variable(piece.name, piece);
      if (!value) return undefined;
      for (const part of piecesOf(value)) {
        const { quoted } = piece;
        append(template, typeof part === "string" ? { text: part, quoted } : { variable: part.hole, quoted });
      }
      if (template.length > maxTemplatePieces) {
        return this.#fail("gridadl/too-long", "This text becomes too long.", word);
      }
    }
    return template;
  }

  expression(expression: Expression): Value | undefined {
    try {
      return this.#evaluate(expression);
    } catch (error) {
      if (!(error instanceof ValueTooLong)) throw error;
      return this.#fail("gridadl/too-long", "This string becomes too long.", expression);
    }
  }

  #evaluate(expression: Expression): Value | undefined {
    switch (expression.is) {
      case "number":
        return { is: "number", value: expression.value };
      case "word":
        return this.word(expression.word);
      case "chain": {
        let value = this.#evaluate(expression.first);
        for (const { operator, operand } of expression.steps) {
          const right = this.#evaluate(operand);
          if (!value || !right) return undefined;
          value = this.#operate(operator, value, right, { start: expression.start, end: operand.end });
        }
        return value;
      }
    }
  }

  word(word: Word): Value | undefined {
    const variable = lonelyVariable(word);
    if (variable) return this.#variable(variable.name, variable);
    const template = this.template(word);
    return template && text(template.map((piece) => ("text" in piece ? piece.text : { hole: piece.variable })));
  }

  /** A number, or a reported problem that says what the number is for. */
  number(expression: Expression, what: string): number | undefined {
    const value = this.expression(expression);
    if (!value) return undefined;
    const number = numberOf(value);
    if (number !== undefined) return number;
    return this.#fail("gridadl/not-a-number", `${what} must be a number, but this is ${show(value)}.`, expression);
  }

  condition(condition: Condition): boolean | undefined {
    if (condition.is !== "comparison") {
      for (const part of condition.parts) {
        const value = this.condition(part);
        if (value === undefined || value === (condition.is === "either")) return value;
      }
      return condition.is === "both";
    }
    const left = this.expression(condition.left);
    const right = this.expression(condition.right);
    if (!left || !right) return undefined;
    const leftNumber = numberOf(left);
    const rightNumber = numberOf(right);
    return leftNumber !== undefined && rightNumber !== undefined
      ? compare(condition.operator, leftNumber, rightNumber)
      : compare(condition.operator, plainText(left), plainText(right));
  }

  #variable(name: string, place: Place): Value | undefined {
    if (this.variables.has(name)) return this.variables.get(name);
    // Known when the task runs, not here: it stays in the text as it is.
    if (isRunTimeVariable(name)) return text([`\${${name}}`]);
    if (this.#unknownAt.has(place.start)) return undefined;
    this.#unknownAt.add(place.start);
    const meant = this.#suggest(name, this.variables.keys());
    const hint = meant ? ` Did you mean "\${${meant}}"?` : "";
    return this.#fail("gridadl/unknown-variable", `Variable "${name}" has no value here.${hint}`, place);
  }

  /** `+` adds numbers and joins anything else (Fig. F.9); the other operators need numbers. */
  #operate(operator: ArithmeticOperator, left: Value, right: Value, place: Place): Value | undefined {
    if (operator === "+" && (left.is === "text" || right.is === "text")) {
      return text([...piecesOf(left), ...piecesOf(right)]);
    }
    const a = numberOf(left);
    const b = numberOf(right);
    if (a === undefined || b === undefined) {
      const wrong = show(a === undefined ? left : right);
      const message = `"${operator}" needs numbers, but this is ${wrong}; texts are joined with "+" or in quotes.`;
      return this.#fail("gridadl/not-a-number", message, place);
    }
    const value = calculate(operator, a, b);
    if (Number.isFinite(value)) return { is: "number", value };
    return this.#fail("gridadl/not-a-number", `${a} ${operator} ${b} is no number.`, place);
  }

  #fail(code: string, message: string, place: Place): undefined {
    this.#report(code, message, place);
    return undefined;
  }
}

/** Neighbouring texts of one kind become one: fewer pieces for a million tasks to carry. */
function append(template: Template, piece: Piece): void {
  const last = template.at(-1);
  if (last && "text" in last && "text" in piece && last.quoted === piece.quoted) {
    template[template.length - 1] = { text: last.text + piece.text, quoted: last.quoted };
  } else template.push(piece);
}

function calculate(operator: ArithmeticOperator, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "^":
      return a ** b;
  }
}

function compare<T extends number | string>(operator: Comparison, a: T, b: T): boolean {
  switch (operator) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case ">":
      return a > b;
    case ">=":
      return a >= b;
    case "<":
      return a < b;
    case "<=":
      return a <= b;
  }
}

function show(value: Value): string {
  const written = piecesOf(value)
    .map((piece) => (typeof piece === "string" ? piece : `\${${piece.hole}}`))
    .join("");
  return `"${written.length > 40 ? `${written.slice(0, 40)}…` : written}"`;
}
