/**
 * Templates as GRID-ADL words. Quoted and bare pieces mean different things (a bare variable is split at blanks), so
 * each is written as what it is; a bare text that cannot stand in a word goes through a variable that is set before.
 */
import type { Piece, Template } from "@/core/workflow/application";
import { isRunTimeVariable } from "@/core/workflow/run-time-variables";

const bareText = /^[\p{L}\p{N}_.,/:@%~+=*?!&|<>()[\]^-]*$/u;
const runTimeVariable = /\$\{(GW_[A-Z0-9_]+)\}/g;
/** What would be an option or a mark at the start of a word. */
const otherMeaning = /^(?:-[A-Za-z]|done$)/;

/** The printed name of a loop variable. */
export type Rename = (variable: string) => string;

export class WordPrinter {
  /** `NAME = "…"` for every text that needed one. */
  readonly assignments: string[] = [];
  /** Whether something had a line end in it, which no string of GRID-ADL has. */
  lostLineEnd = false;
  readonly #taken: ReadonlySet<string>;
  readonly #variableOf = new Map<string, string>();
  #lastNumber = 0;

  /** `taken` are the names of loop variables. */
  constructor(taken: ReadonlySet<string>) {
    this.#taken = taken;
  }

  /** One word; nothing if the template is empty. */
  word(template: Template, rename: Rename): string | undefined {
    if (template.length === 0) return undefined;
    let word = "";
    let open = false;
    for (const piece of merged(template)) {
      if (piece.quoted !== open) word += '"';
      open = piece.quoted;
      if ("variable" in piece) word += `\${${rename(piece.variable)}}`;
      else if (piece.quoted) word += this.#escaped(piece.text);
      else word += word !== "" || !otherMeaning.test(piece.text) ? this.#bare(piece.text) : this.#variable(piece.text);
    }
    return open ? `${word}"` : word === "" ? '""' : word;
  }

  /** Several words after `-a` are joined by a blank, so bare text may have single blanks inside. */
  arguments(template: Template, rename: Rename): string | undefined {
    const words: Template[] = [[]];
    for (const piece of merged(template)) {
      const parts = "text" in piece && !piece.quoted ? piece.text.split(" ") : undefined;
      parts?.forEach((text, index) => {
        if (index > 0) words.push([]);
        if (text !== "") words.at(-1)!.push({ text, quoted: false });
      });
      if (!parts) words.at(-1)!.push(piece);
    }
    // Two blanks in a row would become one.
    if (words.length === 1 || words.some((word) => word.length === 0)) return this.word(template, rename);
    return words.map((word) => this.word(word, rename)).join(" ");
  }

  /** A program to be run without a shell: a quoted text that looks like a command line would be given to one. */
  program(template: Template, rename: Rename): string | undefined {
    return this.word(
      template.map((piece) => ({ ...piece, quoted: false })),
      rename,
    );
  }

  quoted(text: string): string {
    return `"${this.#escaped(text)}"`;
  }

  #escaped(text: string): string {
    if (text.includes("\n")) this.lostLineEnd = true;
    return text
      .replace(/\r?\n/g, " ")
      .replace(/["\\]/g, "\\$&")
      .replace(/\$\{/g, (start, at: number, whole: string) => {
        const name = /^\$\{([A-Z0-9_]+)\}/.exec(whole.slice(at, at + 100))?.[1];
        return name !== undefined && this.#isRunTime(name) ? start : `\\${start}`;
      });
  }

  #isRunTime(name: string): boolean {
    return isRunTimeVariable(name) && !this.#taken.has(name);
  }

  #bare(text: string): string {
    const names = [...text.matchAll(runTimeVariable)].map(([, name = ""]) => name);
    const sayable = bareText.test(text.replace(runTimeVariable, "")) && names.every((name) => this.#isRunTime(name));
    return sayable ? text : this.#variable(text);
  }

  #variable(text: string): string {
    let name = this.#variableOf.get(text);
    if (name === undefined) {
      do {
        this.#lastNumber += 1;
        name = `text${this.#lastNumber}`;
      } while (this.#taken.has(name));
      this.#variableOf.set(text, name);
      this.assignments.push(`${name} = ${this.quoted(text)}`);
    }
    return `\${${name}}`;
  }
}

/** Neighbouring texts of one kind as one, empty ones left out. */
function merged(template: Template): Template {
  const pieces: Piece[] = [];
  for (const piece of template) {
    const last = pieces.at(-1);
    if ("text" in piece && piece.text === "") continue;
    if ("text" in piece && last && "text" in last && last.quoted === piece.quoted) {
      pieces[pieces.length - 1] = { text: last.text + piece.text, quoted: last.quoted };
    } else pieces.push(piece);
  }
  return pieces;
}
