/** What the fuzz tests of job templates start from. */
import { readFileSync } from "node:fs";
import type { Fuzzed } from "@/core/fuzz-for-tests";
import { buildWorkflow } from "@/core/workflow/build";
import { parseGridway } from ".";

const folder = new URL("../../../examples/gridway/", import.meta.url);
const files = new Map(
  ["figure5.jt", "pi.jt", "host_req.ldif"].map((name) => [name, readFileSync(new URL(name, folder), "utf8")]),
);

const texts = ["figure5.jt", "pi.jt"].map((name) => files.get(name)!);

const fragments = [
  ...[
    "EXECUTABLE = ",
    "EXECUTABLE_FILE=",
    "ARGUMENTS = ",
    "INPUT_FILES = ",
    "ENVIRONMENT = ",
    "REQUIREMENTS = ",
    "RANK = ",
  ],
  ...[
    "TOTAL_TASKS = 3\n",
    "PARAM_START = -5\n",
    "PARAM_INCREMENT = 0\n",
    "PARAM_INCREMENT = -2\n",
    "HOST_REQUIREMENTS_FILE = pi.jt\n",
  ],
  ...[
    "${",
    "${TASK_ID}",
    "${GW_PARAM}",
    "${X}",
    "}",
    '"',
    "'",
    "\\",
    ",",
    "=",
    "&",
    "(",
    ")",
    "!",
    "#",
    "\n",
    "\r\n",
    "\0",
    "é",
    "😀",
  ],
  ...["constructor = 1\n", "__proto__ = 1\n"],
];

export const read = (text: string) => parseGridway(text, { readFile: (name) => files.get(name) });

export const templates: Fuzzed = {
  name: "job templates",
  texts,
  fragments,
  read(text) {
    const { application, problems } = read(text);
    const [group] = application.groups;
    const isSmall =
      application.groups.length < 100 && group?.loops.every(({ values }) => !Array.isArray(values) && values.to < 1000);
    if (isSmall) buildWorkflow(application);
    return problems;
  },
};
