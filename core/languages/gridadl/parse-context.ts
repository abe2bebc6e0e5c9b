/**
 * What the parts of the parser share: the tokens, the place to report to, and the rule of reporting: whoever finds
 * that the text cannot be read says so once and returns nothing; the statement it was part of is then skipped.
 */
import type { Place } from "./ast";
import type { Lexer, LexerMode, Token, TokenKind } from "./lexer";

/** Deeper nesting is refused, so that no text can exhaust the stack. */
export const maxNesting = 64;

export interface ParseContext {
  readonly text: string;
  readonly lexer: Lexer;
  error(code: string, message: string, place: Place): undefined;
}

/** Takes the next token if it is of this kind; otherwise reports what was expected. */
export function expectToken(
  context: ParseContext,
  kind: TokenKind,
  mode: LexerMode,
  expected: string,
): Token | undefined {
  const token = context.lexer.peek(mode);
  if (token.kind === kind) return context.lexer.take(mode);
  return unexpected(context, expected, mode);
}

export function unexpected(context: ParseContext, expected: string, mode: LexerMode): undefined {
  const token = context.lexer.peek(mode);
  return context.error("gridadl/unexpected", `Expected ${expected}, found ${describe(context, token)}.`, token);
}

export function describe(context: ParseContext, token: Token): string {
  if (token.kind === "end") return "the end of the text";
  if (token.kind === "line-end") return "the end of the line";
  const written = context.text.slice(token.start, Math.min(token.end, token.start + 40));
  const shown = token.end - token.start > 40 ? `${written}…` : written;
  return shown.startsWith('"') ? shown : `"${shown}"`;
}

/** `-e`, `-i`, …: what continues a task on the next line. */
export function isOption(token: Token): boolean {
  const first = token.pieces[0];
  return token.kind === "word" && first?.is === "text" && !first.quoted && /^-[A-Za-z]/.test(first.text);
}
