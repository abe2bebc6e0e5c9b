/**
 * From a task's command to the words to run. Nothing here goes through a shell except a command line that was written as
 * one. A bare name is a staged input of that name if there is one, else a program on a fixed search path.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Assignment } from "@/core/protocol/agent";
import { isPassable, type ShimRequest } from "./shim";
import { findMeans, withSoftware } from "./software";
import { taskPath, wantedEnvironment } from "./task-environment";

/** The words to start, each with everything in it that shuts the task in. */
export type Commands = Pick<ShimRequest, "words" | "before" | "afterwards">;

/** The task's command and those around it. `programs`: inputs to be made executable. */
export function resolveCommands(
  assignment: Assignment,
  isolation: readonly string[],
): { is: "runnable"; commands: Commands; programs: Set<string>; beside: Beside } | { is: "missing"; detail: string } {
  const inputs = new Set(assignment.inputs.map(({ name }) => name));
  const environment = wantedEnvironment(assignment);
  const programs = new Set<string>();
  const commands = { words: [] as string[], before: [] as string[], afterwards: [] as string[] };
  for (const [part, command] of [
    ["words", assignment.command],
    ["before", asCommand(assignment.before)],
    ["afterwards", asCommand(assignment.afterwards)],
  ] as const) {
    if (!command) continue;
    const software = part === "words" ? (assignment.software ?? []) : [];
    const resolved = resolveCommand(
      command,
      inputs,
      software.some(({ is }) => is !== "installed"),
    );
    if (resolved.is === "missing") return resolved;
    if (resolved.program !== undefined) programs.add(resolved.program);
    // A wrapper is given the program it is to start.
    for (const word of command.is === "exec" ? command.arguments : []) {
      if (word.startsWith("./") && inputs.has(word.slice(2))) programs.add(word.slice(2));
    }
    const brought = software.length > 0 ? withSoftware(resolved.words, software, findMeans()) : resolved;
    if ("missing" in brought) return { is: "missing", detail: brought.missing };
    const words = part === "words" ? withInput(brought.words, assignment.stdin) : brought.words;
    commands[part] = [...isolation, ...withEnvironment(words, environment)];
  }
  const beside: Beside = {};
  for (const part of ["evaluator", "selector"] as const) {
    const command = asCommand(assignment.adaptive?.[part]);
    if (!command) continue;
    const resolved = resolveCommand(command, inputs);
    if (resolved.is === "missing") return resolved;
    if (resolved.program !== undefined) programs.add(resolved.program);
    beside[part] = [...isolation, ...withEnvironment(resolved.words, environment)];
  }
  return { is: "runnable", commands, programs, beside };
}

/** Programs run beside the task's own (beside.ts). */
export interface Beside {
  evaluator?: readonly string[];
  selector?: readonly string[];
}

function asCommand(words: readonly string[] | undefined): Assignment["command"] | undefined {
  const [executable, ...rest] = words ?? [];
  return executable === undefined ? undefined : { is: "exec", executable, arguments: rest };
}

/** Opened by the task itself: what is under that name may be the task's doing, and the shim may be root. */
function withInput(words: readonly string[], file: string | undefined): readonly string[] {
  return file === undefined
    ? words
    : ["/bin/sh", "-c", 'file=$1; shift; exec "$@" <"$file"', "sh", `./${file}`, ...words];
}

function withEnvironment(words: readonly string[], environment: readonly string[]): readonly string[] {
  if (environment.length === 0) return words;
  // `env` takes words for variables until one has no "=".
  const shield = words[0]?.includes("=") ? ["/bin/sh", "-c", 'exec "$@"', "sh"] : [];
  return ["env", ...environment, ...shield, ...words];
}

export type Resolved =
  | { is: "runnable"; words: string[] /** An input to be made executable. */; program?: string }
  | { is: "missing"; detail: string };

/** `elsewhere`: programs are looked for where the task will be, in a container or an environment. */
export function resolveCommand(
  command: Assignment["command"],
  inputs: ReadonlySet<string>,
  elsewhere = false,
): Resolved {
  if (command.is === "no-op") return { is: "runnable", words: ["true"] };
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
  if (elsewhere && (executable.startsWith("/") || !executable.includes("/"))) {
    return { is: "runnable", words: [executable, ...command.arguments] };
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
