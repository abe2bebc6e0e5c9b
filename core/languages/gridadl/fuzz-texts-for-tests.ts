/** What the fuzz tests of GRID-ADL start from. */
import { readdirSync, readFileSync } from "node:fs";
import type { Fuzzed } from "@/core/fuzz-for-tests";
import { buildWorkflow } from "@/core/workflow/build";
import { parseGridAdl } from ".";

const examples = new URL("../../../examples/", import.meta.url);
const texts = readdirSync(examples, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".gadl"))
  .map((path) => readFileSync(new URL(path, examples), "utf8"));

const fragments = [
  ...["task ", "foreach ", "in ", "1..3", "graph ", "if ", "else", "do", "done", "transient ", "requirement = ("],
  ...["parent ", "child ", "final "],
  ...[
    "-e ",
    "-a ",
    "-i ",
    "-o ",
    "-c ",
    "-r ",
    " step ",
    " and ",
    "${GW_TASK_ID}",
    "${",
    "${T}",
    "}",
    "{",
    '"',
    "\\",
    ";",
    "(",
    ")",
    "=",
    "+",
    "^",
    "..",
    "#",
    "\n",
    "\0",
    "é",
    "😀",
  ],
];

export const gridadlTexts: Fuzzed = {
  name: "GRID-ADL texts",
  texts,
  fragments,
  read(text) {
    const { application, problems } = parseGridAdl(text);
    return [...problems, ...buildWorkflow(application).problems];
  },
};

/** Nonsense that goes on and on. */
export const endless: readonly [string, string][] = [
  ["words", "lorem ipsum\n"],
  ["one line of words", "lorem "],
  ["opening braces", "{"],
  ["nested loops", "foreach i in 1..2 {\n"],
  ["nested conditions", "if (1 == 1) {\n"],
  ["nested do blocks", "foreach i in 1..2 do\n"],
  ["parentheses", "X = ((((((((((\n"],
  ["one expression of parentheses", "("],
  ["quotes", '"'],
  ["dollars", "${"],
  ["unknown variables", "task ${abc} -e ${def}\n"],
  ["a sum", "X = 1 +\n"],
  ["sets", "foreach i in {\n"],
  ["conditions", "if (((1 \n"],
  ["backslashes", "\\"],
  ["closing", "}\ndone\n"],
  ["requirements", "requirement = (((\n"],
  ["options", "task -e -e -i -o\n"],
];
