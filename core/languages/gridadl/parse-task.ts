/**
 * `task [NAME] -e PROGRAM [-a ARGUMENTS] [-i FILES] [-o FILES] [-c WEIGHT] [-r REQUIREMENT] [-q NEEDS] [-w TASK=CODES] [-j]
 * [-s FILE] [done]`, with the options of adaptive.ts, over as many lines as start with an option. `done` at the end of such a line marks the task; on a line of its own it closes a `do` block.
 */
import { adaptiveOptions, whatFollows } from "./adaptive";
import type { Place, TaskStatement, Word, WordPiece } from "./ast";
import type { Lexer, Token } from "./lexer";
import { isOption, type ParseContext, unexpected } from "./parse-context";

const plainOptions = ["-e", "-a", "-i", "-o", "-c", "-r", "-q", "-w", "-j", "-s"] as const;
const options: readonly string[] = [...plainOptions, ...adaptiveOptions];
const repeatable: ReadonlySet<string> = new Set(["-i", "-o", "-q", "-w", "-restart"]);
type Option = string;

interface Draft {
  executable?: Word;
  arguments?: Word;
  inputs: Word[];
  outputs: Word[];
  weight?: Word;
  requirement?: Word;
  when: Word[];
  join: boolean;
  needs: Word[];
  spawns?: Word;
  adaptive: Map<string, Word[]>;
  done: boolean;
  /** Something about it was wrong and reported; it is still read to its end. */
  flawed: boolean;
}

/** After the keyword `task`. Returns nothing if any part of it was wrong: half a task would only cause further errors. */
export function parseTask(context: ParseContext, keyword: Place): TaskStatement | undefined {
  const { lexer } = context;
  const draft: Draft = {
    ...{ inputs: [], outputs: [], when: [], join: false, needs: [] },
    ...{ adaptive: new Map(), done: false, flawed: false },
  };
  const name = isValue(lexer.peek("words")) ? lexer.take("words") : undefined;
  let end = name?.end ?? keyword.end;
  const given = new Set<Option>();
  for (;;) {
    const token = lexer.peek("words");
    if (token.kind === "line-end") {
      if (!continuesOnNextLine(lexer)) break;
    } else if (isOption(token)) {
      parseOption(context, draft, given);
    } else if (token.bare === "done") {
      lexer.take("words");
      draft.done = true;
    } else if (isValue(token)) {
      strayWord(context, token, given);
      lexer.take("words");
      draft.flawed = true;
    } else if (token.kind === "{" || token.kind === ";") {
      unexpected(context, "an option or the end of the line", "words");
      lexer.take("words");
      draft.flawed = true;
    } else break;
    if (token.kind !== "line-end") end = lexer.position;
  }
  if (!given.has("-e")) {
    const which = name ? `Task ${context.text.slice(name.start, Math.min(name.end, name.start + 40))}` : "This task";
    context.error("gridadl/missing-executable", `${which} says no program to run; expected "-e PROGRAM".`, {
      start: keyword.start,
      end: name?.end ?? keyword.end,
    });
  }
  if (draft.flawed || !draft.executable) return undefined;
  const { executable, inputs, outputs, weight, requirement, when, join, needs, spawns, done } = draft;
  const { start } = keyword;
  const task: TaskStatement = { is: "task", executable, inputs, outputs, when, join, needs, done, start, end };
  if (name) task.name = name;
  if (draft.arguments) task.arguments = draft.arguments;
  if (weight) task.weight = weight;
  if (requirement) task.requirement = requirement;
  if (spawns) task.spawns = spawns;
  if (draft.adaptive.size > 0) task.adaptive = draft.adaptive;
  return task;
}

function parseOption(context: ParseContext, draft: Draft, given: Set<Option>): void {
  const token = context.lexer.take("words");
  const option = options.find((candidate) => candidate === token.bare);
  if (!option) {
    draft.flawed = true;
    unknownOption(context, token, given);
    while (isValue(context.lexer.peek("words"))) context.lexer.take("words");
    return;
  }
  if (given.has(option) && !repeatable.has(option)) {
    draft.flawed = true;
    context.error("gridadl/repeated-option", `"${option}" is given twice for one task.`, token);
  }
  given.add(option);
  if (!readValue(context, option, token, draft)) draft.flawed = true;
}

function readValue(context: ParseContext, option: Option, place: Token, draft: Draft): boolean {
  switch (option) {
    case "-e":
      draft.executable = takeOne(context, option, "the program to run", place);
      return draft.executable !== undefined;
    case "-a":
      draft.arguments = takeArguments(context, place);
      return draft.arguments !== undefined;
    case "-i":
      return takeFiles(context, option, draft.inputs, place);
    case "-o":
      return takeFiles(context, option, draft.outputs, place);
    case "-c":
      draft.weight = takeOne(context, option, "a number", place);
      return draft.weight !== undefined;
    case "-r":
      draft.requirement = takeOne(context, option, "what the task needs of a host, in quotes", place);
      return draft.requirement !== undefined;
    case "-q":
      return takeSeveral(context, option, "what the task needs, such as memory=2GB", draft.needs, place);
    case "-w":
      return takeSeveral(context, option, "a task and its exit codes, such as check=0", draft.when, place);
    case "-j":
      draft.join = true;
      return true;
    case "-s":
      draft.spawns = takeOne(context, option, "the file in which the task hands in further tasks", place);
      return draft.spawns !== undefined;
    case "-restart": {
      const files = draft.adaptive.get(option) ?? [];
      draft.adaptive.set(option, files);
      return takeFiles(context, option, files, place);
    }
    default: {
      const word = takeOne(context, option, whatFollows(option), place);
      if (word) draft.adaptive.set(option, [word]);
      return word !== undefined;
    }
  }
}

function takeOne(context: ParseContext, option: Option, what: string, place: Place): Word | undefined {
  if (!isValue(context.lexer.peek("words"))) return nothingAfter(context, option, what, place);
  return context.lexer.take("words");
}

function takeSeveral(context: ParseContext, option: Option, what: string, words: Word[], place: Place): boolean {
  const { lexer } = context;
  if (!isValue(lexer.peek("words"))) {
    nothingAfter(context, option, what, place);
    return false;
  }
  while (isValue(lexer.peek("words"))) words.push(lexer.take("words"));
  return true;
}

function takeArguments(context: ParseContext, place: Place): Word | undefined {
  const { lexer } = context;
  const first = lexer.peek("words");
  if (!isValue(first)) return nothingAfter(context, "-a", "the program's arguments", place);
  const pieces: WordPiece[] = [];
  let end = first.start;
  for (let token = first; isValue(token) || token.kind === ";"; token = lexer.peek("words")) {
    lexer.take("words");
    if (token.start > end) pieces.push({ is: "text", text: " ", quoted: false });
    if (token.kind === ";") pieces.push({ is: "text", text: ";", quoted: false });
    else pieces.push(...token.pieces);
    end = token.end;
  }
  return { pieces, start: first.start, end };
}

function takeFiles(context: ParseContext, option: Option, files: Word[], place: Place): boolean {
  if (!isValue(context.lexer.peek("words"))) {
    nothingAfter(context, option, "a file name", place);
    return false;
  }
  return parseFiles(context, files);
}

/** File names separated by blanks or `;`. */
export function parseFiles(context: ParseContext, files: Word[]): boolean {
  const { lexer } = context;
  let sound = true;
  for (let token = lexer.peek("words"); isValue(token) || token.kind === ";"; token = lexer.peek("words")) {
    lexer.take("words");
    if (token.kind === ";") continue;
    if (token.bare?.startsWith("'")) {
      sound = false;
      context.error("gridadl/single-quote", `Names with blanks are put in double quotes: "…".`, token);
    }
    files.push(token);
  }
  return sound;
}

/** Takes the line ends ahead if an option follows them. */
function continuesOnNextLine(lexer: Lexer): boolean {
  const { position } = lexer;
  while (lexer.peek("words").kind === "line-end") lexer.take("words");
  if (isOption(lexer.peek("words"))) return true;
  lexer.position = position;
  return false;
}

/** A word that is neither an option nor `done`. */
export function isValue(token: Token): boolean {
  return token.kind === "word" && !isOption(token) && token.bare !== "done";
}

function nothingAfter(context: ParseContext, option: Option, what: string, place: Place): undefined {
  const next = context.lexer.peek("words");
  const hint = isOption(next) ? ` A value that starts with "-" goes in quotes.` : "";
  return context.error("gridadl/missing-value", `Expected ${what} after "${option}".${hint}`, place);
}

function strayWord(context: ParseContext, token: Token, given: ReadonlySet<Option>): void {
  const hint = given.has("-e") ? 'arguments of the program follow "-a"' : 'expected "-e PROGRAM"';
  const written = context.text.slice(token.start, Math.min(token.end, token.start + 40));
  context.error("gridadl/unexpected", `"${written}" belongs to no option; ${hint}.`, token);
}

function unknownOption(context: ParseContext, token: Token, given: ReadonlySet<Option>): void {
  const written = context.text.slice(token.start, Math.min(token.end, token.start + 40));
  const glued = plainOptions.find((option) => written.startsWith(option));
  const quotes = given.has("-a") ? ` An argument of the program goes in quotes: -a "${written}".` : "";
  const hint =
    glued && written.length > 2
      ? `Put a blank after "${glued}".`
      : `A task has the options -e, -a, -i, -o, -c, -r, -q, -w, -j and -s, and those of a task that may move.${quotes}`;
  context.error("gridadl/unknown-option", `Unknown option "${written}". ${hint}`, token);
}
