/**
 * The common case, read in one go: a `task` on one line, outside blocks, without variables. Workflows made by programs
 * have a million such lines. Whatever is not plainly that is left to the parser, which also finds the errors; both
 * give the same task for the same line.
 */
import type { TaskTemplate, Template } from "@/core/workflow/application";
import { NameTable } from "@/core/workflow/name-table";
import type { Place } from "./ast";
import { isCommandLine } from "./lower-task";

/** What a character can be here; anything else needs the parser. */
const other = 0;
const inWord = 1;
const blank = 2;
const lineEnd = 3;
const quote = 4;
const semicolon = 5;

/** By ASCII code. */
const classes = new Uint8Array(128);
for (let code = 33; code < 127; code++) classes[code] = inWord;
for (const character of "#$\\{}'") classes[character.charCodeAt(0)] = other;
for (const character of " \t\r") classes[character.charCodeAt(0)] = blank;
classes["\n".charCodeAt(0)] = lineEnd;
classes['"'.charCodeAt(0)] = quote;
classes[";".charCodeAt(0)] = semicolon;

const minus = "-".charCodeAt(0);
const weightPattern = /^\d+(?:\.\d+)?$/;

/** Shared by all tasks that have none. */
const noPieces: Template = [];
const noFiles: Template[] = [];

export interface PlainTask {
  task: TaskTemplate;
  place: Place;
  /** The end of its line. */
  next: number;
}

interface Draft {
  executable?: Template;
  arguments?: Template;
  inputs: Template[];
  outputs: Template[];
  weight?: number;
}

export class PlainTaskReader {
  readonly #text: string;
  /** A file is named by its producer and by every reader: one template for all. */
  readonly #fileNames = new NameTable();
  readonly #files: Template[] = [];
  #lastExecutable: Template = noPieces;
  #lastArguments: Template = noPieces;
  #at = 0;
  /** The word read last. */
  #word = "";
  #quoted = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** The task that starts after the blanks and line ends at this offset, if it is a plain one. */
  read(offset: number): PlainTask | undefined {
    this.#at = offset;
    this.#skipBlankLines();
    const start = this.#at;
    if (!this.#text.startsWith("task", start) || this.#classAt(start + 4) !== blank) return undefined;
    this.#at = start + 4;
    this.#skipBlanks();
    let name: Template | undefined;
    if (!this.#isAtOption()) {
      if (!this.#takeWord() || this.#isDone()) return undefined;
      name = this.#template();
    }
    const draft: Draft = { inputs: noFiles, outputs: noFiles };
    let end = this.#at;
    let done = false;
    for (this.#skipBlanks(); this.#classAt(this.#at) !== lineEnd; this.#skipBlanks()) {
      if (this.#isAtOption()) {
        if (!this.#takeOption(draft)) return undefined;
      } else if (this.#takeWord() && this.#isDone()) done = true;
      else return undefined;
      end = this.#at;
    }
    const { executable, inputs, outputs, weight = 1 } = draft;
    const next = this.#at;
    if (!executable || this.#mayContinue()) return undefined;
    const shell = isCommandLine(executable);
    const task: TaskTemplate = {
      executable,
      shell,
      arguments: draft.arguments ?? noPieces,
      inputs,
      outputs,
      weight,
      done,
    };
    if (name) task.name = name;
    return { task, place: { start, end }, next };
  }

  #takeOption(draft: Draft): boolean {
    const option = this.#text[this.#at + 1];
    if (this.#classAt(this.#at + 2) !== blank) return false;
    this.#at += 2;
    this.#skipBlanks();
    if (this.#isAtOption() || !this.#takeWord() || this.#isDone()) return false;
    switch (option) {
      case "e":
        if (draft.executable) return false;
        draft.executable = this.#lastExecutable = this.#templateLike(this.#lastExecutable);
        return true;
      case "a":
        // The parser checks the quotes inside arguments.
        if (draft.arguments || this.#word.includes("'")) return false;
        draft.arguments = this.#lastArguments = this.#templateLike(this.#lastArguments);
        return true;
      case "i":
        draft.inputs = this.#takeFiles(draft.inputs);
        return true;
      case "o":
        draft.outputs = this.#takeFiles(draft.outputs);
        return true;
      case "c":
        if (draft.weight !== undefined || !weightPattern.test(this.#word)) return false;
        draft.weight = Number(this.#word);
        return true;
      default:
        return false;
    }
  }

  /** The word just read and those that follow it, up to an option or the end of the line. */
  #takeFiles(files: Template[]): Template[] {
    const all = files.length === 0 ? [this.#file()] : [...files, this.#file()];
    for (;;) {
      const before = this.#at;
      this.#skipBlanks();
      while (this.#classAt(this.#at) === semicolon) {
        this.#at += 1;
        this.#skipBlanks();
      }
      // What is no further file is for the caller to look at.
      if (this.#isAtOption() || !this.#takeWord() || this.#isDone()) {
        this.#at = before;
        return all;
      }
      all.push(this.#file());
    }
  }

  #takeWord(): boolean {
    const start = this.#at;
    this.#quoted = this.#classAt(start) === quote;
    if (this.#quoted) return this.#takeQuoted(start + 1);
    let at = start;
    while (this.#classAt(at) === inWord) at += 1;
    if (at === start || !this.#endsWord(at)) return false;
    this.#word = this.#text.slice(start, at);
    this.#at = at;
    return true;
  }

  #takeQuoted(start: number): boolean {
    const text = this.#text;
    let at = start;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 34) break;
      // A backslash, a dollar, the end of the line.
      if (code === 92 || code === 36 || code === 10) return false;
    }
    if (at === start || at >= text.length || !this.#endsWord(at + 1)) return false;
    this.#word = text.slice(start, at);
    this.#at = at + 1;
    return true;
  }

  #endsWord(at: number): boolean {
    const kind = this.#classAt(at);
    return kind === blank || kind === lineEnd || kind === semicolon;
  }

  #isDone(): boolean {
    return !this.#quoted && this.#word === "done";
  }

  /** A word that starts with `-` and a letter, whatever else it is. */
  #isAtOption(): boolean {
    if (this.#text.charCodeAt(this.#at) !== minus) return false;
    const letter = this.#text.charCodeAt(this.#at + 1) | 32;
    return letter >= 97 && letter <= 122;
  }

  /** Whether the next line might go on with an option; a comment between them is the parser's. */
  #mayContinue(): boolean {
    const before = this.#at;
    this.#skipBlankLines();
    const kind = this.#classAt(this.#at);
    const may = this.#at < this.#text.length && (kind === other || this.#isAtOption());
    this.#at = before;
    return may;
  }

  #template(): Template {
    return [{ text: this.#word, quoted: this.#quoted }];
  }

  /** Neighbouring tasks often run the same program with the same arguments. */
  #templateLike(last: Template): Template {
    const piece = last[0];
    const same = piece && "text" in piece && piece.text === this.#word && piece.quoted === this.#quoted;
    return same ? last : this.#template();
  }

  #file(): Template {
    if (this.#quoted) return this.#template();
    const number = this.#fileNames.add(this.#word);
    if (number === this.#files.length) this.#files.push(this.#template());
    return this.#files[number]!;
  }

  #skipBlanks(): void {
    while (this.#classAt(this.#at) === blank) this.#at += 1;
  }

  #skipBlankLines(): void {
    let kind = this.#classAt(this.#at);
    while ((kind === blank || kind === lineEnd) && this.#at < this.#text.length) {
      this.#at += 1;
      kind = this.#classAt(this.#at);
    }
  }

  /** The end of the text ends a line. */
  #classAt(at: number): number {
    if (at >= this.#text.length) return lineEnd;
    const code = this.#text.charCodeAt(at);
    return code < 128 ? classes[code]! : other;
  }
}
