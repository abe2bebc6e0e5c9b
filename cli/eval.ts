/**
 * `gridloom eval`: prints the value of a ClassAd expression, as HTCondor would.
 *   eval 'EXPR' [--my FILE] [--target FILE]     one value
 *   eval - …                                    one expression a line from standard input, one value a line
 *   --new      print reals with an exponent, as classad_eval does, instead of as condor_status -af:r does
 *   --gridbot  read GridBot's dialect
 */
import {
  compile,
  type Dialect,
  type EvaluationContext,
  evaluate,
  parseExpression,
  type RealStyle,
  readAd,
  unparse,
} from "@/core/expressions";
import type { CommandIo } from "./io";
import { readParsed } from "./read-text";

type EvalIo = Pick<CommandIo, "readFile" | "stdin" | "stdout" | "stderr">;

const usage = "usage: gridloom eval 'EXPR' | - [--my FILE] [--target FILE] [--new] [--gridbot]\n";

interface Options {
  expression: string;
  my?: string;
  target?: string;
  reals: RealStyle;
  dialect: Dialect;
}

function readOptions(argv: readonly string[]): Options | string {
  const options: Options = { expression: "", reals: "digits", dialect: "classad" };
  let seen = false;
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    if (word === "--my" || word === "--target") {
      const file = argv[++i];
      if (file === undefined) return `${word} needs the name of a file.`;
      options[word === "--my" ? "my" : "target"] = file;
    } else if (word === "--new") options.reals = "exponent";
    else if (word === "--gridbot") options.dialect = "gridbot";
    // An expression may well begin with a minus; only words that look like options are taken for them.
    else if (/^--[a-z]/.test(word) && seen) return `There is no option ${word}.`;
    else if (seen) return "Only one expression can be given; quote it if it contains blanks.";
    else {
      options.expression = word;
      seen = true;
    }
  }
  return seen ? options : "An expression is needed, or - to read expressions from standard input.";
}

export async function runEval(argv: readonly string[], io: EvalIo): Promise<number> {
  const options = readOptions(argv);
  if (typeof options === "string") {
    io.stderr(`${options}\n${usage}`);
    return 2;
  }
  const context: EvaluationContext = { now: () => Date.now() / 1000, random: Math.random };
  for (const side of ["my", "target"] as const) {
    const file = options[side];
    if (file === undefined) continue;
    const read = await readParsed(file, io, readAd);
    if (!read) return 1;
    context[side] = read.ad;
  }
  const { expression } = options;
  if (expression !== "-") return printValue(expression, "expression", options, context, io) ? 0 : 1;

  const lines = (await io.stdin()).split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  let allWell = true;
  for (const [index, line] of lines.entries()) {
    if (!printValue(line, `line ${index + 1}`, options, context, io)) {
      // The line keeps its place, so that input and output can be laid side by side.
      io.stdout("error\n");
      allWell = false;
    }
  }
  return allWell ? 0 : 1;
}

function printValue(text: string, where: string, options: Options, context: EvaluationContext, io: EvalIo): boolean {
  const parsed = parseExpression(text, { dialect: options.dialect });
  if (!parsed.ok) {
    const { at, message } = parsed.problem;
    io.stderr(`${where}:${at ? `${at.line > 1 ? `${at.line}:` : ""}${at.column}` : 1}: ${message}\n`);
    if (at && !text.includes("\n") && text.length < 500) {
      io.stderr(`  ${text}\n  ${" ".repeat(at.column - 1)}^\n`);
    }
    return false;
  }
  io.stdout(`${unparse(evaluate(compile(parsed.value), context), options.reals) ?? "error"}\n`);
  return true;
}
