/**
 * What is said about the order of tasks where no file says it: `parent NAME … child NAME …`, after DAGMan, and
 * `final NAME`, the task that runs last whatever happened to the others. Both words may also name variables.
 */
import type { OrderStatement, Statement, Word } from "./ast";
import type { Token } from "./lexer";
import { type ParseContext, unexpected } from "./parse-context";
import { isValue } from "./parse-task";

/** Whether a line that begins with this word is such a statement, and not `parent = …`. */
export function isOrder({ lexer }: ParseContext, token: Token): boolean {
  if (token.bare !== "parent" && token.bare !== "final") return false;
  const { position } = lexer;
  lexer.take("expression");
  const isAssignment = lexer.peek("expression").kind === "=";
  lexer.position = position;
  return !isAssignment;
}

export function parseOrder(context: ParseContext): Statement | undefined {
  const keyword = context.lexer.take("expression");
  if (keyword.bare === "final") {
    const [name, ...more] = takeNames(context);
    if (!name) return unexpected(context, 'the name of a task after "final"', "words");
    if (more[0]) return context.error("gridadl/unexpected", "One task is the final one.", more[0]);
    return { is: "final", name, start: keyword.start, end: name.end };
  }
  const before = takeNames(context);
  if (before.length === 0) return unexpected(context, 'names of tasks after "parent"', "words");
  if (context.lexer.peek("words").bare !== "child") return unexpected(context, '"child"', "words");
  context.lexer.take("words");
  const after = takeNames(context);
  if (after.length === 0) return unexpected(context, 'names of tasks after "child"', "words");
  return orderOf(keyword, before, after);
}

const orderOf = (keyword: Token, before: Word[], after: Word[]): OrderStatement => ({
  is: "order",
  before,
  after,
  start: keyword.start,
  end: after.at(-1)!.end,
});

/** Separated by blanks or `;`. A task called `child` is written in quotes. */
function takeNames({ lexer }: ParseContext): Word[] {
  const names: Word[] = [];
  for (let token = lexer.peek("words"); isName(token) || token.kind === ";"; token = lexer.peek("words")) {
    lexer.take("words");
    if (token.kind !== ";") names.push(token);
  }
  return names;
}

const isName = (token: Token): boolean => isValue(token) && token.bare !== "child";
