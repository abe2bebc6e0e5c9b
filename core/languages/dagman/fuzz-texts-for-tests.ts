/** What the fuzz tests of DAGMan start from. */
import { readdirSync, readFileSync } from "node:fs";
import type { Fuzzed } from "@/core/fuzz-for-tests";
import { buildWorkflow } from "@/core/workflow/build";
import { parseDagman } from ".";

const folder = new URL("../../../examples/dagman/", import.meta.url);
const files = new Map(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:dag|sub|condor)$/.test(path))
    .map((path) => [path.replace(/^thesis\//, ""), readFileSync(new URL(path, folder), "utf8")]),
);

const inline = [...files.entries()]
  .filter(([path]) => !path.endsWith(".dag"))
  .map(
    ([path, text]) => `JOB A {\n${text}}\nVARS A x="1" program="p"\nRETRY A 3 UNLESS-EXIT 1\nSCRIPT PRE A ${path}\n`,
  );

const texts = [...[...files.entries()].filter(([path]) => path.endsWith(".dag")).map(([, text]) => text), ...inline];

const fragments = [
  ...["JOB ", "PARENT ", " CHILD ", "VARS ", "RETRY ", "SCRIPT ", "SPLICE ", "SUBDAG EXTERNAL ", "INCLUDE ", "FINAL "],
  ...["DONE", "NOOP", "DIR ", "A", "B ", "{\n", "\n}\n", "\\\n", "\n", '"', '\\"', "=", "#", "\0", "é", "😀", "\r\n"],
  ...[
    "queue 3\n",
    "queue x in (",
    "queue f from (\n",
    "$(",
    "$(x)",
    "$(Process)",
    ")",
    "if defined x\n",
    "endif\n",
    "else\n",
  ],
  ...[
    "executable = ",
    "arguments = ",
    "requirements = ",
    "include : split.sub\n",
    "diamond.dag",
    "split.sub",
    "constructor = 1\n",
  ],
];

export const dags: Fuzzed = {
  name: "DAGs",
  texts,
  fragments,
  read(text, mutatedFile) {
    const { application, problems } = parseDagman(text, {
      fileName: "x.dag",
      readFile: (name) => (name === "split.sub" && mutatedFile) || files.get(name),
    });
    buildWorkflow(application);
    return problems;
  },
};
