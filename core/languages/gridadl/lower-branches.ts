/** What Gridloom adds to a `task` statement: conditions on exit codes (`-w`) and what it needs (`-q`). */
import type { TaskTemplate, Template } from "@/core/workflow/application";
import { type ExitCodes, parseExitCodes } from "@/core/workflow/exit-codes";
import { addNeed, type Needs } from "@/core/workflow/needs";
import type { Word } from "./ast";
import type { Evaluator } from "./evaluate";
import type { TaskReports } from "./lower-task";
import { plainText } from "./values";

/** Nothing if one of them is wrong, which is then reported. */
export function lowerConditions(
  words: readonly Word[],
  evaluator: Evaluator,
  reports: TaskReports,
): TaskTemplate["when"] | undefined {
  const conditions: NonNullable<TaskTemplate["when"]> = [];
  for (const word of words) {
    const template = evaluator.template(word);
    if (!template) return undefined;
    const condition = splitCondition(template);
    if (!condition) {
      const message = 'After "-w" stands a task and its exit codes: -w check=0 or -w "check=3,10-20".';
      reports.error("gridadl/bad-condition", message, word);
      return undefined;
    }
    conditions.push(condition);
  }
  return conditions;
}

/** At the last `=`: the names of tasks may have others. */
function splitCondition(template: Template): { task: Template; exits: ExitCodes } | undefined {
  const last = template.at(-1);
  if (!last || !("text" in last)) return undefined;
  const equals = last.text.lastIndexOf("=");
  const exits = equals < 0 ? undefined : parseExitCodes(last.text.slice(equals + 1));
  const rest = last.text.slice(0, Math.max(0, equals));
  const task = [...template.slice(0, -1), ...(rest === "" ? [] : [{ text: rest, quoted: last.quoted }])];
  return exits && task.length > 0 ? { task, exits } : undefined;
}

export function lowerNeeds(words: readonly Word[], evaluator: Evaluator, reports: TaskReports): Needs | undefined {
  const needs: Needs = {};
  for (const word of words) {
    const value = evaluator.word(word);
    if (!value) return undefined;
    // Several in one pair of quotes are as good as several words.
    for (const part of plainText(value).split(/\s+/).filter(Boolean)) {
      const problem = addNeed(needs, part);
      if (problem === undefined) continue;
      reports.error("gridadl/bad-need", problem, word);
      return undefined;
    }
  }
  return needs;
}
