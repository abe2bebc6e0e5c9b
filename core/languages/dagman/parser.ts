/**
 * A DAG input file → statements. Keywords are read without regard to case. A line that cannot be read is reported
 * and left out; the lines after it are read all the same.
 */

import { type Line, linesOf, nextWord, type Word, wordsOf } from "@/core/languages/condor-submit/lines";
import type { Place, Reports, Source } from "@/core/languages/condor-submit/source";
import { didYouMean } from "@/core/languages/did-you-mean";
import type { Described, NodeCommand, Statement, Variable } from "./statements";

/** What DAGMan can do and a workflow here has no place for; the reason completes "… is not kept: ". */
const notKept: Readonly<Record<string, string>> = {
  PRE_SKIP: "a PRE script cannot skip its node here",
  "ABORT-DAG-ON": "a run ends when nothing more can be done",
  CONFIG: "it configures DAGMan itself",
  ENV: "it concerns DAGMan's own job",
  SET_JOB_ATTR: "it concerns DAGMan's own job",
  DOT: "runs are drawn in the portal",
  JOBSTATE_LOG: "a run keeps its own history",
  NODE_STATUS_FILE: "a run keeps its own history",
  SAVE_POINT_FILE: "every state of a run is kept",
  PROVISIONER: "clusters provide hosts by themselves, so the node is left out",
  SERVICE: "there are no nodes that run beside the others, so the node is left out",
};

const keywords = [
  ...["JOB", "DATA", "FINAL", "PARENT", "VARS", "RETRY", "SCRIPT", "DONE", "PRIORITY", "CATEGORY", "MAXJOBS"],
  ...["SUBDAG", "SPLICE", "INCLUDE", "SUBMIT-DESCRIPTION", "REJECT", "CONNECT", "PIN_IN", "PIN_OUT"],
  ...Object.keys(notKept),
];
/** Names no node may have: they would be read as something else. */
const reservedNames = new Set(["PARENT", "CHILD", "ALL_NODES"]);

export const isDagKeyword = (word: string): boolean => keywords.includes(word.toUpperCase());

export class DagParser {
  readonly #source: Source;
  readonly #reports: Reports;
  readonly #statements: Statement[] = [];
  readonly #lines: Generator<Line & { end: number }>;

  constructor(source: Source, reports: Reports) {
    this.#source = source;
    this.#reports = reports;
    this.#lines = linesOf(source.text, 0, source.text.length);
  }

  parse(): Statement[] {
    for (let next = this.#lines.next(); !next.done; next = this.#lines.next()) {
      if (this.#reports.isFull) break;
      this.#line(next.value);
    }
    return this.#statements;
  }

  #line(line: Line): undefined {
    const keyword = nextWord(this.#source, line, 0);
    if (!keyword) return;
    const place = this.#placeOf(line);
    const upper = keyword.text.toUpperCase();
    // Only these two may be longer than everything else together, and only they need no list of their words.
    if (upper === "SCRIPT") return this.#script(line, place);
    if (upper === "VARS") return this.#vars(line, place);
    const words = wordsOf(this.#source, line).slice(1);
    switch (upper) {
      case "JOB":
      case "DATA":
        return this.#node("job", words, place);
      case "FINAL":
        return this.#node("final", words, place);
      case "SPLICE":
        return this.#splice("splice", words, place);
      case "SUBDAG":
        if (words[0]?.text.toUpperCase() !== "EXTERNAL") return this.#missing("`EXTERNAL` and a name", "SUBDAG", place);
        return this.#splice("subdag", words.slice(1), place);
      case "SUBMIT-DESCRIPTION":
        return this.#description(words, place);
      case "INCLUDE":
        if (!words[0]) return this.#missing("the name of a file", upper, place);
        this.#statements.push({ is: "include", file: words[0], place });
        return this.#nothingAfter(words[1]);
      case "PARENT":
        return this.#edges(words, place);
      case "MAXJOBS":
        return this.#limit(words, place);
      case "DONE":
      case "RETRY":
      case "PRIORITY":
      case "CATEGORY":
        return this.#command(upper, words, place);
      default:
        return this.#other(upper, keyword, words, place);
    }
  }

  #placeOf(line: Line): Place {
    const start = line.start + (line.text.length - line.text.trimStart().length);
    return { source: this.#source, start, end: Math.max(start, line.start + line.text.trimEnd().length) };
  }

  #node(kind: "job" | "final", words: Word[], place: Place): undefined {
    const [name, described] = words;
    const keyword = kind === "job" ? "JOB" : "FINAL";
    if (!name || !this.#nameIsFree(name))
      return name ? undefined : this.#missing("the name of the node", keyword, place);
    if (!described) return this.#missing("the submit file", keyword, place);
    const read = this.#described(described, words.slice(2), place);
    if (!read) return;
    const options = this.#options(read.options, kind === "final" ? ["DIR", "NOOP"] : ["DIR", "NOOP", "DONE"]);
    this.#statements.push({ is: "node", kind, name, described: read.described, ...options, place });
  }

  /** The word after the name: a file, or `{` and the lines up to `}`, after which the options follow. */
  #described(word: Word, rest: Word[], place: Place): { described: Described; options: Word[] } | undefined {
    if (word.text !== "{") return { described: { is: "named", word }, options: rest };
    if (rest[0]) {
      this.#reports.error("text-after-brace", "A description starts on the line after `{`.", rest[0]);
      return undefined;
    }
    const read = this.#block(word, place);
    return read && { described: { is: "inline", block: read.block }, options: read.options };
  }

  #block(brace: Word, place: Place): { block: Place; options: Word[] } | undefined {
    const start = this.#source.text.indexOf("\n", brace.end) + 1;
    if (start > 0) {
      for (let next = this.#lines.next(); !next.done; next = this.#lines.next()) {
        const line = next.value;
        if (!line.text.trimStart().startsWith("}")) continue;
        const close = line.text.indexOf("}");
        const rest = { text: line.text.slice(close + 1), start: line.start + close + 1 };
        return { block: { source: this.#source, start, end: line.start }, options: wordsOf(this.#source, rest) };
      }
    }
    this.#reports.error("unclosed-brace", "This description is never closed: a line with `}` is missing.", {
      ...place,
      start: brace.start,
      end: brace.end,
    });
    return undefined;
  }

  #description(words: Word[], place: Place): undefined {
    const [name, brace, after] = words;
    if (!name) return this.#missing("the name of the description", "SUBMIT-DESCRIPTION", place);
    if (brace?.text !== "{" || after) return this.#missing("`{` at the end of the line", "SUBMIT-DESCRIPTION", place);
    const read = this.#block(brace, place);
    if (!read) return;
    this.#nothingAfter(read.options[0]);
    this.#statements.push({ is: "description", name, block: read.block, place });
  }

  #splice(kind: "splice" | "subdag", words: Word[], place: Place): undefined {
    const [name, file] = words;
    const keyword = kind === "splice" ? "SPLICE" : "SUBDAG EXTERNAL";
    if (!name || !this.#nameIsFree(name)) return name ? undefined : this.#missing("a name", keyword, place);
    if (!file) return this.#missing("the name of a DAG file", keyword, place);
    const options = this.#options(words.slice(2), kind === "splice" ? ["DIR"] : ["DIR", "NOOP", "DONE"]);
    this.#statements.push({ is: "splice", kind, name, file, ...options, place });
  }

  #options(words: Word[], allowed: string[]): { directory?: Word; noop: boolean; done: boolean } {
    const options: { directory?: Word; noop: boolean; done: boolean } = { noop: false, done: false };
    for (let i = 0; i < words.length; i++) {
      const word = words[i]!;
      const upper = word.text.toUpperCase();
      if (!allowed.includes(upper)) {
        const list = allowed.map((option) => `\`${option}\``).join(", ");
        this.#reports.error("unknown-option", `Here may be ${list}, but not "${word.text}".`, word);
        return options;
      }
      if (upper === "NOOP") options.noop = true;
      else if (upper === "DONE") options.done = true;
      else {
        const directory = words[++i];
        if (!directory) this.#reports.error("missing-directory", "A directory must follow `DIR`.", word);
        else options.directory = directory;
      }
    }
    return options;
  }

  #edges(words: Word[], place: Place): undefined {
    const child = words.findIndex((word) => word.text.toUpperCase() === "CHILD");
    if (child === -1) return this.#missing("`CHILD`", "PARENT", place);
    const parents = words.slice(0, child);
    const children = words.slice(child + 1);
    if (parents.length === 0) return this.#missing("the name of a node before `CHILD`", "PARENT", place);
    if (children.length === 0) return this.#missing("the name of a node after `CHILD`", "PARENT", place);
    this.#statements.push({ is: "edges", parents, children, place });
  }

  #limit(words: Word[], place: Place): undefined {
    const [category, limit, after] = words;
    if (!category || !limit) return this.#missing("a category and a number", "MAXJOBS", place);
    const value = this.#integer(limit, 0);
    this.#nothingAfter(after);
    if (value !== undefined) this.#statements.push({ is: "limit", category, limit: value, place });
  }

  #command(keyword: "DONE" | "RETRY" | "PRIORITY" | "CATEGORY", words: Word[], place: Place): undefined {
    const [node, value, ...rest] = words;
    if (!node) return this.#missing("the name of a node", keyword, place);
    const push = (command: NodeCommand["command"]): undefined => {
      this.#statements.push({ is: "command", node, command, place });
    };
    if (keyword === "DONE") {
      push({ is: "done" });
      return this.#nothingAfter(value);
    }
    if (!value) return this.#missing(keyword === "CATEGORY" ? "the category" : "a number", keyword, place);
    if (keyword === "CATEGORY") {
      push({ is: "category", category: value });
      return this.#nothingAfter(rest[0]);
    }
    const number = this.#integer(value, keyword === "RETRY" ? 0 : undefined);
    if (number === undefined) return;
    if (keyword === "PRIORITY") {
      push({ is: "priority", value: number });
      return this.#nothingAfter(rest[0]);
    }
    if (!rest[0]) return push({ is: "retry", times: number });
    if (rest[0].text.toUpperCase() !== "UNLESS-EXIT" || !rest[1]) {
      this.#reports.error(
        "unknown-option",
        "After the number of retries may be `UNLESS-EXIT` and an exit code.",
        rest[0],
      );
      return;
    }
    const unlessExit = this.#integer(rest[1]);
    if (unlessExit !== undefined) push({ is: "retry", times: number, unlessExit });
    this.#nothingAfter(rest[2]);
  }

  #script(line: Line, place: Place): undefined {
    let word = this.#after(line, nextWord(this.#source, line, 0));
    while (word && /^(?:DEFER|DEBUG)$/i.test(word.text)) {
      const option = word.text.toUpperCase();
      this.#reports.warning(
        "not-kept",
        `\`${option}\` of a script is not kept: scripts are not put off or logged here.`,
        word,
      );
      word = this.#after(line, this.#after(line, this.#after(line, word)));
    }
    const when = word?.text.toUpperCase();
    if (when !== "PRE" && when !== "POST" && when !== "HOLD") {
      this.#reports.error("script-when", "After SCRIPT comes `PRE`, `POST` or `HOLD`.", word ?? place);
      return;
    }
    const node = this.#after(line, word);
    const program = this.#after(line, node);
    if (!node || !program) return this.#missing("a node and a command", `SCRIPT ${when}`, place);
    if (when === "HOLD") {
      this.#reports.warning("not-kept", "A HOLD script is not kept: tasks are not put on hold here.", place);
      return;
    }
    const command = line.text.slice(program.start - line.start).trim();
    const script = { is: "script", when: when === "PRE" ? "pre" : "post", command } as const;
    this.#statements.push({ is: "command", node, command: script, place });
  }

  #vars(line: Line, place: Place): undefined {
    const node = this.#after(line, nextWord(this.#source, line, 0));
    if (!node) return this.#missing("the name of a node", "VARS", place);
    let at = node.end - line.start;
    const next = nextWord(this.#source, line, at);
    const position = /^(?:PREPEND|APPEND)$/i.test(next?.text ?? "") ? next : undefined;
    if (position) at = position.end - line.start;
    const variables = this.#assignments(line, at);
    if (!variables) return;
    if (line.text.slice(at).trim() === "") return this.#missing('at least one `name="value"`', "VARS", place);
    const command: NodeCommand["command"] = { is: "vars", variables };
    if (position) command.position = position.text.toUpperCase() === "APPEND" ? "append" : "prepend";
    if (variables.length > 0) this.#statements.push({ is: "command", node, command, place });
  }

  #assignments(line: Line, from: number): Variable[] | undefined {
    const variables: Variable[] = [];
    const { text } = line;
    const blanks = /\s*/y;
    const opening = /((?:My\.|\+)?[A-Za-z0-9_.]+)\s*=\s*"/iy;
    for (let at = from; ; ) {
      blanks.lastIndex = at;
      blanks.exec(text);
      const start = blanks.lastIndex;
      if (start >= text.length) return variables;
      opening.lastIndex = start;
      const match = opening.exec(text);
      const close = match ? closingQuote(text, opening.lastIndex) : -1;
      if (!match || close === -1) {
        const place = { source: this.#source, start: line.start + start, end: line.start + text.trimEnd().length };
        this.#reports.error(
          "bad-vars",
          'Variables are written `name="value"`, with `\\"` for a quote in the value.',
          place,
        );
        return undefined;
      }
      const name = match[1]!;
      const value = text.slice(opening.lastIndex, close).replace(/\\(["\\])/g, "$1");
      at = close + 1;
      const place = { source: this.#source, start: line.start + start, end: line.start + at };
      if (/^(?:My\.|\+)/i.test(name)) {
        this.#reports.warning("not-kept", `The attribute \`${name}\` of HTCondor's job is not kept.`, place);
      } else variables.push({ name, value, ...place });
    }
  }

  #other(upper: string, keyword: Word, words: Word[], place: Place): undefined {
    if (Object.hasOwn(notKept, upper)) {
      this.#reports.warning("not-kept", `\`${upper}\` is not kept: ${notKept[upper]}.`, place);
    } else if (upper === "REJECT") {
      this.#reports.error("rejected", "This DAG is marked as not to be run (`REJECT`).", place);
    } else if (upper === "CONNECT" || upper === "PIN_IN" || upper === "PIN_OUT") {
      const message = `\`${upper}\` is not understood here; write the dependencies between the splices with PARENT … CHILD.`;
      this.#reports.error("unsupported", message, place);
    } else {
      const suggestion = didYouMean(keyword.text, keywords);
      const advice = suggestion ? ` Did you mean ${suggestion}?` : "";
      const what = words.length === 0 && keyword.text === "}" ? "There is no description to close here." : undefined;
      this.#reports.error("unknown-command", what ?? `"${keyword.text}" is not a command of DAGMan.${advice}`, keyword);
    }
  }

  #after(line: Line, word: Word | undefined): Word | undefined {
    return word && nextWord(this.#source, line, word.end - line.start);
  }

  #nameIsFree(name: Word): boolean {
    if (!reservedNames.has(name.text.toUpperCase())) return true;
    this.#reports.error(
      "reserved-name",
      `"${name.text}" means something in a DAG file, so no node may be called so.`,
      name,
    );
    return false;
  }

  #integer(word: Word, minimum?: number): number | undefined {
    const value = Number(word.text);
    if (/^[+-]?\d{1,15}$/.test(word.text) && (minimum === undefined || value >= minimum)) return value;
    const kind = minimum === undefined ? "A whole number" : `A whole number from ${minimum} on`;
    this.#reports.error("not-a-number", `${kind} was expected here, not "${word.text}".`, word);
    return undefined;
  }

  #missing(what: string, keyword: string, place: Place): undefined {
    this.#reports.error("incomplete", `${keyword} lacks ${what}.`, place);
  }

  #nothingAfter(word: Word | undefined): undefined {
    if (word) this.#reports.error("too-much", `Nothing more was expected on this line; here is "${word.text}".`, word);
  }
}

/** The quote that ends the value starting at `from`; one after a backslash is part of the value. */
function closingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}
