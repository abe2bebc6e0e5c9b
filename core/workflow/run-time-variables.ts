/**
 * Variables of GridWay's that have a value only when a task runs: `${GW_ARCH}` is the architecture of the host that was
 * chosen. They stay in the texts as they are written, for the host to fill in; only a task's own number is known before.
 */
import type { Template } from "./application";

const taskNumber = "${GW_TASK_ID}";

export function isRunTimeVariable(name: string): boolean {
  return /^GW_[A-Z0-9_]+$/.test(name);
}

/** Names in a task's environment that the run gives their values; a workflow cannot. */
export function isSetByTheRun(name: string): boolean {
  return /^(?:GRIDLOOM|GW)_/.test(name);
}

/** The text with the task's number, from 0, filled in. */
export function withTaskNumber(text: string, task: number): string {
  return text.includes(taskNumber) ? text.replaceAll(taskNumber, String(task)) : text;
}

/** Whether each task of a loop gets another text out of it although no loop variable is in it. */
export function dependsOnTaskNumber(template: Template): boolean {
  return template.some((piece) => "text" in piece && piece.text.includes(taskNumber));
}

/** A name that no two tasks share, and that nobody knows before the task runs: nothing can be inferred from it. */
export function isOfOneJob(name: string): boolean {
  return name.includes("${GW_JOB_ID}");
}
