/**
 * From a task's command to the words to run. Nothing here goes through a shell except a command line that was written as
 * one. A bare name is a staged input of that name if there is one, else a program on a fixed search path.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Assignment } from "@/core/protocol/agent";
import { isPassable } from "./shim";
import { taskPath } from "./task-environment";

export type Resolved =
  | { is: "runnable"; words: string[] /** An input to be made executable. */; program?: string }
  | { is: "missing"; detail: string };

export function resolveCommand(command: Assignment["command"], inputs: ReadonlySet<string>): Resolved {
  const text = command.is === "shell" ? [command.line] : [command.executable, ...command.arguments];
  if (!text.every(isPassable)) {
    return { is: "missing", detail: "The command contains a NUL character, which no program can be given." };
  }
  if (command.is === "shell") return { is: "runnable", words: ["/bin/sh", "-c", command.line] };
  const { executable } = command;
  const inDirectory = executable.replace(/^(\.\/+)+/, "");
  if (inputs.has(inDirectory)) {
    return { is: "runnable", words: [`./${inDirectory}`, ...command.arguments], program: inDirectory };
  }
  if (executable.startsWith("/")) {
    const reason = whyNotRunnable(executable);
    if (reason) return { is: "missing", detail: `The executable "${executable}" ${reason} on this host.` };
    return { is: "runnable", words: [executable, ...command.arguments] };
  }
  if (executable.includes("/")) {
    return { is: "missing", detail: `The executable "${executable}" is not among the task's input files.` };
  }
  const found = findOnPath(executable);
  if (found) return { is: "runnable", words: [found, ...command.arguments] };
  return {
    is: "missing",
    detail: `The executable "${executable}" is neither among the task's input files nor a program installed on this host.`,
  };
}

function findOnPath(name: string): string | undefined {
  return taskPath
    .split(":")
    .map((directory) => join(directory, name))
    .find((path) => whyNotRunnable(path) === undefined);
}

function whyNotRunnable(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return "does not exist";
    if (!found.isFile()) return "is not a file";
    if ((found.mode & 0o111) === 0) return "is not marked as executable";
    return undefined;
  } catch {
    // Not ours to enter; nor the task's.
    return "cannot be reached";
  }
}
