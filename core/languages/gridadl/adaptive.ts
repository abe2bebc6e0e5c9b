/**
 * The options of a task that may move while it runs (an addition to the language, GW-2, GW-4): what each is called, what it
 * takes, and how it is read and written. The parser, the printer and the folding of loops all look here.
 */
import {
  type AdaptiveTemplate,
  migrationWishes,
  readContract,
  troubleWishes,
  writeContract,
} from "@/core/workflow/adaptive";
import type { TaskTemplate, Template } from "@/core/workflow/application";
import type { Place, Word } from "./ast";
import type { Evaluator } from "./evaluate";
import { plainText } from "./values";

type TextField = "marker" | "requirementFile" | "rankFile" | "profile" | "evaluator" | "selector" | "wrapper";

/** Options that hold a text as the task gets it, with loop variables in it. */
const texts: Readonly<Record<string, TextField>> = {
  "-marker": "marker",
  "-requirement-file": "requirementFile",
  "-rank-file": "rankFile",
  "-profile": "profile",
  "-evaluator": "evaluator",
  "-selector": "selector",
  "-wrapper": "wrapper",
};
const around: Readonly<Record<string, "before" | "afterwards">> = { "-prolog": "before", "-epilog": "afterwards" };
const seconds: Readonly<Record<string, "checkpointSeconds" | "suspensionSeconds">> = {
  "-checkpoint": "checkpointSeconds",
  "-suspension": "suspensionSeconds",
};

export const adaptiveOptions = [
  "-restart",
  ...Object.keys(texts),
  ...Object.keys(around),
  ...Object.keys(seconds),
  "-contract",
  "-migrate",
  "-trouble",
] as const;
export type AdaptiveOption = (typeof adaptiveOptions)[number];

/** What is written after each option, for a message about an option with nothing after it. */
export function whatFollows(option: AdaptiveOption): string {
  if (option === "-restart") return "the files it can go on from";
  if (option in seconds) return "a number of seconds";
  if (option === "-contract") return 'seconds an iteration may take, as in "40", or a factor of the best, as in "1.5x"';
  if (option === "-migrate") return migrationWishes.join(", ");
  if (option === "-trouble") return troubleWishes.join(", ");
  return "a text";
}

/** Whether its value must be known while the text is read. */
export function needsItsValue(option: AdaptiveOption): boolean {
  return option in seconds || ["-contract", "-migrate", "-trouble"].includes(option);
}

type Report = (code: string, message: string, place: Place) => void;
type Part = Pick<TaskTemplate, "adaptive" | "before" | "afterwards">;

/** What the options say; nothing if one of them cannot be read, which is then reported. */
export function lowerAdaptive(
  given: ReadonlyMap<AdaptiveOption, Word[]>,
  evaluator: Evaluator,
  report: Report,
): Part | undefined {
  const adaptive: AdaptiveTemplate = {};
  const part: Part = {};
  for (const [option, words] of given) {
    const templates = words.map((word) => evaluator.template(word));
    const [first] = templates;
    const [word] = words;
    if (!word || !first || !templates.every((template): template is Template => template !== undefined))
      return undefined;
    const outer = around[option];
    const field = texts[option];
    if (option === "-restart") adaptive.restart = templates;
    else if (field) adaptive[field] = first;
    else if (outer) part[outer] = first;
    else if (!lowerValue(adaptive, option, word, evaluator, report)) return undefined;
  }
  if (Object.keys(adaptive).length > 0) part.adaptive = adaptive;
  return part;
}

function lowerValue(
  adaptive: AdaptiveTemplate,
  option: AdaptiveOption,
  word: Word,
  evaluator: Evaluator,
  report: Report,
): boolean {
  const value = evaluator.word(word);
  if (!value) return false;
  const text = plainText(value).trim();
  const refuse = () => {
    report(
      "gridadl/bad-value",
      `Expected ${whatFollows(option)} after "${option}", found "${text.slice(0, 40)}".`,
      word,
    );
    return false;
  };
  const field = seconds[option];
  if (field) {
    const number = Number(text);
    if (!/^\d{1,9}(\.\d{1,3})?$/.test(text) || number <= 0) return refuse();
    adaptive[field] = number;
  } else if (option === "-contract") {
    const contract = readContract(text);
    if (!contract) return refuse();
    adaptive.contract = contract;
  } else if (option === "-migrate") {
    const wish = migrationWishes.find((known) => known === text);
    if (!wish) return refuse();
    adaptive.migrate = wish;
  } else {
    const wish = troubleWishes.find((known) => known === text);
    if (!wish) return refuse();
    adaptive.trouble = wish;
  }
  return true;
}

/** The options as they are written, each with a blank before it. `word` prints a text, `quoted` a constant. */
export function printAdaptive(
  { adaptive = {}, before, afterwards }: Part,
  word: (template: Template) => string | undefined,
  quoted: (text: string) => string,
): string {
  let line = "";
  const say = (option: AdaptiveOption, value: string | undefined) => {
    if (value !== undefined) line += ` ${option} ${value}`;
  };
  const { restart = [], contract, migrate, trouble } = adaptive;
  const files = restart.flatMap((template) => word(template) ?? []);
  if (files.length > 0) say("-restart", files.join(" "));
  for (const [option, field] of Object.entries(texts)) {
    const template = adaptive[field];
    if (template) say(option, word(template));
  }
  if (before) say("-prolog", word(before));
  if (afterwards) say("-epilog", word(afterwards));
  for (const [option, field] of Object.entries(seconds)) {
    const value = adaptive[field];
    if (value !== undefined) say(option, String(value));
  }
  if (contract) say("-contract", quoted(writeContract(contract)));
  if (migrate) say("-migrate", migrate);
  if (trouble) say("-trouble", trouble);
  return line;
}
