/** One `task` statement as a template: which program, by a shell or not, with which arguments and files. */
import type { Piece, TaskTemplate, Template } from "@/core/workflow/application";
import { parseWords } from "@/core/workflow/shell-words";
import { lowerAdaptive } from "./adaptive";
import type { Place, TaskStatement, Word } from "./ast";
import type { Evaluator } from "./evaluate";
import { lowerConditions, lowerNeeds } from "./lower-branches";
import { plainText } from "./values";

export interface TaskReports {
  error(code: string, message: string, place: Place): void;
  warning(code: string, message: string, place: Place): void;
  /** The requirement as a ClassAd expression; nothing if it cannot be read, which is then reported. */
  requirement(text: string, place: Place): TaskTemplate["requirement"];
}

const shellCharacters = /[\s|&;<>()$`\\"'*?[\]#~{}!]/;

export function lowerTask(
  statement: TaskStatement,
  evaluator: Evaluator,
  reports: TaskReports,
): TaskTemplate | undefined {
  const name = statement.name && evaluator.template(statement.name);
  const executable = evaluator.template(statement.executable);
  const args = statement.arguments ? evaluator.template(statement.arguments) : [];
  const inputs = templates(statement.inputs, evaluator);
  const outputs = templates(statement.outputs, evaluator);
  const requirement = statement.requirement && readRequirement(statement.requirement, evaluator, reports);
  const adaptive = lowerAdaptive(statement.adaptive ?? new Map(), evaluator, (...said) => reports.error(...said));
  const weight = statement.weight ? readWeight(statement.weight, evaluator, reports) : 1;
  if ((statement.name && !name) || !executable || !args || !inputs || !outputs || weight === undefined)
    return undefined;
  if ((statement.requirement && !requirement) || !adaptive) return undefined;
  const when = lowerConditions(statement.when, evaluator, reports);
  const needs = lowerNeeds(statement.needs, evaluator, reports);
  const spawns = statement.spawns && evaluator.template(statement.spawns);
  if (!when || !needs || (statement.spawns && !spawns)) return undefined;
  if (statement.name && name && isEmpty(name)) {
    reports.error("gridadl/empty-name", "The task's name is empty.", statement.name);
    return undefined;
  }
  if (isEmpty(executable)) {
    reports.error("gridadl/missing-executable", "The program to run is an empty text.", statement.executable);
    return undefined;
  }
  const shell = isCommandLine(executable);
  if (!shell && executable.some((piece) => "text" in piece && /\s/.test(piece.text))) {
    const message = 'The name of this program contains a blank; to run it as a command line, put it in quotes: -e "…".';
    reports.warning("gridadl/blank-in-executable", message, statement.executable);
  }
  if (statement.arguments && !checkQuotes(args, statement.arguments, reports)) return undefined;
  const task: TaskTemplate = { executable, shell, arguments: args, inputs, outputs, weight, done: statement.done };
  Object.assign(task, adaptive);
  if (name) task.name = name;
  if (requirement) task.requirement = requirement;
  if (when.length > 0) task.when = when;
  if (statement.join) task.join = true;
  if (spawns) task.spawns = spawns;
  return Object.assign(task, needs);
}

/** A quoted `-e` with a blank or a character of the shell's (Fig. G.3) is a command line; any other is a program. */
export function isCommandLine(executable: Template): boolean {
  return executable.some((piece) => piece.quoted && "text" in piece && shellCharacters.test(piece.text));
}

function templates(words: readonly Word[], evaluator: Evaluator): Template[] | undefined {
  const made = words.map((word) => evaluator.template(word));
  return made.every((template) => template !== undefined) ? made : undefined;
}

function readWeight(word: Word, evaluator: Evaluator, reports: TaskReports): number | undefined {
  const weight = evaluator.number({ is: "word", word, start: word.start, end: word.end }, 'The weight after "-c"');
  if (weight === undefined || weight >= 0) return weight;
  reports.error("gridadl/bad-weight", `The weight after "-c" must not be negative; this is ${weight}.`, word);
  return undefined;
}

function readRequirement(word: Word, evaluator: Evaluator, reports: TaskReports): TaskTemplate["requirement"] {
  const value = evaluator.word(word);
  return value && reports.requirement(plainText(value), word);
}

function checkQuotes(args: Template, place: Place, reports: TaskReports): boolean {
  const { unclosed } = parseWords(args.map((piece) => ("text" in piece ? piece.text : "x")).join(""));
  if (unclosed === undefined) return true;
  const message =
    unclosed === "\\" ? "The arguments end in a backslash." : `The ${unclosed} in the arguments is not closed.`;
  reports.error("gridadl/unclosed-argument", message, place);
  return false;
}

function isEmpty(template: Template): boolean {
  return template.every((piece: Piece) => "text" in piece && piece.text === "");
}
