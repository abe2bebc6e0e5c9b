/**
 * `gridloom convert FILE --to FORMAT [-o OUT]`: a workflow in another format, to standard output or into OUT, with the
 * files it needs beside it, or in it if OUT is a zip. FILE may be a zip too. What the other format cannot say is told on
 * standard error. Exit code 0 if it was written, 1 if FILE has errors, 2 if the command itself was wrong.
 */
import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type PrintedWorkflow, parseWorkflow } from "@/core/languages";
import { type Target, targets } from "@/core/languages/convert";
import { formatProblem, hasErrors } from "@/core/problem";
import { zipOf } from "@/core/zip";
import { filesBeside } from "./files-beside";
import type { CommandIo } from "./io";
import { openZip } from "./open-zip";
import { readText } from "./read-text";

type ConvertIo = Pick<CommandIo, "readFile" | "readBytes" | "stdout" | "stderr">;
type Write = (path: string, content: string | Uint8Array) => Promise<void>;

interface Request {
  file: string;
  target: Target;
  out?: string;
}

export async function runConvert(argv: readonly string[], io: ConvertIo, write: Write = writeFile): Promise<number> {
  const request = readRequest(argv);
  if (typeof request === "string") {
    io.stderr(`${request}\n${usage()}`);
    return 2;
  }
  const { file, out } = request;
  const opened = /\.zip$/i.test(file) ? await openZip(file, io) : await openText(file, io);
  if (opened === undefined) return 2;
  const { application, problems } = parseWorkflow(opened.text, opened.name, opened.readFile);
  for (const problem of problems) io.stderr(`${formatProblem(problem, file)}\n`);
  if (hasErrors(problems)) return 1;
  const printed = request.target.print(application);
  for (const problem of printed.problems) io.stderr(`${formatProblem(problem, out ?? file)}\n`);
  if (hasErrors(printed.problems)) return 1;
  return out === undefined ? show(printed, io) : store(printed, request.target.ending, out, io, write);
}

interface Opened {
  name: string;
  text: string;
  readFile(name: string): string | undefined;
}

async function openText(file: string, io: ConvertIo): Promise<Opened | undefined> {
  const text = await readText(file, io);
  return text === undefined ? undefined : { name: file, text, readFile: await filesBeside(text, file, io.readFile) };
}

function readRequest(argv: readonly string[]): Request | string {
  const files: string[] = [];
  let to: string | undefined;
  let out: string | undefined;
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!;
    if (argument === "--to" || argument === "-o") {
      const value = argv[++at];
      if (value === undefined) return `Something is missing after ${argument}.`;
      if (argument === "--to") to = value;
      else out = value;
    } else if (argument.startsWith("-") && argument !== "-") return `There is no option ${argument}.`;
    else files.push(argument);
  }
  const [file, ...extra] = files;
  if (file === undefined || extra.length > 0) return "One file is converted at a time.";
  if (to === undefined) return "Say the format with --to.";
  const target = targets.find(({ name }) => name === to);
  if (!target) return `There is no format ${to} to write.`;
  return out === undefined ? { file, target } : { file, target, out };
}

function show({ text, files = {} }: PrintedWorkflow, io: ConvertIo): number {
  io.stdout(text);
  const names = Object.keys(files);
  if (names.length > 0) {
    const shown = names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
    io.stderr(
      `It needs files that standard output has no room for: ${shown}. With -o OUT they are written beside it.\n`,
    );
  }
  return 0;
}

async function store(
  { text, files = {} }: PrintedWorkflow,
  ending: string,
  out: string,
  io: ConvertIo,
  write: Write,
): Promise<number> {
  const others = Object.entries(files);
  const all: [string, string | Uint8Array][] = /\.zip$/i.test(out)
    ? [
        [
          out,
          zipOf([{ name: mainName(out, ending), text }, ...others.map(([name, content]) => ({ name, text: content }))]),
        ],
      ]
    : [[out, text], ...others.map(([name, content]): [string, string] => [join(dirname(out), name), content])];
  for (const [path, content] of all) {
    try {
      await write(path, content);
    } catch (error) {
      io.stderr(`${path} cannot be written: ${reason(error)}\n`);
      return 2;
    }
  }
  return 0;
}

function mainName(out: string, ending: string): string {
  return `${basename(out).replace(/\.zip$/i, "")}${ending}`;
}

function usage(): string {
  return `usage: gridloom convert FILE --to ${targets.map(({ name }) => name).join("|")} [-o OUT]\n`;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
