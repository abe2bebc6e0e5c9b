/**
 * GRID-ADL by recursive descent (thesis, Appendix I, with the differences its own examples show). One statement is
 * read at a time, so that a text of a million tasks need not be in memory twice.
 *
 * Recovery: a statement that cannot be read is reported once and skipped to the end of its line; if that line opens
 * a block, the block is read as well (its errors count), and what it declares is remembered.
 */
import type { Suggest } from "@/core/languages/did-you-mean";
import type { BrokenStatement, GraphStatement, IfStatement, LoopValues, Place, Statement, Word } from "./ast";
import { Lexer, type Token } from "./lexer";
import { describe, expectToken, maxNesting, type ParseContext, unexpected } from "./parse-context";
import { parseCondition, parseExpression } from "./parse-expression";
import { isOrder, parseOrder } from "./parse-order";
import { parseRequirement } from "./parse-requirement";
import { isValue, parseFiles, parseTask } from "./parse-task";

const keywords = ["graph", "requirement", "task", "foreach", "if", "transient", "parent", "final"] as const;
const graphTypes = ["independent", "loosely-coupled", "tightly-coupled"] as const;

type BlockStyle = "braces" | "do";

export interface ParserOptions {
  report(code: string, message: string, place: Place): void;
  suggest: Suggest;
  /** Asked before each statement: whether enough errors were reported that nobody wants more. */
  hasEnough(): boolean;
}

export class Parser {
  readonly #context: ParseContext;
  readonly #lexer: Lexer;
  readonly #options: ParserOptions;
  /** The blocks around the current statement, outermost first. */
  readonly #blocks: BlockStyle[] = [];

  constructor(text: string, options: ParserOptions) {
    this.#options = options;
    this.#lexer = new Lexer(text, (flaw) => options.report(flaw.code, flaw.message, flaw));
    this.#context = {
      text,
      lexer: this.#lexer,
      error(code, message, place) {
        options.report(code, message, place);
        return undefined;
      },
    };
  }

  /** Between statements outside all blocks; whoever reads one by other means says where it ends. */
  get position(): number {
    return this.#lexer.position;
  }

  set position(position: number) {
    this.#lexer.position = position;
  }

  /** The next statement outside all blocks; nothing at the end of the text, or of the patience with it. */
  next(): Statement | undefined {
    for (;;) {
      this.#skipLineEnds();
      const token = this.#lexer.peek("expression");
      if (token.kind === "end" || this.#options.hasEnough()) return undefined;
      if (token.kind === "}") this.#stray(token, 'This "}" closes nothing.');
      else if (token.bare === "done") this.#stray(token, 'This "done" closes nothing; a "do" block starts with "do".');
      else return this.#statement();
    }
  }

  #stray(token: Token, message: string): void {
    this.#lexer.take("expression");
    this.#context.error("gridadl/stray-end", message, token);
  }

  #statement(): Statement {
    const start = this.#lexer.peek("expression");
    const statement = this.#readStatement(start);
    if (!statement) return this.#skipStatement(start);
    this.#expectStatementEnd(statement);
    return statement;
  }

  #readStatement(token: Token): Statement | undefined {
    switch (token.bare) {
      case "task":
        this.#lexer.take("expression");
        return parseTask(this.#context, token);
      case "foreach":
        this.#lexer.take("expression");
        return this.#foreach(token);
      case "if":
        this.#lexer.take("expression");
        return this.#if(token);
      case "graph":
        this.#lexer.take("expression");
        return this.#graph(token);
      case "transient":
        this.#lexer.take("expression");
        return this.#transient(token);
      case "requirement":
        this.#lexer.take("expression");
        return parseRequirement(this.#context, token);
      default:
        return isOrder(this.#context, token) ? parseOrder(this.#context) : this.#assignment(token);
    }
  }

  #graph(keyword: Token): GraphStatement | undefined {
    const token = this.#lexer.peek("words");
    const type = graphTypes.find((candidate) => candidate === token.bare);
    if (!type) {
      const meant = token.bare === undefined ? undefined : this.#options.suggest(token.bare, graphTypes);
      const expected = meant
        ? `did you mean "${meant}"?`
        : 'expected "independent", "loosely-coupled" or "tightly-coupled".';
      const message = `${describe(this.#context, token)} is no kind of graph; ${expected}`;
      return this.#context.error("gridadl/bad-graph", message, token);
    }
    this.#lexer.take("words");
    return { is: "graph", type, start: keyword.start, end: token.end };
  }

  #transient(keyword: Token): Statement | undefined {
    const files: Word[] = [];
    if (!isValue(this.#lexer.peek("words"))) return unexpected(this.#context, "file names", "words");
    if (!parseFiles(this.#context, files)) return undefined;
    return { is: "transient", files, start: keyword.start, end: files.at(-1)!.end };
  }

  #assignment(token: Token): Statement | undefined {
    const name = variableOf(token);
    if (name === undefined) return this.#unknownStatement();
    this.#lexer.take("expression");
    if (this.#lexer.peek("expression").kind !== "=") {
      this.#lexer.position = token.start;
      return this.#unknownStatement();
    }
    this.#lexer.take("expression");
    const value = parseExpression(this.#context);
    return value && { is: "assignment", name, value, start: token.start, end: value.end };
  }

  #unknownStatement(): undefined {
    const token = this.#lexer.peek("words");
    if (token.bare === undefined) return unexpected(this.#context, `a statement (${keywords.join(", ")})`, "words");
    const shown = token.bare.slice(0, 40);
    if (token.bare === "else") {
      return this.#context.error("gridadl/unexpected", `This "else" belongs to no "if".`, token);
    }
    const meant = this.#options.suggest(token.bare, keywords);
    const hint = meant ? `did you mean "${meant}"?` : `expected ${keywords.join(", ")} or "NAME = VALUE".`;
    return this.#context.error("gridadl/unknown-keyword", `Unknown keyword "${shown}"; ${hint}`, token);
  }

  #foreach(keyword: Token): Statement | undefined {
    const heads: { variable: string; over: LoopValues }[] = [];
    do {
      if (heads.length > 0) this.#lexer.take("words");
      const head = this.#loopHead();
      if (!head) return undefined;
      heads.push(head);
    } while (this.#lexer.peek("words").bare === "and" && heads.length < maxNesting);
    const { end } = heads.at(-1)!.over;
    const body = this.#block("foreach", end);
    if (!body) return undefined;
    // `foreach i in 1..2 and j in {a;b}` is one loop inside the other, for every pair of values.
    const place = { start: keyword.start, end };
    return heads.reduceRight<Statement[]>(
      (inner, head) => [{ is: "foreach", ...head, body: inner, ...place }],
      body,
    )[0];
  }

  #loopHead(): { variable: string; over: LoopValues } | undefined {
    const variable = variableOf(this.#lexer.peek("words"));
    if (variable === undefined) return unexpected(this.#context, 'the name of a variable after "foreach"', "words");
    this.#lexer.take("words");
    if (this.#lexer.peek("words").bare !== "in") return unexpected(this.#context, '"in"', "words");
    this.#lexer.take("words");
    const over = this.#lexer.peek("words").kind === "{" ? this.#set() : this.#range();
    return over && { variable, over };
  }

  /** `a..b` or `a..b step c`; each a number, a variable or a calculation. */
  #range(): LoopValues | undefined {
    const { start } = this.#lexer.peek("expression");
    const expected = 'a range such as "1..10" or a set such as "{a;b;c}"';
    const first = this.#lexer.peek("expression").kind;
    if (first !== "number" && first !== "word" && first !== "-" && first !== "(") {
      return unexpected(this.#context, expected, "words");
    }
    const from = parseExpression(this.#context);
    if (!from || !expectToken(this.#context, "..", "expression", '".." and the last number of the range'))
      return undefined;
    const to = parseExpression(this.#context);
    if (!to || this.#lexer.peek("expression").bare !== "step") {
      return to && { is: "range", from, to, start, end: to.end };
    }
    this.#lexer.take("expression");
    const step = parseExpression(this.#context);
    return step && { is: "range", from, to, step, start, end: step.end };
  }

  #set(): LoopValues | undefined {
    const open = this.#lexer.take("words");
    const values: Word[] = [];
    for (;;) {
      const token = this.#lexer.peek("words");
      if (token.kind === "word") values.push(token);
      else if (token.kind === "}") break;
      else if (token.kind === "end" || token.kind === "{") {
        return this.#context.error(
          "gridadl/unclosed-set",
          'This set is not closed; expected "}" after its values.',
          open,
        );
      }
      this.#lexer.take("words");
    }
    const { end } = this.#lexer.take("words");
    if (values.length === 0)
      return this.#context.error("gridadl/empty-set", "This set has no values.", { ...open, end });
    return { is: "set", values, start: open.start, end };
  }

  #if(keyword: Token): IfStatement | undefined {
    const condition = parseCondition(this.#context);
    if (!condition) return undefined;
    const then = this.#block("if", condition.end);
    if (!then) return undefined;
    const otherwise = this.#takeElse() ? this.#block("else", this.#lexer.position) : [];
    return otherwise && { is: "if", condition, then, otherwise, start: keyword.start, end: condition.end };
  }

  #takeElse(): boolean {
    const { position } = this.#lexer;
    this.#skipLineEnds();
    if (this.#lexer.peek("expression").bare === "else") {
      this.#lexer.take("expression");
      return true;
    }
    this.#lexer.position = position;
    return false;
  }

  /** `{ … }` or `do … done`, on this line or the next. */
  #block(of: string, headEnd: number): Statement[] | undefined {
    const { position } = this.#lexer;
    this.#skipLineEnds();
    const open = this.#lexer.peek("words");
    const style = open.kind === "{" ? "braces" : open.bare === "do" ? "do" : undefined;
    if (!style) {
      this.#lexer.position = position;
      const message = `Expected "{" or "do" to open the block of this "${of}".`;
      return this.#context.error("gridadl/missing-block", message, { start: headEnd, end: headEnd });
    }
    this.#lexer.take("words");
    if (this.#blocks.length >= maxNesting) {
      this.#context.error("gridadl/too-deep", `Blocks are nested more than ${maxNesting} deep.`, open);
      this.#skipBlock();
      return [];
    }
    this.#blocks.push(style);
    const body = this.#blockBody(open, style);
    this.#blocks.pop();
    return body;
  }

  #blockBody(open: Token, style: BlockStyle): Statement[] {
    const body: Statement[] = [];
    const closing = style === "braces" ? "}" : "done";
    while (!this.#options.hasEnough()) {
      this.#skipLineEnds();
      const token = this.#lexer.peek("expression");
      const closes = token.kind === "}" ? "braces" : token.bare === "done" ? "do" : undefined;
      if (closes === style) {
        this.#lexer.take("expression");
        return body;
      }
      // The end of a block further out means that this one was not closed.
      if (token.kind === "end" || (closes && this.#blocks.includes(closes))) {
        const message = `This "${style === "braces" ? "{" : "do"}" is not closed; expected "${closing}" before ${describe(this.#context, token)}.`;
        this.#context.error("gridadl/unclosed-block", message, open);
        return body;
      }
      if (closes)
        this.#stray(token, `This "${closes === "braces" ? "}" : "done"}" closes nothing; expected "${closing}".`);
      else body.push(this.#statement());
    }
    return body;
  }

  /** Too deep to read: goes past the end of the block without looking into it. */
  #skipBlock(): void {
    let open = 1;
    while (open > 0) {
      const token = this.#lexer.peek("words");
      if (token.kind === "end") return;
      if (token.kind === "{" || token.bare === "do") open += 1;
      if (token.kind === "}" || token.bare === "done") open -= 1;
      this.#lexer.position = token.end;
    }
  }

  #expectStatementEnd(statement: Statement): void {
    const token = this.#lexer.peek("words");
    if (token.kind === "line-end" || token.kind === "end" || token.kind === "}") return;
    if (statement.is === "foreach" || statement.is === "if") return;
    unexpected(this.#context, "the end of the line", "words");
    this.#skipStatement(token);
  }

  /** After an error was reported: to the end of the line, and through the block it opens, if it opens one. */
  #skipStatement(start: Token): BrokenStatement {
    const declares = this.#declaredBy(start);
    let open = 0;
    let opensBlock = false;
    let before: Token | undefined;
    for (;;) {
      const token = this.#lexer.peek("words");
      if (token.kind === "line-end" || token.kind === "end") break;
      if (token.kind === "}" && open === 0) break;
      if (token.kind === "{") open += 1;
      if (token.kind === "}") open -= 1;
      opensBlock = (token.kind === "{" && before?.bare !== "in") || token.bare === "do";
      if (opensBlock) break;
      before = token;
      this.#lexer.position = token.end;
    }
    if (!opensBlock) opensBlock = this.#nextLineIsDo();
    if (opensBlock) declares.push(...declarations(this.#block(start.bare ?? "statement", start.end) ?? []));
    return { is: "broken", declares, start: start.start, end: start.end };
  }

  /** `NAME = …` and `foreach NAME …` declare a name, whatever is wrong with the rest. */
  #declaredBy(start: Token): string[] {
    const { position } = this.#lexer;
    this.#lexer.position = start.bare === "foreach" ? start.end : start.start;
    const name = variableOf(this.#lexer.peek("expression"));
    this.#lexer.position = position;
    return name === undefined ? [] : [name];
  }

  #nextLineIsDo(): boolean {
    const { position } = this.#lexer;
    this.#skipLineEnds();
    const isDo = this.#lexer.peek("words").bare === "do";
    this.#lexer.position = position;
    return isDo;
  }

  #skipLineEnds(): void {
    while (this.#lexer.peek("expression").kind === "line-end") this.#lexer.take("expression");
  }
}

/** The variable a word names, plain or as `${name}`. */
function variableOf(token: Token): string | undefined {
  const only = token.pieces.length === 1 ? token.pieces[0]! : undefined;
  if (token.kind !== "word" || !only || only.quoted) return undefined;
  if (only.is === "variable") return only.name;
  return /^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(only.text) ? only.text : undefined;
}

function declarations(body: readonly Statement[]): string[] {
  return body.flatMap((statement) => {
    switch (statement.is) {
      case "assignment":
        return [statement.name];
      case "foreach":
        return [statement.variable, ...declarations(statement.body)];
      case "if":
        return [...declarations(statement.then), ...declarations(statement.otherwise)];
      case "broken":
        return statement.declares;
      default:
        return [];
    }
  });
}
