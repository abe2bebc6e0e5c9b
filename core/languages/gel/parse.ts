/**
 * GEL → the application. `a; b` runs b when all of a has ended, `a | b` runs both at a time, and `|` binds tighter than `;`.
 * GEL knows no files, only order, so the edges are dependencies; a task that is used again is a task of its own. Of its
 * loops and conditions the thesis shows none, and none is read.
 */
import type { ParsedText } from "@/core/languages/format";
import { literalTask } from "@/core/languages/literal-task";
import { TextReports } from "@/core/languages/reports";
import { lexTokens, type Token, TokenReader } from "@/core/languages/tokens";
import type { Application, Dependency } from "@/core/workflow/application";
import { readDefinition, type TaskDefinition } from "./definition";

const maxCharacters = 16 * 1024 * 1024;
const maxDepth = 200;
const maxDependencies = 1_000_000;
const lexicon = { signs: [":="], word: /[A-Za-z_][\w.-]*/y, comment: /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\//y };
const constructs = ["pfor", "pforeach", "for", "foreach", "while", "if", "else"];

/** What runs first and what runs last in a part of the line. */
interface Stretch {
  first: string[];
  last: string[];
}

export function parseGel(text: string): ParsedText {
  const reports = new TextReports(text, "gel");
  const application: Application = { groups: [], transient: [] };
  if (text.length > maxCharacters) {
    reports.error("too-large", "The text is too long: more than 16 million characters.", { start: 0, end: 0 });
  } else new GelReader(text, reports, application).read();
  return reports.result(application);
}

class GelReader {
  private readonly tokens: TokenReader;
  private readonly definitions = new Map<string, TaskDefinition>();
  private readonly uses = new Map<string, number>();
  private readonly dependencies: Dependency[] = [];
  private stopped = false;

  constructor(
    text: string,
    private readonly reports: TextReports,
    private readonly application: Application,
  ) {
    const { tokens, unclosed } = lexTokens(text, lexicon);
    for (const one of unclosed) reports.error("unclosed-quote", "This string has no closing quote.", one);
    this.tokens = new TokenReader(tokens);
  }

  read(): void {
    const { tokens, reports } = this;
    while (this.isDefinition()) this.define();
    if (tokens.atEnd) {
      const message = "Nothing says how the tasks follow each other: a line such as “a; b | c; d” is missing.";
      reports.error("no-program", message, { start: 0, end: 0 });
      return;
    }
    this.sequence(0);
    if (!this.stopped && !tokens.atEnd) this.unexpected("the end of the text");
    if (this.dependencies.length > 0) this.application.dependencies = this.dependencies;
  }

  private isDefinition(): boolean {
    const { next, second } = this.tokens;
    return next.is === "word" && second.is === "sign" && (second.text === "=" || second.text === ":=");
  }

  private define(): void {
    const name = this.tokens.take();
    this.tokens.take();
    if (this.definitions.has(name.text)) {
      this.reports.error("duplicate-task", `There are two definitions of “${name.text}”.`, name);
    }
    const definition = readDefinition(this.tokens, this.reports, name);
    if (definition) this.definitions.set(name.text, definition);
    this.tokens.takeSign(";");
  }

  private sequence(depth: number): Stretch {
    let all = this.parallel(depth);
    while (!this.stopped && this.tokens.takeSign(";")) {
      const { next } = this.tokens;
      // The last `;` of the text, or of a part in parentheses, separates nothing.
      if (next.is === "end" || (next.is === "sign" && next.text === ")")) break;
      const after = this.parallel(depth);
      this.connect(all.last, after.first);
      all = { first: all.first.length > 0 ? all.first : after.first, last: after.last };
    }
    return all;
  }

  private parallel(depth: number): Stretch {
    const all = this.part(depth);
    while (!this.stopped && this.tokens.takeSign("|")) {
      const beside = this.part(depth);
      all.first.push(...beside.first);
      all.last.push(...beside.last);
    }
    return all;
  }

  private part(depth: number): Stretch {
    const open = this.tokens.takeSign("(");
    if (open) {
      if (depth >= maxDepth) return this.stop("too-deep", `Parentheses are nested more than ${maxDepth} deep.`, open);
      const inner = this.sequence(depth + 1);
      if (!this.stopped && !this.tokens.takeSign(")")) return this.unexpected("“)”");
      return inner;
    }
    if (this.tokens.next.is !== "word") return this.unexpected("the name of a task");
    return this.use(this.tokens.take());
  }

  private use(name: Token): Stretch {
    const definition = this.definitions.get(name.text);
    if (!definition) {
      const unknown = constructs.includes(name.text)
        ? `“${name.text}” is not read: of GEL, definitions and the signs ; | ( ) are.`
        : `There is no task “${name.text}”.`;
      return this.stop(constructs.includes(name.text) ? "not-read" : "unknown-task", unknown, name);
    }
    const uses = (this.uses.get(name.text) ?? 0) + 1;
    this.uses.set(name.text, uses);
    const called = uses === 1 ? name.text : `${name.text}.${uses}`;
    const task = literalTask({ name: called, ...definition, at: this.reports.span(name) });
    this.application.groups.push({ loops: [], task });
    return { first: [called], last: [called] };
  }

  private connect(before: readonly string[], after: readonly string[]): void {
    if (this.dependencies.length + before.length * after.length > maxDependencies) {
      this.stop("too-many", `There are more than ${maxDependencies} dependencies.`, this.tokens.next);
      return;
    }
    for (const earlier of before) for (const later of after) this.dependencies.push({ before: earlier, after: later });
  }

  private unexpected(expected: string): Stretch {
    const { next } = this.tokens;
    return this.stop("syntax", `Here should be ${expected}, not ${TokenReader.show(next)}.`, next);
  }

  private stop(code: string, message: string, at: Token): Stretch {
    if (!this.stopped) this.reports.error(code, message, at);
    this.stopped = true;
    return { first: [], last: [] };
  }
}
