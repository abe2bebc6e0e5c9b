/**
 * `requirement = ( … )`, as text: the expression language gives it its meaning. The thesis prints one closing
 * parenthesis too many or too few, so unbalanced ones are tolerated: without a closing one the line ends it. What does
 * not fit between parentheses here, such as a list in braces, can be put in quotes: `requirement = "…"`.
 */
import type { Place, RequirementStatement } from "./ast";
import { expectToken, type ParseContext } from "./parse-context";

export function parseRequirement(context: ParseContext, keyword: Place): RequirementStatement | undefined {
  const { lexer, text } = context;
  if (!expectToken(context, "=", "expression", '"=" after "requirement"')) return undefined;
  const first = lexer.peek("expression");
  const { start } = first;
  const only = first.pieces.length === 1 ? first.pieces[0] : undefined;
  if (only?.is === "text" && only.quoted) {
    lexer.take("expression");
    const { end } = first;
    return {
      is: "requirement",
      text: only.text,
      textAt: quotedPlace(context, first, only.text),
      start: keyword.start,
      end,
    };
  }
  if (!expectToken(context, "(", "expression", '"(" to start the requirement')) return undefined;
  let open = 1;
  let end = lexer.position;
  for (;;) {
    const token = lexer.peek("expression");
    if (token.kind === "end" || token.kind === "{" || token.kind === "}") break;
    if (token.kind === "line-end" && (open <= 0 || !continues(context))) break;
    lexer.take("expression");
    if (token.kind === "(") open += 1;
    if (token.kind === ")") open -= 1;
    if (token.kind !== "line-end") end = token.end;
  }
  return { is: "requirement", text: text.slice(start, end), textAt: { start, end }, start: keyword.start, end };
}

/** Inside the quotes, if it stands there letter by letter; else the whole, since escapes have moved what follows them. */
export function quotedPlace(context: Pick<ParseContext, "text">, word: Place, content: string): Place {
  const inside = { start: word.start + 1, end: word.end - 1 };
  return context.text.slice(inside.start, inside.end) === content ? inside : { start: word.start, end: word.end };
}

/** The next line goes on if it starts like the middle of an expression, with an operator or a parenthesis, or is empty. */
function continues(context: ParseContext): boolean {
  const { lexer } = context;
  const { position } = lexer;
  while (lexer.peek("expression").kind === "line-end") lexer.take("expression");
  const { kind } = lexer.peek("expression");
  lexer.position = position;
  return kind === "(" || kind === ")" || kind === "&&" || kind === "||";
}
