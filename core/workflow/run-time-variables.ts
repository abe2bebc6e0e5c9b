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

/** What is known of a task when a host is chosen for it. */
export interface RunTimeValues {
  /** As `uname -m` says it. */
  GW_ARCH: string;
  GW_JOB_ID: string;
  GW_HOSTNAME: string;
}

/** As Node names them → as `uname -m` does, which is how people name their programs. */
const machineNames: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64", ia32: "i686" };

export function machineName(arch: string): string {
  return machineNames[arch] ?? arch;
}

/** Unique among all jobs, and the same for every attempt at one. */
export function jobName(run: string, task: number): string {
  return `${run.slice(0, 8)}-${task}`;
}

export function withRunTimeValues(text: string, values: RunTimeValues): string {
  if (!text.includes("${GW_")) return text;
  return text.replace(/\$\{(GW_[A-Z_]+)\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? values[name as keyof RunTimeValues] : written,
  );
}

/** Whether a provided file could be the one that a name with variables stands for on some host. */
export function couldBe(name: string, provided: Iterable<string>): boolean {
  return matching(name, provided).length > 0;
}

/** The provided files that a name with variables may stand for. */
export function matching(name: string, provided: Iterable<string>): string[] {
  const pieces = name.split(/\$\{GW_[A-Z_]+\}/);
  if (pieces.length === 1) return [];
  const shape = new RegExp(`^${pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("[^/]+")}$`);
  return [...provided].filter((file) => shape.test(file));
}

/** A name that no two tasks share, and that nobody knows before the task runs: nothing can be inferred from it. */
export function isOfOneJob(name: string): boolean {
  return name.includes("${GW_JOB_ID}");
}
