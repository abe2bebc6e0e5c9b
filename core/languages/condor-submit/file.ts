/**
 * A submit description → what it says line by line: settings, conditions, and `queue`. What the settings mean is in
 * `evaluation.ts`, when it is known for which node they are read.
 */
import { type Line, linesOf } from "./lines";
import { mentionedMacros } from "./macros";
import { type Place, type Reports, Source } from "./source";

export type SubmitStatement =
  | { is: "set"; key: string; value: string; place: Place }
  | { is: "queue"; count: string; items?: Items; place: Place }
  | { is: "if"; branches: { condition?: Condition; body: SubmitStatement[] }[] };

/** `queue … in (a b)` or `from`: each item sets the variables, one after the other. */
export interface Items {
  variables: string[];
  values: string[];
}

export interface Condition {
  text: string;
  place: Place;
}

export interface Submit {
  statements: SubmitStatement[];
  /** Macros that are mentioned somewhere, in small letters: settings of these names are there for that. */
  mentioned: ReadonlySet<string>;
}

const maxIncludeDepth = 20;
/** Over all submit files: a few that include each other twice would otherwise never end. */
const maxIncludes = 1000;
const maxItems = 1_000_000;

export class SubmitReader {
  readonly #reports: Reports;
  readonly #readFile: (name: string) => string | undefined;
  #includes = 0;

  constructor(reports: Reports, readFile: (name: string) => string | undefined) {
    this.#reports = reports;
    this.#readFile = readFile;
  }

  read(block: Place): Submit {
    const mentioned = new Set<string>();
    const statements: SubmitStatement[] = [];
    this.#body(block, statements, mentioned, []);
    return { statements, mentioned };
  }

  #body(block: Place, top: SubmitStatement[], mentioned: Set<string>, included: readonly string[]): void {
    const { source } = block;
    /** The bodies that are open, innermost last, with the `if` each belongs to. */
    const open: { statement: SubmitStatement & { is: "if" }; place: Place }[] = [];
    const body = (): SubmitStatement[] => open.at(-1)?.statement.branches.at(-1)?.body ?? top;
    const lines = linesOf(source.text, block.start, block.end);
    for (let next = lines.next(); !next.done; next = lines.next()) {
      const line = next.value;
      if (this.#reports.isFull) return;
      const place = placeOf(source, line);
      const text = line.text.trim();
      const word = /^[A-Za-z_-]+/.exec(text)?.[0].toLowerCase() ?? "";
      const tested = /^(?:el)?if\s*!?\s*defined\s+(\S+)$/i.exec(text)?.[1];
      if (tested) mentioned.add(tested.toLowerCase());
      const isSetting = /^[^\s=]+\s*=/.test(text);
      if (!isSetting && word === "if") {
        if (open.length >= 50) {
          this.#reports.error("nested-if", "Conditions are nested too deeply.", place);
          return;
        }
        const statement: SubmitStatement & { is: "if" } = { is: "if", branches: [branch(text.slice(2), place)] };
        body().push(statement);
        open.push({ statement, place });
      } else if (!isSetting && (word === "elif" || word === "else" || word === "endif")) {
        const innermost = open.at(-1);
        if (!innermost)
          this.#reports.error("stray-condition", `There is no \`if\` this \`${word}\` belongs to.`, place);
        else if (word === "endif") open.pop();
        else innermost.statement.branches.push(word === "else" ? { body: [] } : branch(text.slice(4), place));
      } else if (/^include\s*(?:command\s*|output\s*|ifexist\s*)?(?:into\s+\S+\s*)?:/i.test(text)) {
        this.#include(text, place, body(), mentioned, included);
      } else if (/^queue(?:\s|$)/i.test(text) && !isSetting) {
        this.#queue(text.slice(5), place, lines, body(), mentioned);
      } else this.#setting(line, place, body(), mentioned);
    }
    for (const { place } of open) this.#reports.error("unclosed-if", "This `if` lacks its `endif`.", place);
  }

  #setting(line: Line, place: Place, body: SubmitStatement[], mentioned: Set<string>): void {
    const equals = line.text.indexOf("=");
    const key = line.text.slice(0, Math.max(0, equals)).trim();
    if (equals === -1 || !/^[+]?[\w.-]+$/.test(key)) {
      if (/^use\s/i.test(line.text.trim())) {
        this.#reports.warning(
          "not-kept",
          "`use` is not kept: it stands for settings of an HTCondor installation.",
          place,
        );
        return;
      }
      const message = "A line of a submit description is `name = value`, `queue`, a condition or a comment.";
      this.#reports.error("bad-submit-line", message, place);
      return;
    }
    const raw = line.text.slice(equals + 1);
    const value = raw.trim();
    const start = line.start + equals + 1 + (raw.length - raw.trimStart().length);
    for (const name of mentionedMacros(value)) mentioned.add(name);
    body.push({ is: "set", key, value, place: { source: place.source, start, end: start + value.length } });
  }

  #include(
    text: string,
    place: Place,
    body: SubmitStatement[],
    mentioned: Set<string>,
    included: readonly string[],
  ): void {
    const file = text.slice(text.indexOf(":") + 1).trim();
    if (/^include\s*(?:command|output)/i.test(text) || file.endsWith("|")) {
      this.#reports.error("unsupported", "What a program prints cannot be included here.", place);
      return;
    }
    const content = this.#readFile(file);
    this.#includes += 1;
    if (included.includes(file) || included.length >= maxIncludeDepth || this.#includes > maxIncludes) {
      this.#reports.error("include-cycle", `"${file}" includes itself, or files are included too deeply.`, place);
    } else if (content === undefined) {
      this.#reports.error("missing-file", `The file "${file}" to be included is not there.`, place);
    } else {
      const source = new Source(content, { file, at: place.source.span(place.start, place.end) });
      this.#body({ source, start: 0, end: content.length }, body, mentioned, [...included, file]);
    }
  }

  #queue(
    text: string,
    place: Place,
    lines: Generator<Line & { end: number }>,
    body: SubmitStatement[],
    mentioned: Set<string>,
  ): void {
    for (const name of mentionedMacros(text)) mentioned.add(name);
    const keyword = /\b(?:in|from|matching)\b/i.exec(text);
    const head = (keyword ? text.slice(0, keyword.index) : text).trim();
    const match = head.length > 10_000 ? undefined : /^(\$\([^)]*\)|\d+)?([\w\s,]*)$/.exec(head);
    if (!match || (!keyword && match[2] !== "")) {
      this.#reports.error("bad-queue", "`queue` is followed by a number, or by `in` or `from` and a list.", place);
      return;
    }
    const [, count = "1", names = ""] = match;
    const from = keyword?.[0].toLowerCase();
    const list = keyword ? text.slice(keyword.index + keyword[0].length) : "";
    if (from === undefined) {
      body.push({ is: "queue", count, place });
      return;
    }
    if (from === "matching") {
      const message = "`queue … matching` depends on the files of one machine; name them with `queue … in (…)`.";
      this.#reports.error("unsupported", message, place);
      return;
    }
    const variables = names.split(/[\s,]+/).filter((name) => name !== "");
    const values = this.#items(from === "in" ? /[\s,]+/ : /\n/, list, place, lines);
    if (!values) return;
    if (values.length > maxItems) {
      this.#reports.error("too-many-tasks", `More than ${maxItems} tasks cannot be queued at once.`, place);
      return;
    }
    const items = { variables: variables.length === 0 ? ["Item"] : variables, values };
    body.push({ is: "queue", count, items, place });
  }

  #items(
    separator: RegExp,
    list: string,
    place: Place,
    lines: Generator<Line & { end: number }>,
  ): string[] | undefined {
    const split = (text: string): string[] =>
      text
        .split(separator)
        .map((value) => value.trim())
        .filter((value) => value !== "" && !value.startsWith("#"));
    const trimmed = list.trim();
    if (!trimmed.startsWith("(")) {
      if (separator.source !== "\\n") return split(trimmed);
      const content = this.#readFile(trimmed);
      if (content === undefined) this.#reports.error("missing-file", `The file "${trimmed}" is not there.`, place);
      return content === undefined ? undefined : split(content);
    }
    if (trimmed.endsWith(")")) return split(trimmed.slice(1, -1));
    const collected = [trimmed.slice(1)];
    for (let next = lines.next(); !next.done; next = lines.next()) {
      const line = next.value.text.trim();
      if (line.startsWith(")")) return split(collected.join("\n"));
      if (line.endsWith(")")) return split([...collected, line.slice(0, -1)].join("\n"));
      collected.push(line);
    }
    this.#reports.error("unclosed-list", "This list is never closed: `)` is missing.", place);
    return undefined;
  }
}

function branch(text: string, place: Place): { condition: Condition; body: SubmitStatement[] } {
  return { condition: { text: text.trim(), place }, body: [] };
}

function placeOf(source: Source, line: Line): Place {
  const start = line.start + (line.text.length - line.text.trimStart().length);
  return { source, start, end: Math.max(start, line.start + line.text.trimEnd().length) };
}
