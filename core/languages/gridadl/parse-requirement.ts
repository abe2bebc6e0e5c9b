/**
 * `requirement = ( … )`, as text: the expression language gives it its meaning. The thesis prints one closing
 * parenthesis too many or too few, so unbalanced ones are tolerated: without a closing one the line ends it.
 */
import type { Place, RequirementStatement } from "./ast";
import { expectToken, type ParseContext } from "./parse-context";

export function parseRequirement(context: ParseContext, keyword: Place): RequirementStatement | undefined {
  const { lexer, text } = context;
  if (!expectToken(context, "=", "expression", '"=" after "requirement"')) return undefined;
  const { start } = lexer.peek("expression");
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
  return { is: "requirement", text: text.slice(start, end), start: keyword.start, end };
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
