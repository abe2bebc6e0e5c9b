/**
 * Finding a task's processes where it has no account of its own: those that descend from its shim, and those that carry the
 * attempt's id in the environment they were started with, wherever they went (a daemon becomes a child of init).
 */
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { descendantsOf, listProcesses, type Process, signal, startOf } from "../processes";
import { attemptVariable } from "../task-environment";
import type { TaskProcesses } from "./isolation";

export async function strikeMarked(task: TaskProcesses): Promise<number> {
  const found = findMarked(task, await listProcesses());
  for (const { pid } of found) signal(pid, "SIGKILL");
  return found.length;
}

/** Kills until a look at all processes finds none. */
export async function clearMarked(task: TaskProcesses): Promise<void> {
  for (let pause = 1; (await strikeMarked(task)) > 0; pause = Math.min(pause * 2, 200)) await delay(pause);
}

function findMarked(task: TaskProcesses, all: readonly Process[]): Process[] {
  const found = new Map(descendantsOfShim(task, all).map((process) => [process.pid, process]));
  const self = process.getuid?.();
  const mark = `${attemptVariable}=${task.attempt}\0`;
  for (const one of all) if (one.uid === self && carries(one.pid, mark)) found.set(one.pid, one);
  return [...found.values()];
}

export function descendantsOfShim(task: TaskProcesses, all: readonly Process[]): Process[] {
  return startOf(task.shimPid) === task.shimStart ? descendantsOf(task.shimPid, all) : [];
}

function carries(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
  } catch {
    return false;
  }
}
